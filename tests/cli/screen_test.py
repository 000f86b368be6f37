"""The command on a terminal: screen_test.py PATH_TO_XPOSE [unittest arguments].

Lines fit the terminal, progress leaves nothing behind, and what is piped is whole.
"""

import fcntl
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

XPOSE = None
WIDTHS = (60, 80, 120, 200)
COMMANDS = ("tune", "run", "bench", "explain", "plugins", "check", "cache", "lab", "doctor")
CACHE_ACTIONS = ("show", "forget", "export", "import")


class Terminal:
    """What a terminal shows: its lines without escapes, and how far the cursor got."""

    def __init__(self, raw):
        self.raw = raw.decode()
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
    raw = b""
    try:
        while chunk := os.read(main, 4096):
            raw += chunk
    except OSError:
        pass  # the other side is closed
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
        for arguments, step in ((("explain", "smem", "--shape", "256x256"), "model 100 %"),
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


class Messages(unittest.TestCase):
    def test_messages_break_at_words(self):
        shown = on_terminal(60, "tune", "--shape", "3x3", "--strategy", "magic", code=2)
        self.assertEqual(shown.lines, ["xpose: no loaded plugin offers a strategy 'magic'; `xpose",
                                       "       plugins` lists them; see `xpose tune --help`", ""])

    def test_a_message_does_not_run_into_progress(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "trials.sqlite").write_text("not a database " * 1000)
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
