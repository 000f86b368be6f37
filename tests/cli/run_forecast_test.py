"""`xpose run --plan-only`: run_forecast_test.py PATH_TO_XPOSE [unittest arguments]."""

import json
import os
import resource

from npy_command import InAListedFolder, main, random_array

import numpy as np

MEASURES = "measuring the disks"


class Forecast(InAListedFolder):
    """A run that is told, and not begun."""

    def planned(self, *options, **how):
        done = self.run_xpose("--plan-only", "--json", *options, **how)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout), done.stderr

    def check_pass(self, told, size):
        self.assertEqual(told["bytes"], size)
        self.assertGreaterEqual(told["tiles"], 1)
        for figure in "reading_seconds", "writing_seconds", "permuting_seconds":
            self.assertGreater(told[figure], 0)
        self.assertGreaterEqual(told["seconds"], max(told["reading_seconds"], told["writing_seconds"]))

    def test_a_disk_is_measured_once(self):
        """Both files are as before, and nothing lies beside them; the second forecast remembers the disk."""
        np.save(self.source, random_array("<f4", (3000, 2001)))
        self.target.write_bytes(b"as it was")
        before = self.listing()
        cache = self.folder.parent / (self.folder.name + ".sqlite")
        self.addCleanup(lambda: [path.unlink(missing_ok=True) for path in cache.parent.glob(cache.stem + "*")
                                 if path.is_file()])
        told, words = self.planned("--memory", "4M", "--cache", str(cache))
        self.assertIn(MEASURES, words)
        json.loads(cache.with_suffix(".disks.json").read_text())
        self.assertEqual((told["schema"], told["shape"], told["dtype"]), ("xpose.run_forecast/1", [3000, 2001], "<f4"))
        self.assertEqual(len(told["passes"]), 1)
        self.check_pass(told["passes"][0], 3000 * 2001 * 4)
        self.assertEqual(told["seconds"], told["passes"][0]["seconds"])
        self.assertGreaterEqual(told["passes"][0]["tiles"], 19)

        again, words = self.planned("--memory", "4M", "--cache", str(cache))
        self.assertNotIn(MEASURES, words)
        self.assertEqual((again["curves"], again["copy_seconds"]), (told["curves"], told["copy_seconds"]))

        twice, _ = self.planned("--memory", "4M", "--passes", "2", "--cache", str(cache))
        self.assertEqual((len(twice["passes"]), twice["scratch_bytes"]), (2, 3000 * 2001 * 4))
        for one in twice["passes"]:
            self.check_pass(one, 3000 * 2001 * 4)
        self.assertAlmostEqual(twice["seconds"], sum(one["seconds"] for one in twice["passes"]))

        text = self.run_xpose("--plan-only", "--memory", "4M", "--cache", str(cache))
        self.assertEqual((text.returncode, text.stderr), (0, ""))
        self.assertIn("3000x2001 of <f4, one pass, ", text.stdout)
        self.assertIn("Predicted: ", text.stdout)

        self.assertEqual(self.listing(), before)

    def test_a_small_file_has_no_seconds(self):
        np.save(self.source, random_array("<i2", (7, 30, 41)))
        told, words = self.planned("--axes", "1,0,2", "--no-cache")
        self.assertEqual(words, "")
        self.assertIsNone(told["seconds"])
        self.assertIsNone(told["curves"])
        self.assertEqual(told["passes"][0]["bytes"], 7 * 30 * 41 * 2)
        text = self.run_xpose("--plan-only", "--no-cache")
        self.assertIn("No time is predicted", text.stdout)

    def test_an_empty_array_has_no_pass(self):
        np.save(self.source, np.empty((0, 5)))
        told, _ = self.planned("--no-cache")
        self.assertEqual(told["passes"], [])
        self.assertIn("nothing to move", self.run_xpose("--plan-only", "--no-cache").stdout)

    def test_outputs_that_a_run_refuses(self):
        """In the same words, before a disk is measured."""
        np.save(self.source, np.zeros((3, 5), "f4"))
        missing, limit = self.folder / "missing", (1 << 16, 1 << 16)
        none = missing / "b.npy"
        for words, options, how in (("cannot be written: No such file", (), {"target": none}),
                                    ("is a folder", (), {"target": self.folder}),
                                    ("is not a regular file", (), {"target": "/dev/null"}),
                                    ("File name too long", (), {"target": self.folder / (256 * "n")}),
                                    ("missing is not a folder", ("--passes", "2", "--scratch", str(missing)), {})):
            with self.subTest(words=words):
                ends = [self.run_xpose(*options, *planned, **how) for planned in ((), ("--plan-only",))]
                self.assertEqual([done.returncode for done in ends], [1, 1])
                self.assertIn(words, ends[0].stderr)
                self.assertEqual(ends[0].stderr, ends[1].stderr)
        np.save(self.source, np.zeros((400, 500), "f4"))
        before = self.listing()
        ends = [self.run_xpose(*options, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit))
                for options in ((), ("--plan-only",))]
        self.assertIn("b.npy: cannot reserve its 800128 bytes: File too large", ends[0].stderr)
        self.assertEqual(ends[0].stderr, ends[1].stderr)
        self.assertEqual(self.listing(), before)

    def test_refusals(self):
        np.save(self.source, np.eye(3))
        os.mkfifo(self.folder / "pipe")
        for options, how, words in (((), {"source": "-"}, "- is a pipe"), ((), {"target": "-"}, "- is a pipe"),
                                    ((), {"source": self.folder / "pipe"}, "is a pipe"),
                                    ((), {"source": self.folder / "no.npy"}, "cannot be read"),
                                    (("--resume",), {}, "leave one out"), (("--axes", "0,2,1"), {}, "a.npy: ")):
            with self.subTest(words=words, how=how):
                done = self.run_xpose("--plan-only", *options, stdin=None, **how)
                self.assertIn(done.returncode, (1, 2, 3, 4), done.stderr)
                self.assertIn(words, done.stderr)
        done = self.run_xpose("--json", "x.json")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--json has the figures of --plan-only", done.stderr)
        self.assertFalse(self.target.exists())


if __name__ == "__main__":
    main()
