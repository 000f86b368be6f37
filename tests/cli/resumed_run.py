"""Runs of `xpose run --resume` that were ended, for scripts that are given PATH_TO_XPOSE [unittest arguments]."""

import json
import os
import signal
import subprocess
import time

from npy_command import WAITING, InAFolder, command, random_array

import numpy as np

OLD = b"what was there"


class Resumed(InAFolder):
    def setUp(self):
        super().setUp()
        self.part = self.folder / ".b.npy.xpose-part"
        self.journal = self.folder / ".b.npy.xpose-journal"
        self.scratch = self.folder / ".b.npy.xpose-scratch"
        self.target.write_bytes(OLD)

    def names(self):
        return sorted(os.listdir(self.folder))

    def recorded(self):
        """The journal, or nothing. It is replaced as a whole."""
        try:
            return json.loads(self.journal.read_text())
        except FileNotFoundError:
            return None

    def resume(self, *options, memory="1M", **how):
        done = self.run_xpose("--resume", "--memory", memory, *options, **how)
        done.stderr = WAITING.sub("", done.stderr)
        return done

    def check_whole(self, expected, *options):
        done = self.resume(*options)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.check_output(expected)

    def check_output(self, expected):
        self.assertTrue(np.load(self.target).tobytes() == expected.tobytes(), "wrong elements")
        self.assertEqual(self.names(), ["a.npy", "b.npy"])

    def half(self, *options, shape=(1000, 4000), ending=signal.SIGKILL):
        """A run that was ended between two records. Returns its array and last words."""
        array = random_array("<u4", shape)
        np.save(self.source, array)
        self.target.write_bytes(OLD)
        for _ in range(100):
            process = subprocess.Popen(command(self.source, self.target, "--resume", "--memory", "1M", *options),
                                       stderr=subprocess.PIPE, text=True)
            while process.poll() is None and not (self.recorded() or {"finished": 0})["finished"]:
                time.sleep(0.001)
            process.send_signal(ending)
            said = process.communicate()[1]
            if (self.recorded() or {"finished": 0})["finished"]:
                self.assertEqual(self.target.read_bytes(), OLD)
                return array, said
            self.target.write_bytes(OLD)  # it was faster than the signal
        self.fail("no run could be ended before its end")
