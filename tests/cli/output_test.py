"""Where results go: output_test.py PATH_TO_XPOSE [unittest arguments].

Files are replaced as a whole, what is no file is written to, and no output gets into another's.
"""

import fcntl
import json
import os
import pathlib
import pty
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from terminal import read_to_end

XPOSE = None
LIST, DEFAULT_LIST = "system.posix_acl_access", "system.posix_acl_default"


def shell(line, *arguments, **more):
    """A line of bash, in which "$@" is xpose and the arguments."""
    return subprocess.run(["bash", "-c", line, "bash", XPOSE, *map(str, arguments)], capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, **more)


def npy_file(shape, data):
    text = f"{{'descr': '|u1', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + data


def access_list(user, owner=6, group=4, other=0):
    """Of a file: one more user, who may read and write."""
    nobody = 2**32 - 1
    entries = [(1, owner, nobody), (2, 6, user), (4, group, nobody), (16, 6, nobody), (32, other, nobody)]
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


class Outputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "rows.json"
        self.show = ("cache", "show", "--cache", self.folder / "none.sqlite")  # the fastest that has --json

    def check_rows(self, text):
        self.assertEqual(json.loads(text)["schema"], "xpose.cache/1")

class ClosedDescriptors(Outputs):
    def test_messages_do_not_get_into_the_output(self):
        source, target = self.folder / "a.npy", self.folder / "b.npy"
        source.write_bytes(npy_file((2, 3), bytes(range(6))))
        done = shell(f'"$@" <{source} >&- 2>&-', "run", "-v", "-", target, "--device", "host")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(target.read_bytes(), npy_file((3, 2), bytes([0, 3, 1, 4, 2, 5])))

    def test_a_table_that_goes_nowhere_fails_and_leaves_the_file_whole(self):
        done = shell('"$@" >&-', "plugins", "--all", "--json", self.file)  # more than a buffer of text
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "xpose: the results could not be written to the standard output\n")
        self.assertTrue(json.loads(self.file.read_text())["plugins"])

    def test_an_input_that_is_closed_is_not_an_empty_one(self):
        done = shell('"$@" <&-', "run", "-", self.file, "--device", "host")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("xpose: standard input: cannot be read: Bad file descriptor", done.stderr)


class Replaced(Outputs):
    def with_list_of_the_folder(self):
        try:
            os.setxattr(self.folder, DEFAULT_LIST, access_list(user=1234))
        except OSError as error:
            self.skipTest(f"no access control lists here: {error}")

    def test_the_list_of_the_folder_does_not_get_onto_a_file_that_had_none(self):
        self.file.write_text("before")
        self.file.chmod(0o640)
        self.with_list_of_the_folder()
        self.assertEqual(shell('"$@"', *self.show, "--json", self.file).returncode, 0)
        self.check_rows(self.file.read_text())
        self.assertNotIn(LIST, os.listxattr(self.file))
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o640)

    def test_the_list_of_the_file_stays(self):
        self.file.write_text("before")
        self.with_list_of_the_folder()
        os.setxattr(self.file, LIST, access_list(user=4321))
        self.assertEqual(shell('"$@"', *self.show, "--json", self.file).returncode, 0)
        self.check_rows(self.file.read_text())
        self.assertEqual(os.getxattr(self.file, LIST), access_list(user=4321))


class NoFiles(Outputs):
    def test_the_standard_output_by_its_name_is_that(self):
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            piped = shell('"$@" | cat; exit ${PIPESTATUS[0]}', *self.show, f"--json={name}")
            self.assertEqual((piped.returncode, piped.stderr), (0, ""), name)
            self.check_rows(piped.stdout)
        self.assertEqual(shell(f'"$@" >{self.file}', *self.show, "--json=/dev/stdout").returncode, 0)
        self.check_rows(self.file.read_text())
        self.assertEqual(shell(f'"$@" >{self.file}', *self.show, f"--json={self.file}").returncode, 0)
        self.check_rows(self.file.read_text())

    def test_pipes_that_the_shell_opens(self):
        done = shell(f'"$@" --json=>(cat >{self.file}) && wait $!', *self.show)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Nothing is remembered", done.stdout)
        self.check_rows(self.file.read_text())
        done = shell('{ "$@" --json=/dev/fd/3 >/dev/null; } 3>&1 | cat', *self.show)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.check_rows(done.stdout)

    def test_a_file_that_the_shell_has_opened_is_not_replaced(self):
        done = shell(f'{{ echo before >&3; "$@" --json=/dev/fd/3 >/dev/null; echo after >&3; }} 3>{self.file}', *self.show)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        before, *rows, after = self.file.read_text().splitlines()
        self.assertEqual((before, after), ("before", "after"))
        self.check_rows("\n".join(rows))

    def test_a_pipe_that_another_program_made_non_blocking(self):
        end, written = os.pipe()
        fcntl.fcntl(written, fcntl.F_SETPIPE_SZ, 4096)
        os.set_blocking(written, False)
        listed = subprocess.Popen([XPOSE, "plugins", "--json"], stdout=written, stderr=written)
        self.addCleanup(listed.kill)
        os.close(written)
        time.sleep(0.3)  # it finds no room
        with open(end, encoding="utf-8") as of:
            said = of.read()
        self.assertEqual(listed.wait(timeout=60), 0)
        self.assertGreater(len(said), 4096)
        self.assertIn("plugins", json.loads(said))

    def test_named_pipe(self):
        os.mkfifo(self.file)
        reader = subprocess.Popen(["cat", self.file], stdout=subprocess.PIPE, text=True)
        self.addCleanup(reader.kill)
        done = shell('"$@"', *self.show, "--json", self.file)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.check_rows(reader.communicate(timeout=60)[0])
        self.assertTrue(self.file.is_fifo())

    def test_devices(self):
        done = shell('"$@"', *self.show, "--json", "/dev/null")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("Nothing is remembered", done.stdout)
        self.assertTrue(pathlib.Path("/dev/null").is_char_device())
        done = shell('"$@"', *self.show, "--json", "/dev/full")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("xpose: --json /dev/full: cannot be written: No space left on device", done.stderr)

    def test_a_terminal(self):
        main, side = pty.openpty()
        self.addCleanup(os.close, main)
        done = shell('"$@"', *self.show, "--json", os.ttyname(side))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        os.close(side)
        shown = read_to_end(main)
        self.check_rows(shown)

    def test_what_takes_no_stream_is_refused(self):
        path = str(self.folder / "socket")
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path)
            for name, words in ((self.folder, "is a folder"), (path, "is not a regular file")):
                done = shell('"$@"', *self.show, "--json", name)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertIn(f"xpose: --json {name} {words}", done.stderr)


class OneFileForTwo(Outputs):
    def test_is_refused_before_anything_is_measured(self):
        (self.folder / "link").symlink_to("a.json")
        os.mkfifo(self.folder / "pipe")
        tune = ("tune", "--device", "host", "--shape", "3x3", "--budget", "0")
        for one, other in (("a.json", "a.json"), ("a.json", "./a.json"), (self.folder / "a.json", "a.json"),
                           ("link", "a.json"), ("-", "/dev/stdout"), ("/dev/fd/1", "/dev/stdout"), ("-", "-")):
            for command, second in ((tune, "--report"), (("explain", "smem", "--shape", "3x3"), "--report"),
                                    (("bench", "--device", "host"), "--csv"),
                                    (("bench", "--device", "host"), "--markdown"),
                                    (("bench", "--device", "host"), "--svg")):
                done = shell('"$@"', *command, "--json", one, second, other, cwd=self.folder)
                self.assertEqual((done.returncode, done.stdout), (2, ""), (command, one, other))
                self.assertIn(f"xpose: --json and {second} cannot share ", done.stderr)
        self.assertEqual(sorted(os.listdir(self.folder)), ["link", "pipe"])
        reader = os.open(self.folder / "pipe", os.O_RDWR)
        self.addCleanup(os.close, reader)
        done = shell('"$@"', *tune, "--json", "pipe", "--report", "pipe", cwd=self.folder)
        self.assertIn("cannot share pipe: name another file", done.stderr)

    def test_two_files_are_served(self):
        done = shell('"$@"', "tune", "--device", "host", "--shape", "3x3", "--budget", "0", "--json", "a.json",
                     "--report", "a.html", cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((self.folder / "a.json").read_text())["schema"], "xpose.tune/1")
        self.assertIn("<!doctype html>", (self.folder / "a.html").read_text())


if __name__ == "__main__":
    XPOSE = os.path.abspath(sys.argv.pop(1))
    unittest.main()
