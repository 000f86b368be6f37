"""XPOSE_POLICY, and tables of what is fastest: policy_test.py PATH_TO_XPOSE [unittest arguments]."""

import json
import os
import re
import subprocess

from npy_command import IS_SANITIZED, XPOSE, InAListedFolder, main, random_array

import numpy as np

CHOSEN = re.compile(r" with (\S+) in ")


class FirstAnswers(InAListedFolder):
    def setUp(self):
        super().setUp()
        np.save(self.source, random_array("<f4", (200, 300)))
        self.cache = self.folder / "trials.sqlite"
        self.tables = self.folder / "tables"
        self.tables.mkdir()

    def environment(self, **more):
        return dict(os.environ, XPOSE_TABLE_PATH=str(self.tables), **more)

    def start(self, number, *options, **more):
        """A run that writes a file of its own."""
        return subprocess.Popen([XPOSE, "run", "-v", self.source, self.folder / f"out{number}.npy",
                                 "--device", "host", *options], env=self.environment(**more), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def chosen(self, run):
        _, words = run.communicate()
        self.assertEqual(run.returncode, 0, words)
        (variant,) = CHOSEN.findall(words)
        return variant, words

    def tuned(self):
        result = subprocess.run([XPOSE, "run", self.source, self.folder / "tuned.npy", "--tune",
                                 "--budget", "60", "--cache", self.cache], capture_output=True, text=True)
        self.assertEqual(result.returncode, 0, result.stderr)

    def export(self, *options):
        return subprocess.run([XPOSE, "cache", "export", "--table", *options, "--cache", self.cache],
                              capture_output=True, text=True)

    def test_an_imposed_estimate_is_one_variant_in_every_process(self):
        """With more processes than processors, any number of threads, affinity, cache and stated policy."""
        (reference, _) = self.chosen(self.start(0, "--no-cache", XPOSE_POLICY="estimate"))
        self.tuned()
        one_processor = {min(os.sched_getaffinity(0))}
        runs = []
        for number in range(1, 6 if IS_SANITIZED else 21):
            options = ["--threads", str(1 + number % 5), "--cache", self.cache if number % 2 else self.folder / "none"]
            all_processors = os.sched_getaffinity(0)
            if number % 3 == 0:
                os.sched_setaffinity(0, one_processor)
            runs.append(self.start(number, *options, XPOSE_POLICY="estimate"))
            os.sched_setaffinity(0, all_processors)
        self.assertEqual({self.chosen(run)[0] for run in runs}, {reference})

    def test_a_table_names_the_first_choice_and_a_measurement_wins_over_it(self):
        (plain, _) = self.chosen(self.start(0, "--no-cache"))
        self.tuned()
        exported = self.export("--note", "a test", str(self.tables / "host.json"))
        self.assertEqual((exported.returncode, exported.stderr), (0, ""))
        table = json.loads((self.tables / "host.json").read_text())
        self.assertEqual((table["schema"], table["note"], len(table["rows"])), ("xpose.table/1", "a test", 1))
        winner = table["rows"][0]["variants"][0]
        named = self.chosen(self.start(1, "--no-cache"))[0]
        self.assertEqual(named.split("{")[0], winner["strategy"])

        other = {"strategy": "host_naive_col", "config": {}, "plugin": "host_naive", "version": "1.0"}
        table["rows"][0]["variants"] = [other]
        (self.tables / "host.json").write_text(json.dumps(table))
        self.assertNotIn(plain, ("host_naive_col", "host_naive_row"))
        self.assertEqual(self.chosen(self.start(2, "--no-cache"))[0], "host_naive_col")
        self.assertEqual(self.chosen(self.start(3, "--no-cache", XPOSE_POLICY="estimate"))[0], "host_naive_col")
        measured = self.chosen(self.start(4, "--cache", self.cache))[0]
        self.assertEqual(measured.split("{")[0], winner["strategy"])

    def test_a_hostile_table_makes_no_wrong_choice(self):
        (plain, _) = self.chosen(self.start(0, "--no-cache"))
        self.tuned()
        table = json.loads(self.export("-").stdout)
        np.save(self.folder / "right.npy", np.ascontiguousarray(np.load(self.source).T))
        for strategy, plugin in (("copy_memcpy", "host_copy"), ("smem", "cuda_smem"), ("\x1b[31m", "x"),
                                 ("host_openblas", "host_openblas")):
            table["rows"][0]["variants"] = [
                {"strategy": strategy, "config": {"tile": -1}, "plugin": plugin, "version": "1.0"}]
            (self.tables / "host.json").write_text(json.dumps(table))
            (variant, _) = self.chosen(self.start(1, "--no-cache"))
            self.assertEqual(variant, plain)
            self.assertEqual((self.folder / "out1.npy").read_bytes()[128:],
                             (self.folder / "right.npy").read_bytes()[128:])
        for text in ("", "[" * 100_000, '{"schema": "xpose.cache/1"}', "\0\x1b[31m"):
            (self.tables / "host.json").write_text(text)
            (variant, words) = self.chosen(self.start(1, "--no-cache"))
            self.assertEqual(variant, plain)
            self.assertRegex(words, r"(?m)^xpose: warning: the table \S+/host.json is not used: .*expected [^\x1b]+$")

    def test_an_unknown_policy_is_refused_with_a_sentence(self):
        result = subprocess.run([XPOSE, "run", self.source, self.target], env=self.environment(XPOSE_POLICY="fast"),
                                capture_output=True, text=True)
        self.assertEqual((result.returncode != 0, self.target.exists()), (True, False))
        self.assertRegex(result.stderr, r"\Axpose: XPOSE_POLICY is 'fast', which names no policy; [^\n]+\n\Z")

    def test_tune_under_an_imposed_estimate_is_refused(self):
        result = subprocess.run([XPOSE, "run", self.source, self.target, "--tune"],
                                env=self.environment(XPOSE_POLICY="estimate"), capture_output=True, text=True)
        self.assertEqual((result.returncode, self.target.exists()), (2, False))
        self.assertIn("--tune measures, but XPOSE_POLICY forbids it", result.stderr)

    def test_a_table_needs_decisions_and_its_options_a_table(self):
        self.tuned()
        none = self.export("--device", "cuda", str(self.folder / "none.json"))
        self.assertEqual((none.returncode, none.stdout, (self.folder / "none.json").exists()), (1, "", False))
        self.assertIn("no table is written", none.stderr)
        wrong = self.export("--device", "gpu", "-")
        self.assertEqual(wrong.returncode, 2)
        without = subprocess.run([XPOSE, "cache", "export", "-", "--note", "x", "--cache", self.cache],
                                 capture_output=True, text=True)
        self.assertEqual(without.returncode, 2)


if __name__ == "__main__":
    main()
