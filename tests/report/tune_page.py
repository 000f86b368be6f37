"""The report of a tune shows what its document says, and the command writes it."""

import json
import os
import pathlib
import pty
import signal
import subprocess
import tempfile
import time

import page


class Tune(page.Page):
    def setUp(self):
        self.document = json.loads((page.FOLDER / "tune.json").read_text())
        self.timed = {t["variant"]: t for t in self.document["trials"] if "seconds" in t}
        self.open("tune.html")

    def test_embeds_the_document(self):
        self.assertEqual(self.js("JSON.parse(document.getElementById('data').textContent).tune"), self.document)

    def test_every_bar_has_a_row_and_the_documents_figures(self):
        for every in (False, True):
            if every:
                self.js("document.getElementById('every').click()")
            bars, rows = self.bars("roof-figure"), self.rows("roof-table")
            self.assertEqual(list(bars), list(rows))
            self.assertEqual(len(bars), len(self.timed) - (0 if every else 1))
            for name, value in bars.items():
                trial = self.timed[name]
                self.assertEqual(value, trial["gb_per_s"])
                self.assertAlmostEqual(page.number(rows[name][6]) / trial["gb_per_s"], 1, delta=0.005)
                self.assertAlmostEqual(page.number(rows[name][7]), 100 * trial["share_of_roof"], delta=0.051)
                self.assertAlmostEqual(page.number(rows[name][3]), trial["seconds"] * 1e6, delta=0.051)

    def test_headline_is_the_winners(self):
        headline = self.js("document.querySelector('h1').textContent")
        self.assertTrue(headline.startswith(self.document["winner"] + " won by "), headline)
        self.assertIn("of the roof", headline)

    def test_race_has_each_sample(self):
        rows = self.rows("race-table")
        self.assertIn(self.document["winner"], rows)
        self.assertIn(self.document["roof"], rows)
        for name, cells in rows.items():
            rounds = self.timed[name]["rounds"]
            for i, cell in enumerate(cells[3:]):
                if i >= len(rounds):
                    self.assertEqual(cell, "")
                elif rounds[i] is None:
                    self.assertEqual(cell, "–")
                else:
                    self.assertAlmostEqual(page.number(cell), rounds[i] * 1e6, delta=0.051)
        marks = sum(1 for name in rows for v in self.timed[name]["rounds"] if v is not None)
        self.assertEqual(self.js("document.querySelectorAll('#race-figure [data-series] > g[transform]').length"), marks)
        self.assertEqual(self.js("document.querySelectorAll('#race-figure [data-box]').length"), len(rows))

    def test_sizes_are_the_documents(self):
        rows = self.rows("sizes-table")
        self.assertEqual(list(rows), ["512×512", "1024×1024", "2048×2048", "4096×4096", "8192×8192"])
        heads = self.js("[...document.querySelectorAll('#sizes-table thead th')].map((th) => th.textContent)")
        cells = dict(zip(heads, rows["4096×4096"]))
        self.assertAlmostEqual(page.number(cells[self.document["winner"]]) / self.timed[self.document["winner"]]["gb_per_s"], 1, delta=0.005)

    def test_access_bars_are_the_accounts(self):
        accounts = self.js("data.accounts")
        sectors, wavefronts = self.bars("sectors-figure"), self.bars("wavefronts-figure")
        self.assertEqual(len(sectors), 2 * len(accounts))
        rows = self.rows("access-table")
        for account in accounts:
            name, totals = account["variant"], account["account"]["totals"]
            for kind in ("load", "store"):
                self.assertEqual(sectors[f"{name}/{kind}"], totals[f"{kind}_sectors"])
                self.assertEqual(wavefronts[f"{name}/{kind}"], totals[f"{kind}_wavefronts"])
            self.assertEqual([page.number(cell) for cell in rows[name][1:]],
                             [totals[prefix + key] for key in ("load_sectors", "store_sectors", "load_wavefronts",
                                                               "store_wavefronts") for prefix in ("", "ideal_")])

    def test_what_failed_is_said(self):
        rows = self.rows("verdicts-table")
        self.assertEqual(rows["</script><script>alert(1)</script>"][1:], ["wrong_result", "element 7 of row 3 is <wrong>"])
        self.assertEqual(rows["naive_col"][1], "not tried")

    def test_legend_brings_a_line_forward_by_key(self):
        self.js("document.querySelector('#race-legend button').focus()")
        page.CHROMIUM.key("Enter", 13)
        self.js("document.querySelector('#race-legend button').click()")
        faded = "document.querySelectorAll('#race-figure [data-series].faded').length"
        self.assertGreater(self.js(faded), 2)
        self.assertEqual(self.js("document.querySelectorAll('#race-legend [aria-pressed=true]').length"), 1)

    def test_every_bar_has_its_share_of_the_roof(self):
        for width in (1400, 500):
            self.open("tune.html", width=width)
            texts = self.js("[...document.querySelectorAll('#roof-figure text')].map((t) => t.textContent).join(' ')")
            for name, row in self.rows("roof-table").items():
                self.assertIn(row[7], texts, (name, width))

    def test_no_line_of_a_spread_runs_into_the_figures(self):
        for width in (1400, 500):
            self.open("tune.html", width=width)
            ends = self.js("[...document.querySelectorAll('#roof-figure [data-bar] path')].map((line) => "
                           "line.getBoundingClientRect().right)")
            begins = self.js("[...document.querySelectorAll('#roof-figure text')].filter((t) => "
                             "/^[0-9].*GB.s/.test(t.textContent)).map((t) => t.getBoundingClientRect().left)")
            self.assertGreater(len(begins), 5)
            self.assertLessEqual(max(ends), min(begins), width)

    def test_a_race_of_one_round_is_no_race(self):
        self.open("tune_one_round.html")
        self.assertIn("race of one round", self.js("document.getElementById('headline').textContent"))
        self.assertNotIn("ahead of the runner-up", self.js("document.getElementById('tiles').textContent"))
        self.assertEqual(self.js("document.querySelectorAll('#race svg, #race table').length"), 0)
        self.assertIn("one sample", self.js("document.getElementById('race').textContent"))
        self.assertEqual({row[4] for row in self.rows("roof-table").values()}, {"–"})
        self.assertFalse(self.js("document.getElementById('above').hidden"))
        self.open("tune.html")
        self.assertTrue(self.js("document.getElementById('above').hidden"))

    def test_a_report_without_a_winner(self):
        self.open("tune_bare.html")
        self.assertEqual(self.js("[...document.querySelectorAll('main section')].map((s) => s.className)"), ["hero"])


class Command(page.Page):
    def test_tune_on_the_host_writes_a_page(self):
        with tempfile.TemporaryDirectory() as folder:
            written, document = pathlib.Path(folder, "report.html"), pathlib.Path(folder, "report.json")
            run = subprocess.run([page.XPOSE, "tune", "--device", "host", "--shape", "512x768", "--budget", "0.3",
                                  "--report", written, "--json", document], capture_output=True, text=True)
            self.assertEqual((run.returncode, run.stderr.replace("xpose: warning: another process measures on host; waiting for it\n", "")), (0, ""))
            self.assertEqual({path.name for path in pathlib.Path(folder).iterdir()}, {"report.html", "report.json"})
            self.open(written)
            self.assertEqual(page.CHROMIUM.complaints, [])
            self.assertEqual(self.js("data.tune"), json.loads(document.read_text()))
            sizes = self.js("data.sizes.map((one) => [one.problem.rows, one.problem.cols])")
            self.assertIn([64, 96], sizes)
            self.assertIn([256, 384], sizes)
            self.assertEqual(list(self.bars("roof-figure")), list(self.rows("roof-table")))
            self.assertIn(self.js("data.tune.winner"), run.stdout)

    def stuck(self, written):
        """A tune whose first trial is over, and that goes on for 6 seconds in a plugin that hangs."""
        main, side = pty.openpty()
        process = subprocess.Popen([page.XPOSE, "tune", "--device", "host", "--shape", "512x768", "--plugins", page.HANGS,
                                    "--stage-seconds", "3", "--report", written], stdout=subprocess.DEVNULL, stderr=side)
        os.close(side)
        self.addCleanup(os.close, main)
        talk = b""
        while b"verify " not in talk:
            talk += os.read(main, 4096)
        return process

    def test_interrupted_it_still_writes_what_there_is(self):
        with tempfile.TemporaryDirectory() as folder:
            written = pathlib.Path(folder, "report.html")
            process = self.stuck(written)
            self.assertFalse(written.exists())
            self.assertEqual(list(pathlib.Path(folder).iterdir()), [])  # it has no name until it is complete
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(timeout=120), 130)
            self.assertEqual([path.name for path in pathlib.Path(folder).iterdir()], ["report.html"])
            self.open(written)
            self.assertEqual(page.CHROMIUM.complaints, [])
            self.assertTrue(self.js("data.tune.interrupted"))

    def test_ended_it_leaves_nothing(self):
        for signals in ((signal.SIGTERM,), (signal.SIGINT, signal.SIGINT)):
            with tempfile.TemporaryDirectory() as folder:
                process = self.stuck(pathlib.Path(folder, "report.html"))
                for one in signals:
                    process.send_signal(one)
                    time.sleep(0.02)
                self.assertIn(process.wait(timeout=120), (128 + signals[-1], -signals[-1]))
                left = {path.name for path in pathlib.Path(folder).iterdir()}
                self.assertEqual(left - {"report.html"}, set())  # which a second signal may come too late for
