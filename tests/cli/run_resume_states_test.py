"""`xpose run --resume` in states that it refuses or begins again from: run_resume_states_test.py PATH_TO_XPOSE [unittest arguments].

A sentence says what is wrong and what to do, and nothing is touched; or the output is right.
"""

import json
import os
import pathlib
import signal
import subprocess
import tempfile
import time

from npy_command import command, main, random_array
from resumed_run import Resumed

import numpy as np


class Refused(Resumed):
    def refused(self, words, *options, **how):
        before = self.state()
        done = self.resume(*options, **how)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertRegex(done.stderr, r"\Axpose: [^\n]+\n\Z")
        self.assertIn(words, done.stderr)
        self.assertTrue(self.state() == before)

    def state(self):
        return [(path.name, path.is_file() and path.stat().st_size < 1 << 26 and path.read_bytes())
                for path in sorted(self.folder.iterdir())]

    def begun_with(self, name):
        return (f"{self.target}: cannot be resumed: it was begun with another {name}; "
                f"repeat that command, or remove {self.journal} to begin again\n")

    def test_another_command(self):
        array, _ = self.half()
        self.refused(self.begun_with("order"), "--axes", "0,1")
        self.refused(self.begun_with("memory"), memory="2M")
        size = self.source.stat().st_size
        self.refused(self.begun_with("number of passes"), "--passes", "2")
        self.refused(self.begun_with("scratch folder"), "--scratch", str(self.folder))
        self.refused(self.begun_with("format"), "--raw", "--shape", f"4x{size // 4}", "--dtype", "|u1")
        self.check_whole(array.T)

    def test_another_device(self):
        array, _ = self.half()
        journal = json.loads(self.journal.read_text())
        self.journal.write_text(json.dumps(journal | {"command": journal["command"] | {"device": "cuda"}}))
        self.refused(self.begun_with("device"))
        self.journal.write_text(json.dumps(journal))
        self.check_whole(array.T)

    def test_another_command_after_the_journal_is_removed(self):
        array, _ = self.half()
        self.journal.unlink()
        self.check_whole(array, "--axes", "0,1")

    def test_an_input_that_changed(self):
        words = (f"{self.target}: cannot be resumed: {self.source} has changed since it was begun; "
                 f"remove {self.journal} to begin again\n")
        array, _ = self.half()
        status = self.source.stat()
        os.utime(self.source, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
        self.refused(words)
        with open(self.source, "r+b") as file:  # whose time is set back
            file.seek(-1, os.SEEK_END)
            file.write(b"x")
        os.utime(self.source, ns=(status.st_atime_ns, status.st_mtime_ns))
        self.refused(words)
        other = self.folder / "other.npy"  # with the same size and time
        np.save(other, array + 1)
        os.utime(other, ns=(status.st_atime_ns, status.st_mtime_ns))
        other.rename(self.source)
        self.refused(words)
        self.journal.unlink()
        self.check_whole((array + 1).T)

    def test_something_else_under_the_names(self):
        self.half()
        text = self.journal.read_text()
        for content in ("", "{}", text[:-5], text.replace("journal/4", "journal/3"),
                        text.replace('"finished": ', '"finished": -'), text.replace('"finished": ', '"finished": 9999999')):
            self.journal.write_text(content)
            before = self.part.read_bytes()
            done = self.resume()
            self.assertEqual(done.returncode, 1)
            self.assertIn("cannot be resumed: its journal is not one of this version of xpose (", done.stderr)
            self.assertTrue(self.part.read_bytes() == before)
        self.journal.unlink()
        self.part.unlink()
        victim = self.folder / "victim"
        victim.write_bytes(b"precious")
        for name in (self.journal, self.part):
            name.symlink_to(victim)
            self.refused("Too many levels of symbolic links")
            name.unlink()
        os.link(victim, self.part)
        self.refused("is not a file that this user began")
        self.assertEqual(victim.read_bytes(), b"precious")

    def test_two_at_once(self):
        array = random_array("<u4", (1000, 4000))
        np.save(self.source, array)
        process = subprocess.Popen(command(self.source, self.target, "--resume", "--memory", "1M"))
        while process.poll() is None and not self.journal.exists():
            time.sleep(0.001)
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        self.assertTrue(self.part.exists(), "it was over before it was stopped")
        self.refused(f"{self.target}: another process is writing it")
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(), 0)
        self.check_output(array.T)

    def test_streams_and_one_file(self):
        np.save(self.source, random_array("<u4", (20, 30)))
        self.refused("a standard stream cannot be read or written again: --resume needs two files", source="-",
                     stdin=subprocess.DEVNULL)
        self.refused("a standard stream cannot be read or written again", target="-")
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        self.refused("pipe cannot be read or written again", source=pipe)
        self.refused(f"{self.source} is the output as well", target=self.source)

    def test_disk_full(self):
        self.outgrow("/dev/shm")
        with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
            self.refused("No space left on device", target=os.path.join(folder, "b.npy"))
            self.assertEqual(os.listdir(folder), [])


TWO = ("--passes", "2")


class TwoPasses(Resumed):
    """The scratch file of a run that was killed is its own, or is written anew."""

    def begins_again(self, array):
        done = self.resume("-v", *TWO)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("going on", done.stderr)
        self.check_output(array.T)

    def test_it_goes_on_in_either_pass(self):
        array, _ = self.half(*TWO)
        self.assertEqual(self.names(), [self.journal.name, self.part.name, self.scratch.name, "a.npy", "b.npy"])
        steps = self.recorded()["steps"]
        while self.recorded():
            before = self.recorded()["finished"]
            process = subprocess.Popen(command(self.source, self.target, "--resume", "--memory", "1M", "-v", *TWO),
                                       stderr=subprocess.PIPE, text=True)
            while process.poll() is None and (self.recorded() or {"finished": steps})["finished"] == before:
                time.sleep(0.001)
            process.kill()
            said = process.communicate()[1]
            self.assertTrue(f"\nxpose: going on behind step {before}\n" in said or "complete already" in said, said)
        self.check_output(array.T)

    def test_a_scratch_file_that_is_gone_or_another_one(self):
        array, _ = self.half(*TWO)
        self.scratch.unlink()
        self.begins_again(array)
        array, _ = self.half(*TWO)
        self.scratch.write_bytes(bytes(array.nbytes + 32))
        self.begins_again(array)
        array, _ = self.half(*TWO)
        os.truncate(self.scratch, 1000)
        self.begins_again(array)

    def test_a_scratch_file_that_another_run_has_taken(self):
        """Two outputs of one name in two folders have the same one."""
        with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory() as elsewhere:
            options = ("--passes", "2", "--scratch", scratch)
            other = pathlib.Path(elsewhere) / "b.npy"
            array, _ = self.half(*options)
            self.assertEqual(self.resume(*options, target=other).returncode, 0)
            self.assertTrue(np.load(other).tobytes() == array.T.tobytes())
            self.check_whole(array.T, *options)
            array, _ = self.half(*options)
            process = subprocess.Popen(command(self.source, other, "--resume", "--memory", "1M", *options))
            while process.poll() is None and not (other.parent / self.journal.name).exists():
                time.sleep(0.001)
            process.kill()
            process.wait()
            self.check_whole(array.T, *options)
            self.assertEqual(self.resume(*options, target=other).returncode, 0)
            self.assertTrue(np.load(other).tobytes() == array.T.tobytes())
            self.assertEqual(os.listdir(scratch), [])

    def test_something_else_under_its_name(self):
        np.save(self.source, random_array("<u4", (1000, 4000)))
        victim = self.folder / "victim"
        victim.write_bytes(b"precious")
        self.scratch.symlink_to(victim)
        done = self.resume(*TWO)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"{self.scratch}: cannot be written: Too many levels of symbolic links", done.stderr)
        self.assertEqual(victim.read_bytes(), b"precious")

    def test_a_run_that_was_killed_before_it_removed_its_files(self):
        array, _ = self.half(*TWO)
        document = self.recorded()
        content = self.scratch.read_bytes()
        self.check_whole(array.T, *TWO)
        status = self.target.stat()
        document["finished"] = document["steps"]
        document["part"] = {"bytes": status.st_size, "modified": status.st_mtime_ns, "inode": status.st_ino}
        self.journal.write_text(json.dumps(document))
        self.scratch.write_bytes(content)
        self.assertIn("complete already", self.resume("-v", *TWO).stderr)
        self.check_output(array.T)


class Leftovers(Resumed):
    """States that a kill, a user or a loss of power leaves between two steps."""

    def test_a_part_that_is_gone_or_another_one(self):
        array, _ = self.half()
        self.part.unlink()
        self.check_whole(array.T)
        for size in (0, array.nbytes + 128, array.nbytes + 4096):
            self.half()
            array = np.load(self.source)
            self.part.rename(self.folder / "moved")  # keeps its inode from the next one
            self.part.write_bytes(bytes(size))
            done = self.resume()
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            (self.folder / "moved").unlink()
            self.check_output(array.T)

    def test_a_part_that_was_cut(self):
        array, _ = self.half()
        os.truncate(self.part, 1000)
        self.check_whole(array.T)

    def published(self):
        """An output in its place beside its last journal."""
        array, _ = self.half()
        document = self.recorded()
        self.check_whole(array.T)
        status = self.target.stat()
        document["finished"] = document["steps"]
        document["part"] = {"bytes": status.st_size, "modified": status.st_mtime_ns, "inode": status.st_ino}
        self.journal.write_text(json.dumps(document))
        return array, status

    def test_an_output_that_was_put_in_place(self):
        array, before = self.published()
        done = self.resume("-v")
        self.assertEqual(done.returncode, 0)
        self.assertIn(f"xpose: {self.target} is complete already\n", done.stderr)
        self.assertEqual(self.target.stat().st_ino, before.st_ino)
        self.check_output(array.T)

    def test_an_output_that_is_whole_and_not_in_place(self):
        array, before = self.published()
        self.target.rename(self.part)
        self.target.write_bytes(b"what was there")
        self.check_whole(array.T)
        self.assertEqual(self.target.stat().st_ino, before.st_ino)

    def test_an_output_that_was_changed_since(self):
        array, before = self.published()
        with open(self.target, "r+b") as file:
            file.seek(200)
            file.write(b"other")
        os.utime(self.target, ns=(before.st_atime_ns, before.st_mtime_ns + 1))
        self.check_whole(array.T)

    def test_without_resume_nothing_of_it_counts(self):
        array, _ = self.half()
        before = self.part.read_bytes(), self.journal.read_bytes()
        done = self.run_xpose("--memory", "1M")
        self.assertEqual((done.returncode, done.stderr),
                         (0, f"xpose: {self.part} stays, from a run with --resume that has not ended: its command goes on, or "
                             f"remove it and {self.journal}\n"))
        self.assertTrue(np.load(self.target).tobytes() == array.T.tobytes())
        self.assertTrue((self.part.read_bytes(), self.journal.read_bytes()) == before)

    def test_the_output_has_the_permissions_of_any_other(self):
        array = random_array("<u4", (20, 30))
        np.save(self.source, array)
        self.target.chmod(0o640)
        self.check_whole(array.T)
        self.assertEqual(self.target.stat().st_mode & 0o777, 0o640)
        self.target.unlink()
        self.assertEqual(self.resume(preexec_fn=lambda: os.umask(0o027)).returncode, 0)
        self.assertEqual(self.target.stat().st_mode & 0o777, 0o640)


if __name__ == "__main__":
    main()
