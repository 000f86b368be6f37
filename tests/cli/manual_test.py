"""The manual, completion and version: manual_test.py PATH_TO_XPOSE HANGS FOLDER_OF_SCRIPTS README [unittest arguments]."""

import os
import pty
import re
import resource
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

SCRIPTS = os.path.abspath(sys.argv.pop(3))
README = os.path.abspath(sys.argv.pop(3))

from command_line import XPOSE, main, xpose  # noqa: E402

# bash's part of a completion: what it hands to the function for a line, by readline's own rules.
HARNESS = r"""
compopt() { echo "compopt $*"; }
. "$SCRIPT"
complete_line() {
  COMP_LINE=$1 COMP_POINT=${#1}
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  local last=${COMP_WORDS[COMP_CWORD]}
  [[ $last != [=:] ]] || last=
  COMPREPLY=()
  _xpose "$XPOSE" "$last" ''
  printf '%s\n' "${COMPREPLY[@]}"
}
"""


class Manual(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.assertEqual(xpose("manual", self.folder).stderr, "")

    def page(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return re.sub(r"\\f[BIR]", "", file.read().replace(r"\-", "-"))

    def test_every_command_and_option_has_its_place(self):
        listed = re.findall(r"^  ([a-z-]+) ", xpose("help").stdout, re.M)
        self.assertIn("tune", listed)
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(["xpose.1", *(f"xpose-{name}.1" for name in listed)]))
        overview = self.page("xpose.1")
        for name in listed:
            self.assertIn(f"xpose-{name}(1)", overview)
            page = self.page(f"xpose-{name}.1")
            actions = [["show"], ["forget"], ["export"], ["import"]] if name == "cache" else [[]]
            for action in actions:
                options = re.findall(r"^  (?:-\w \[ )?--([a-z-]+)", xpose(name, *action, "--help").stdout, re.M)
                self.assertIn("help", options)
                for option in set(options) - {"file", "folder", "in", "out", "plugin"} - ({"strategy"} if name == "explain" else set()):
                    self.assertRegex(page, rf"\n(?:-\w, )?--{option}[ \n\[]", f"{name} {action}")

    def test_man_has_no_warning(self):
        if shutil.which("man") is None:
            self.skipTest("man is not installed")
        for name in os.listdir(self.folder):
            shown = subprocess.run(["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", os.path.join(self.folder, name)],
                                   capture_output=True, text=True,
                                   env={**os.environ, "LC_ALL": "C.UTF-8", "MANROFFSEQ": "", "MANWIDTH": "80"})
            self.assertEqual((shown.returncode, shown.stderr), (0, ""), name)
            self.assertIn("User Commands", shown.stdout)

    def test_the_guide_and_the_manual_say_the_same(self):
        with open(README, encoding="utf-8") as file:
            guide = file.read()
        page = " ".join(re.sub(r"\\\((?:aq|ha|ti)", lambda c: {"aq": "'", "ha": "^", "ti": "~"}[c[0][2:]],
                               self.page("xpose.1").replace(r"\&", "")).split())
        for heading in ("Exit codes", "Environment"):
            rows = re.findall(r"^\| (.+) \| (.+) \|$", guide.split(f"\n## {heading}\n")[1].split("\n## ")[0], re.M)[1:]
            self.assertGreater(len(rows), 5)
            for name, meaning in (row for row in rows if not row[0].startswith("-")):
                self.assertIn(f"{name} {meaning}.".replace("`", ""), page)

    def test_a_folder_that_is_missing(self):
        missing = xpose("manual", os.path.join(self.folder, "missing"))
        self.assertEqual(missing.returncode, 1)
        self.assertIn("missing", missing.stderr)

    # Issue: an empty page stayed.
    def test_a_page_is_written_whole_or_not_at_all(self):
        with tempfile.TemporaryDirectory() as folder:
            limited = subprocess.run([XPOSE, "manual", folder], capture_output=True, text=True,
                                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
            self.assertEqual((limited.returncode, os.listdir(folder)), (1, []))
            self.assertRegex(limited.stderr, r"\Axpose: [^\n]*\.1[^\n]*\n\Z")


class Version(unittest.TestCase):
    def test_contracts_and_compilers(self):
        self.assertRegex(xpose("--version").stdout, r"\Axpose \d+\.\d+\.\d+\nplugin ABI \d+\.\d+, C API \d+\n"
                         r"built by \w+ \d[\w.]*, (CUDA \d+\.\d+[\d.]*|without CUDA)\n\Z")


class Bash(unittest.TestCase):
    def complete(self, line, *words):
        """The answers for a line that bash has split into these words."""
        result = subprocess.run(["bash", "--norc", "-c", HARNESS + 'complete_line "$@"', "bash", line, *words],
                                capture_output=True, text=True,
                                env={**os.environ, "SCRIPT": os.path.join(SCRIPTS, "xpose.bash"), "XPOSE": XPOSE})
        self.assertEqual(result.stderr, "")
        return [line for line in result.stdout.split("\n") if line]

    def test_commands_options_and_values(self):
        self.assertEqual(self.complete("xpose tu", "xpose", "tu"), ["tune"])
        self.assertEqual(self.complete("xpose cache ", "xpose", "cache", ""), ["export", "forget", "import", "show"])
        self.assertEqual(self.complete("xpose tune --in-p", "xpose", "tune", "--in-p"), ["--in-place", "--in-process"])
        self.assertEqual(self.complete("xpose tune --device ", "xpose", "tune", "--device", ""), ["auto", "host", "cuda"])
        self.assertEqual(self.complete("xpose tune --strategy host_naive_", "xpose", "tune", "--strategy", "host_naive_"),
                         ["host_naive_row", "host_naive_col"])
        self.assertEqual(self.complete("xpose run ", "xpose", "run", ""), ["compopt -o default"])
        self.assertEqual(self.complete("xpose new-plugin ", "xpose", "new-plugin", ""), ["compopt -o dirnames"])
        self.assertEqual(self.complete("xpose tune --plugins ", "xpose", "tune", "--plugins", ""), ["compopt -o dirnames"])
        self.assertEqual(self.complete("xpose fly ", "xpose", "fly", ""), [])

    def test_words_that_bash_splits(self):
        self.assertEqual(self.complete("xpose tune --device=", "xpose", "tune", "--device", "="), ["auto", "host", "cuda"])
        self.assertEqual(self.complete("xpose tune --device=h", "xpose", "tune", "--device", "=", "h"), ["host"])
        self.assertEqual(self.complete("xpose tune  --json=a.json --war", "xpose", "tune", "--json", "=", "a.json", "--war"), ["--warm"])
        self.assertEqual(self.complete("xpose tune --json = --war", "xpose", "tune", "--json", "=", "--war"), ["--warm"])
        self.assertEqual(self.complete("xpose tune --device cuda:0 --war", "xpose", "tune", "--device", "cuda", ":", "0", "--war"), ["--warm"])

    def test_at_a_terminal(self):
        environment = {**os.environ, "PATH": os.path.dirname(XPOSE) + ":" + os.environ["PATH"], "PS1": "$ ", "TERM": "dumb"}
        pid, terminal = pty.fork()
        if pid == 0:
            os.execvpe("bash", ["bash", "--norc", "--noprofile", "-i"], environment)
        said = b""
        try:
            script = os.path.join(SCRIPTS, "xpose.bash")
            os.write(terminal, f"HISTFILE=; . '{script}'\nxpose help doc\t\nexit\n".encode())
            end = time.monotonic() + 60
            while time.monotonic() < end and select.select([terminal], [], [], end - time.monotonic())[0]:
                said += os.read(terminal, 4096)
        except OSError:  # it has ended
            pass
        finally:
            os.close(terminal)
            os.waitpid(pid, 0)
        self.assertIn(b"xpose help doctor", said)
        self.assertIn(b"usage: xpose doctor", said)


class OtherShells(unittest.TestCase):
    def run_in(self, shell, *arguments):
        if shutil.which(shell) is None:
            self.skipTest(f"{shell} is not installed")
        result = subprocess.run([shell, *arguments], capture_output=True, text=True,
                                env={**os.environ, "PATH": os.path.dirname(XPOSE) + ":" + os.environ["PATH"]})
        self.assertEqual(result.stderr, "")
        return result.stdout.splitlines()

    def test_zsh(self):
        # What zsh's own functions are given.
        stubs = """
          _describe() { shift; print -l -- "${(@P)1}"; }
          _files() { print -r -- files $@; }
          compset() { PREFIX=${PREFIX#--*=}; }
          complete_line() { words=("$@"); CURRENT=$#; PREFIX=$@[-1]; . "$script"; }
        """

        def complete(*words):
            return self.run_in("zsh", "-fc", f"script='{SCRIPTS}/xpose.zsh'\n{stubs}\ncomplete_line \"$@\"", "zsh", "xpose", *words)

        self.assertEqual(complete("tu"), ["tune:try every strategy on a problem and name the fastest"])
        self.assertEqual(complete("tune", "--wa"), ["--warm:keep the caches warm"])
        self.assertEqual([line.split(":")[0] for line in complete("tune", "--device=")], ["--device=auto", "--device=host", "--device=cuda"])
        self.assertEqual(complete("run", ""), ["files"])
        self.assertEqual(complete("tune", "--plugins="), ["files -/"])
        self.assertEqual(complete("fly", ""), [])

    def test_fish(self):
        def complete(line):
            with tempfile.TemporaryDirectory() as home:
                with open(os.path.join(home, "a.npy"), "w", encoding="utf-8"):
                    pass
                return self.run_in("fish", "--no-config", "-c", f"source '{SCRIPTS}/xpose.fish'; cd '{home}'; complete -C '{line}'")

        self.assertEqual(complete("xpose tu"), ["tune\ttry every strategy on a problem and name the fastest"])
        self.assertEqual(complete("xpose tune --wa"), ["--warm\tkeep the caches warm"])
        self.assertEqual([line.split("\t")[0] for line in complete("xpose tune --device=h")], ["--device=host"])
        self.assertEqual([line.split("\t")[0] for line in complete("xpose run ")], ["a.npy"])
        self.assertEqual(complete("xpose fly "), [])


if __name__ == "__main__":
    main()
