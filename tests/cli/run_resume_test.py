"""`xpose run --resume`: run_resume_test.py PATH_TO_XPOSE [--kills N] [--seed N] [unittest arguments].

A run that is killed at any moment goes on where it was, and ends with the right output alone.
"""

import os
import random
import signal
import subprocess
import sys
import time
import unittest

from npy_command import IS_SANITIZED, command, main, random_array
from resumed_run import OLD, Resumed

import numpy as np

KILLS = 8 if IS_SANITIZED else 25
SEED = 7


class Kills(Resumed):
    def test_kills_at_random_moments(self):
        print(f"seed {SEED}", file=sys.stderr)
        rng = random.Random(SEED)
        size = 4 if IS_SANITIZED else 1
        moves = [((1000, 4000 // size), "<u4", ("--axes", "1,0"), (1, 0)),
                 ((400009 // size, 31), "|u1", ("--axes", "1,0"), (1, 0)),  # output rows are cut
                 ((37, 61, 53, 29 // size), "<i2", ("--axes", "2,0,3,1"), (2, 0, 3, 1)),
                 ((2001, 2003 // size), "<u4", ("--passes", "2"), (1, 0)),
                 ((37, 61, 53, 29 // size), "<i2", ("--axes", "2,0,3,1", "--passes", "2"), (2, 0, 3, 1))]
        killed = gone_on = 0
        while killed < KILLS:
            shape, dtype, options, axes = moves[killed % len(moves)]
            array = random_array(dtype, shape, rng)
            np.save(self.source, array)
            begin = time.monotonic()
            self.check_whole(array.transpose(axes), *options)
            whole = time.monotonic() - begin
            for _ in range(4):
                self.target.write_bytes(OLD)
                while self.is_killed(rng.uniform(0, whole), *options):
                    killed += 1
                    gone_on += bool((self.recorded() or {"finished": 0})["finished"])
                self.check_output(array.transpose(axes))
        self.assertGreater(gone_on, 0)
        print(f"{killed} runs killed, {gone_on} of them behind a record", file=sys.stderr)

    def is_killed(self, moment, *options):
        """Whether the run was killed at that moment, rather than at its end. It has gone on where it was."""
        before = self.recorded()
        process = subprocess.Popen(command(self.source, self.target, "--resume", "-v", "--memory", "1M", *options),
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            said = process.communicate(timeout=moment)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            said = process.communicate()[1]
        if before and before["finished"] not in (0, before["steps"]) and "transposing" in said:
            step = "step" if before["scratch"] else "tile"
            self.assertIn(f"\nxpose: going on behind {step} {before['finished']}\n", said)
        if process.returncode == 0:
            return False
        self.assertEqual(process.returncode, -signal.SIGKILL, said)
        if self.target.read_bytes() == OLD:
            return True
        self.assertFalse(self.part.exists())
        return self.journal.exists()  # else it was killed behind its last step

    def test_a_signal_leaves_what_is_done(self):
        array, said = self.half(ending=signal.SIGTERM)
        self.assertEqual(said, f"xpose: interrupted: {self.target} is unchanged; the same command goes on\n")
        self.assertEqual(self.names(), [self.journal.name, self.part.name, "a.npy", "b.npy"])
        self.check_whole(array.T)

    def test_what_is_recorded_is_not_done_again(self):
        array, _ = self.half()
        finished = self.recorded()["finished"]
        with open(self.part, "r+b") as part:  # within the first tile, behind the header
            part.seek(200)
            part.write(b"seen")
        done = self.resume("-v")
        self.assertIn(f"\nxpose: going on behind tile {finished}\n", done.stderr)
        self.assertEqual(self.target.read_bytes()[200:204], b"seen")

    def test_raw_files(self):
        array = random_array("<u4", (1000, 2000))
        self.source.write_bytes(array.tobytes())
        self.assertEqual(self.resume("--raw", "--shape", "1000x2000", "--dtype", "<u4").returncode, 0)
        self.assertTrue(self.target.read_bytes() == array.T.tobytes())
        self.assertEqual(self.names(), ["a.npy", "b.npy"])

    def test_small_and_empty_arrays(self):
        for shape in ((3, 5), (1, 7), (0, 5)):
            np.save(self.source, random_array("<u4", shape))
            self.check_whole(np.load(self.source).T)

    @unittest.skipUnless(os.geteuid() == 0, "only root can be another user")
    def test_a_folder_that_may_not_be_read(self):
        array = random_array("<u4", (1000, 2000))
        np.save(self.source, array)
        for path in (self.folder, self.source, self.target):
            os.chown(path, 65534, 65534)
        os.chmod(self.folder, 0o300)
        try:
            done = self.resume("--no-cache", user=65534, group=65534)
        except PermissionError:
            self.skipTest("the command lies where no other user may call it")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.check_output(array.T)


if __name__ == "__main__":
    arguments = iter(sys.argv[1:])
    rest = []
    for argument in arguments:
        if argument == "--kills":
            KILLS = int(next(arguments))
        elif argument == "--seed":
            SEED = int(next(arguments))
        else:
            rest.append(argument)
    sys.argv[1:] = rest
    main()
