"""The command on a terminal: screen_test.py PATH_TO_XPOSE [unittest arguments].

Lines fit the terminal, progress leaves nothing behind, and what is piped is whole.
"""

import contextlib
import fcntl
import json
import os
import pathlib
import pty
import re
import sqlite3
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

from terminal import read_to_end

XPOSE = None
WAITING = r"xpose: warning: another process measures on \S+\s[^\r]*\r\n( {7}[^\r]*\r\n)*"
WIDTHS = (60, 80, 120, 200)
COMMANDS = ("tune", "run", "bench", "explain", "plugins", "check", "cache", "lab", "doctor")
CACHE_ACTIONS = ("show", "forget", "export", "import")


class Terminal:
    """What a terminal shows: its lines without escapes, and how far the cursor got."""

    def __init__(self, raw):
        self.raw = re.sub(WAITING, "", raw.decode())  # other tests measure at the same time
        self.lines, row, at, self.width = [""], 0, 0, 0
        for c in re.sub(r"\033\[[0-9;]*[mK]", "", self.raw):
            if c == "\r":
                at = 0
            elif c == "\b":
                at -= 1
            elif c == "\n":
                self.lines.append("")
                row, at = row + 1, 0
            else:
                line = self.lines[row].ljust(at)
                self.lines[row] = line[:at] + c + line[at + 1:]
                at += 1
                self.width = max(self.width, at)
        self.lines = [line.rstrip() for line in self.lines]
        self.text = "\n".join(self.lines)


def on_terminal(columns, *arguments, code=0, **environment):
    """Both outputs of the command on a terminal that is so wide."""
    main, side = pty.openpty()
    fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    variables = {"TERM": "xterm", **os.environ, **environment}
    for name in ("COLUMNS", "NO_COLOR"):
        if name not in environment:
            variables.pop(name, None)
    process = subprocess.Popen([XPOSE, *arguments], stdin=subprocess.DEVNULL, stdout=side, stderr=side,
                               env=variables)
    os.close(side)
    raw = read_to_end(main)
    os.close(main)
    assert process.wait() == code, (arguments, raw.decode())
    return Terminal(raw)


TUNE = ("tune", "--device", "host", "--shape", "64x64", "--budget", "0.1")


class Progress(unittest.TestCase):
    def test_progress_fits_the_width_and_is_erased(self):
        for columns in (50, 200):
            shown = on_terminal(columns, *TUNE)
            steps = [line for line in re.split(r"[\r\n\b]+", shown.raw) if re.match(r"(verify|measure) \d", line)]
            self.assertTrue(steps)
            self.assertLess(max(map(len, steps)), columns)
            self.assertNotRegex(shown.text, r"(verify|measure) \d")
            self.assertEqual(shown.lines[0], "64x64 of 4 bytes on host")

    def test_progress_of_every_command_is_erased(self):
        for arguments, step in ((("explain", "smem", "--shape", "256x256"), "simulator 100 %"),
                                (("bench", "--quick", "--device", "host", "--only", "512x512"), ": verify")):
            shown = on_terminal(80, *arguments)
            self.assertIn(step, shown.raw)
            self.assertNotIn(step, shown.text)

    def test_a_dumb_terminal_gets_neither_escapes_nor_progress(self):
        for environment in ({"TERM": "dumb"}, {"NO_COLOR": "1"}):
            shown = on_terminal(80, *TUNE, **environment)
            self.assertNotIn("\033", shown.raw)
            self.assertEqual("verify" in shown.raw, "NO_COLOR" in environment)
        self.assertIn("\033[1m", on_terminal(80, *TUNE).raw)


def plugin(name):
    document = json.loads(subprocess.run([XPOSE, "plugins", "--json"], capture_output=True, text=True).stdout)
    return next(one["file"] for one in document["plugins"] if one["name"] == name)


class Tables(unittest.TestCase):
    def fit(self, *arguments, widths=WIDTHS):
        shown = [on_terminal(columns, *arguments) for columns in widths]
        for columns, one in zip(widths, shown):
            self.assertLessEqual(one.width, columns, one.text)
            self.assertNotIn("\t", one.text)
        return shown

    def test_a_narrow_terminal_shortens_the_variant_and_drops_the_launch(self):
        wide = "host_in_place{run=256,twins=1}"
        config = ("--in-place", "--strategy", wide, "--budget", "0.2")
        shown = self.fit("tune", "--device", "host", "--shape", "300x300", *config,
                         widths=(60, 64, 80, 200))
        header = [next(line for line in one.lines if line.startswith("variant")).split() for one in shown]
        self.assertEqual(["launch" in titles for titles in header], [False, False, False, True])
        rows = [next(line for line in one.lines if line.startswith("host_in_place{")) for one in shown]
        for row in rows[:2]:
            self.assertRegex(row, r"^host_in_place(\{[a-z=0-9,]+,\.\.\.\}|\{[0-9,]+\}) ")
        self.assertTrue(rows[3].startswith(wide))
        for one in shown:  # the sentence has all of it
            self.assertIn(wide + (" won" if " won" in one.text else " was"), one.text.replace("\n", " "))

    def test_variants_stay_apart_when_all_are_listed(self):
        two = ("--strategy", "host_in_place{twins=1}")  # of more, a slow first one may leave others out
        shown, = self.fit("tune", "--device", "host", "--shape", "64x64", "--in-place", "--all", *two,
                          "--budget", "30", widths=(72,))
        rows = [line.split()[0] for line in shown.lines if line.startswith("host_in_place{")]
        self.assertGreater(len(rows[:-1]), 1)  # the last one is the sentence
        self.assertEqual(len(set(rows)), len(rows), rows)
        self.assertIn("host_in_place{256,1}", rows)

    def test_strategies_that_cannot_run_here_are_one_line_unless_all_are_asked_for(self):
        doctor = json.loads(subprocess.check_output([XPOSE, "doctor", "--json", "-"]))
        if any(device["device"].startswith("cuda") for device in doctor["devices"]):
            self.skipTest("there is a CUDA device")
        piped = subprocess.run([XPOSE, *TUNE], capture_output=True, text=True).stdout
        line = r"\d+ CUDA strategies: (no CUDA device|built without CUDA)"
        self.assertRegex(piped, rf"\n  {line}\n")
        self.assertRegex(piped, r"\n  host_fat_in_place, host_fat: serves no elements of 4 bytes\n")
        self.assertNotIn("smem_pad", piped)
        listed = subprocess.run([XPOSE, *TUNE, "--all"], capture_output=True, text=True).stdout
        self.assertNotRegex(listed, line)
        self.assertRegex(listed, r"\nsmem_pad +unsupported: (no CUDA device|built without CUDA)\n")
        plugins = subprocess.run([XPOSE, "plugins"], capture_output=True, text=True).stdout
        self.assertRegex(plugins, rf"\n{line}; --all lists them\n")
        self.assertNotIn("smem_pad", plugins)
        self.assertIn("\nsmem_pad ", subprocess.run([XPOSE, "plugins", "--all"], capture_output=True, text=True).stdout)

    def test_plugins_fit(self):
        narrow, _, _, wide = self.fit("plugins", "--all")
        self.assertIn("Columns left out for lack of width: plugin, axes.", narrow.text)
        self.assertNotIn("Left out", wide.text)

    def test_cache_show_fits(self):
        subprocess.run([XPOSE, *TUNE], capture_output=True, check=True)
        with contextlib.closing(sqlite3.connect(os.environ["XPOSE_CACHE"])) as database, database:
            database.execute("UPDATE decision SET untried = 3")
        for shown in self.fit("cache", "show"):
            self.assertIn("64x64 of 4 bytes", shown.text)
            self.assertIn("*: provisional", shown.text)

    def test_explain_fits(self):
        self.fit("explain", "tile", "--shape", "256x256")

    def test_bench_fits(self):
        self.fit("bench", "--quick", "--device", "host", "--only", "512x512")

    def test_doctor_fits(self):
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:  # a path is one word
            environment = {"XPOSE_PLUGIN_PATH": folder, "XPOSE_CACHE": f"{folder}/c"}
            for columns in WIDTHS:
                shown = on_terminal(columns, "doctor", **environment)
                self.assertLessEqual(shown.width, columns, shown.text)

    def test_lab_fits(self):
        self.fit("lab", "--simulator-only", widths=(60, 80))

    def test_check_fits(self):
        words = ("--strategy", "host_naive_row", "--bytes", "2", "--max-elements", "10")
        self.fit("check", plugin("host_naive"), *words, widths=(60, 80))

    def test_what_is_piped_is_whole(self):
        piped = subprocess.run([XPOSE, "plugins", "--all"], capture_output=True, text=True,
                               env=dict(os.environ, COLUMNS="60")).stdout
        self.assertRegex(piped.splitlines()[0], r"^strategy +device +plugin +axes +summary$")
        self.assertNotIn("Left out", piped)

    def test_columns_of_the_environment_count(self):
        self.assertLessEqual(on_terminal(200, "plugins", COLUMNS="70").width, 70)


class Messages(unittest.TestCase):
    def test_messages_break_at_words(self):
        shown = on_terminal(60, "tune", "--shape", "3x3", "--strategy", "magic", code=4)
        self.assertEqual(shown.lines, ["xpose: no loaded plugin offers a strategy 'magic'; `xpose",
                                       "       plugins` lists the strategies, and the reason for",
                                       "       each refused file", ""])

    def test_a_message_does_not_run_into_progress(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "trials.sqlite").write_text("SQLite format 3" * 1000)
            shown = on_terminal(200, *TUNE, XPOSE_CACHE=f"{folder}/trials.sqlite")
        self.assertTrue(any(line.startswith("xpose: warning: ") for line in shown.lines), shown.text)

    def test_help_fits_80_columns_and_narrower_terminals(self):
        for command in ([], *([name] for name in COMMANDS), *(["cache", action] for action in CACHE_ACTIONS)):
            whole = subprocess.run([XPOSE, *command, "--help"], capture_output=True, text=True).stdout
            self.assertIn("usage: xpose", whole)
            self.assertLessEqual(max(map(len, whole.splitlines())), 80, command)
            self.assertLessEqual(on_terminal(60, *command, "--help").width, 60, command)


if __name__ == "__main__":
    XPOSE = os.path.abspath(sys.argv.pop(1))
    remembered = tempfile.TemporaryDirectory()
    os.environ["XPOSE_CACHE"] = os.path.join(remembered.name, "trials.sqlite")
    unittest.main()
