"""The strategy of `xpose run`: run_choice_test.py PATH_TO_XPOSE [unittest arguments]."""

import contextlib
import json
import re
import sqlite3
import subprocess

from npy_command import DEVICE, WAITING, XPOSE, InAListedFolder, main, random_array

import numpy as np


class Chooses(InAListedFolder):
    def remembered(self, cache):
        shown = subprocess.check_output([XPOSE, "cache", "show", "--cache", str(cache), "--json", "-"])
        return json.loads(shown)["decisions"]

    # The budget is long because others may measure on the device, and the choice waits for them.
    def test_run_estimates_and_tune_measures(self):
        np.save(self.source, random_array("<f4", (200, 300)))
        cache = self.folder / "trials.sqlite"
        self.assertEqual(self.run_xpose("--cache", str(cache)).returncode, 0)
        self.assertEqual(self.remembered(cache), [])
        self.assertEqual(self.run_xpose("--tune", "--budget", "60", "--cache", str(cache)).returncode, 0)
        self.assertEqual(len(self.remembered(cache)), 1)

    def test_tune_measures_the_largest_tile(self):
        """Of two blocks of columns that begin with pages, neither of which is as wide as planned first."""
        np.save(self.source, np.zeros((2048, 3072), "<f4"))
        cache = self.folder / "trials.sqlite"
        done = self.run_xpose("--tune", "--budget", "60", "-v", "--cache", str(cache))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.remembered(cache)), 1, done.stderr)
        self.assertNotIn("plain copy", done.stderr)

    def test_a_strategy_is_looked_for_where_a_copy_does(self):
        np.save(self.source, random_array("<f4", (1, 5)))
        done = self.run_xpose("--strategy", "nonsense")
        self.assertEqual(done.returncode, 4)
        self.assertIn("nonsense", done.stderr)

    def test_a_mere_copy_is_refused(self):
        np.save(self.source, random_array("<f4", (20, 30)))
        for more in ((), ("--tune",)):
            done = self.run_xpose("--strategy", "copy_memcpy", *more)
            self.assertEqual((done.returncode, self.target.exists()), (4, False))
            self.assertEqual(done.stderr, "xpose: copy_memcpy is a copy, and a copy transposes nothing; "
                             "`xpose plugins` lists the strategies\n")

    def test_a_choice_that_was_measured_is_used(self):
        np.save(self.source, random_array("<f4", (200, 300)))
        cache = self.folder / "trials.sqlite"
        measured = self.run_xpose("--tune", "--budget", "60", "-v", "--cache", str(cache))
        again = self.run_xpose("-v", "--cache", str(cache))
        name = re.compile(r" with (\S+) in ")
        self.assertEqual(name.findall(measured.stderr), name.findall(again.stderr))
        self.assertEqual(len(self.remembered(cache)), 1)

    def name_winner(self, cache, strategy):
        """Lets this strategy be the winner of the newest decision."""
        plugins = json.loads(subprocess.check_output([XPOSE, "plugins", "--json"]))["plugins"]
        (digest, axes), = [(p["digest"], s["axes"]) for p in plugins for s in p["strategies"] if s["name"] == strategy]
        config = ",".join(f"{axis}={values[0]}" for axis, values in axes.items())
        with contextlib.closing(sqlite3.connect(cache)) as database, database:
            changed = database.execute("UPDATE decision SET strategy = ?, config = ?, digest = ? "
                                       "WHERE id = (SELECT max(id) FROM decision)",
                                       (strategy, config, digest)).rowcount
        self.assertEqual(changed, 1)

    def test_a_choice_that_was_measured_for_the_whole_is_used_for_its_tiles(self):
        """Tiles keep a choice of their own. Any strategy may win on a busy machine: the winners are named here."""
        whole, own = ("host_naive_row", "host_naive_col") if DEVICE == "host" else ("naive_row", "naive_col")
        array = random_array("<f4", (701, 903))
        np.save(self.source, array)
        cache = self.folder / "trials.sqlite"
        subprocess.run([XPOSE, "tune", "--device", DEVICE, "--shape", "701x903", "--bytes", "4", "--budget", "60",
                        "--cache", str(cache)], check=True, capture_output=True)
        self.name_winner(cache, whole)
        self.assertEqual(len(self.remembered(cache)), 1)

        tiles = self.run_xpose("-v", "--memory", "1M", "--cache", str(cache))
        self.assertRegex(tiles.stderr, r" (\d\d+) tiles of 701x\d+\n")
        self.assertRegex(tiles.stderr, f" with {whole}({{.*}})? in ")
        self.assertEqual(np.load(self.target).tobytes(), array.T.tobytes())
        self.assertEqual(len(self.remembered(cache)), 1)

        tuned = self.run_xpose("-v", "--memory", "1M", "--tune", "--budget", "60", "--cache", str(cache))
        self.assertEqual(tuned.returncode, 0, tuned.stderr)
        self.assertEqual(len(self.remembered(cache)), 2)
        self.name_winner(cache, own)
        again = self.run_xpose("-v", "--memory", "1M", "--cache", str(cache))
        self.assertRegex(again.stderr, f" with {own}({{.*}})? in ")

    def test_plugins_that_are_refused_are_named(self):
        np.save(self.source, random_array("<f4", (200, 300)))
        more = self.folder / "more"
        more.mkdir(mode=0o700)
        (more / "broken.so").write_bytes(b"no plugin")
        done = self.run_xpose("--plugins", str(more))
        self.assertEqual(done.returncode, 0)
        self.assertRegex(WAITING.sub("", done.stderr), r"\Axpose: warning: refused broken\.so: [^\n]+\n\Z")
        self.assertEqual(self.run_xpose().stderr, "")

    def test_auto_is_the_host(self):
        np.save(self.source, random_array("<f4", (200, 300)))
        for device in ((), ("--device", "auto")):
            done = subprocess.run([XPOSE, "run", str(self.source), str(self.target), "-v", *device],
                                  capture_output=True, text=True, check=True)
            self.assertRegex(done.stderr, r" with host_\S+ in ")

    def test_tune_measures_the_variants_that_are_named(self):
        array = random_array("<f4", (200, 300))
        np.save(self.source, array)
        cache = self.folder / "trials.sqlite"
        device = "" if DEVICE == "cuda" else "host_"
        named = ("--strategy", device + "naive_row", "--strategy", device + "naive_col")
        done = self.run_xpose("--tune", "--budget", "60", "-v", "--cache", str(cache), *named)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, rf" with {device}naive_(row|col)[ {{]")
        self.assertEqual(np.load(self.target).tobytes(), array.T.tobytes())
        self.assertEqual(len(self.remembered(cache)), 0)

    def test_a_variant_is_used_with_its_values(self):
        np.save(self.source, random_array("<f4", (200, 300)))
        on_host = ("host_blocked{tile=16}", "host_blocked{tile=128}")
        for variant in on_host if DEVICE == "host" else ("smem{block_x=32,block_y=16,tile_y=16}",):
            done = self.run_xpose("-v", "--strategy", variant)
            self.assertIn(f" with {variant} in ", done.stderr)


if __name__ == "__main__":
    main()
