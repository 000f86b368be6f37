"""The report of an explanation: its figures, and the picture of one warp's accesses."""

import json

import page


class Explain(page.Page):
    def setUp(self):
        self.document = json.loads((page.FOLDER / "explain.json").read_text())
        self.open("explain.html")

    def picture(self):
        page.CHROMIUM.settle()
        return self.js("document.querySelector('#warp-figure svg').outerHTML")

    def test_embeds_the_document(self):
        self.assertEqual(self.js("JSON.parse(document.getElementById('data').textContent)"), self.document)
        self.assertEqual(self.js("document.getElementById('limiter').textContent"), self.document["limiter"])

    def test_figures_side_by_side(self):
        rows = self.rows("figures-table")
        simulation, hardware = self.document["simulation"]["totals"], self.document["hardware"]["totals"]
        for key in hardware:
            if key.startswith("ideal_"):
                continue
            self.assertEqual(page.number(rows[key][1]), simulation[key])
            self.assertEqual(page.number(rows[key][3]), hardware[key])
            if hardware[key] == simulation[key]:
                self.assertEqual(rows[key][4], "none")
            else:
                self.assertAlmostEqual(page.number(rows[key][4]), 100 * (hardware[key] / simulation[key] - 1), delta=0.051)
        for key in ("dram_read_bytes", "registers", "instructions"):
            self.assertEqual(page.number(rows[key][3]), self.document["hardware"][key])
        bars = self.bars("wavefronts-figure")
        self.assertEqual(list(bars.values()), [simulation["load_wavefronts"], simulation["store_wavefronts"]])

    def test_slider_changes_the_picture_and_its_words(self):
        self.js("goTo(0); document.getElementById('site').focus()")
        seen, said, valued = set(), set(), set()
        for i in range(4):
            if i:
                page.CHROMIUM.key("ArrowRight", 39)
            seen.add(self.picture())
            said.add(self.js("document.querySelector('#warp-figure svg').getAttribute('aria-label')"))
            valued.add(self.js("document.getElementById('site').getAttribute('aria-valuetext')"))
        self.assertEqual([len(seen), len(said), len(valued)], [4, 4, 4])
        self.js("document.getElementById('previous').click()")
        self.assertIn("3 of 4: shared load, smem.cuh:27", self.js("document.getElementById('site-text').textContent"))

    def test_opens_on_the_access_that_costs_most(self):
        self.assertEqual(self.js("document.getElementById('site-text').textContent"), "3 of 4: shared load, smem.cuh:27")

    def test_row_write_and_column_read(self):
        sentence = "document.getElementById('site-sentence').textContent"
        cells = "[...document.querySelectorAll('#warp-figure [data-word]')].map((c) => Number(c.dataset.word))"
        order = "[...document.querySelectorAll('#warp-table tbody tr')].map((r) => [r.cells[2].textContent, r.cells[5].textContent])"
        self.js("goTo(1)")
        self.assertIn("without a conflict: 1 wavefront, the fewest", self.js(sentence))
        self.assertEqual(self.js(cells), [160 + i for i in range(32)])  # row 5
        self.js("goTo(2)")
        self.assertIn("32 wavefronts where 1 would do, a 32-way conflict", self.js(sentence))
        self.assertEqual(self.js(cells), [5 + 32 * i for i in range(32)])  # column 5
        self.assertEqual(self.js(order), [["5", str(i + 1)] for i in range(32)])
        self.js("goTo(0)")
        self.assertIn("4 sectors in full: 128 of the 128 bytes moved are used", self.js(sentence))
        self.assertEqual(self.js("document.querySelectorAll('#warp-figure [data-sector]').length"), 4)

    def test_pages_rules_are_the_simulators(self):
        """Sites that the fixture has not: wide lanes, shared words, strides, inactive lanes."""
        def count(space, lane_bytes, offsets, lanes=0xffffffff):
            site = json.dumps({"space": space, "kind": "load", "lane_bytes": lane_bytes,
                               "example": {"lanes": lanes, "offset": offsets}})
            return self.js(f"access({site}).steps")
        lanes = range(32)
        self.assertEqual(count("shared", 4, [0 for _ in lanes]), 1)  # broadcast
        self.assertEqual(count("shared", 4, [33 * 4 * i for i in lanes]), 1)  # padded column
        self.assertEqual(count("shared", 4, [8 * i for i in lanes]), 2)
        self.assertEqual(count("shared", 4, [8 * i for i in lanes], 0xffff), 1)
        self.assertEqual(count("shared", 8, [8 * i for i in lanes]), 2)  # half-warps
        self.assertEqual(count("shared", 16, [16 * i for i in lanes]), 4)  # quarter-warps
        self.assertEqual(count("shared", 8, [256 * i for i in lanes]), 32)
        self.assertEqual(count("shared", 1, [i for i in lanes]), 1)
        self.assertEqual(count("global", 4, [4 * i + 4 for i in lanes]), 5)  # not aligned
        self.assertEqual(count("global", 16, [16 * i for i in lanes]), 16)
        self.assertEqual(count("global", 4, [64 * i for i in lanes]), 32)
        self.assertEqual(count("global", 1, [i for i in lanes]), 1)

    def test_lanes_say_what_they_do(self):
        self.js("goTo(2)")
        self.js("document.querySelector('#lanes button').focus()")
        page.CHROMIUM.key("ArrowRight", 39)
        page.CHROMIUM.key("ArrowRight", 39)
        said = self.js("document.getElementById('lane-text').textContent")
        self.assertEqual(said, "lane 2 reads 4 bytes at byte 276 of the tile: bank 5, word 69, wavefront 3 of 32.")
        self.assertEqual(self.js("document.activeElement.getAttribute('aria-label') + '.'"), said)
        self.js("document.querySelector('#warp-figure [data-lanes=\"7\"]').dispatchEvent(new PointerEvent('pointerenter'))")
        self.assertIn("lane 7 reads", self.js("document.getElementById('lane-text').textContent"))

    def test_steps_and_colours(self):
        self.js("goTo(2)")
        whole = self.picture()
        self.js("document.getElementById('step').focus()")
        page.CHROMIUM.key("ArrowRight", 39)
        self.assertEqual(self.js("document.getElementById('step-text').textContent"), "1 of 32")
        self.assertEqual(self.js("document.querySelectorAll('#warp-figure .faded').length"), 31)
        page.CHROMIUM.key("ArrowLeft", 37)
        self.assertEqual(self.picture(), whole)
        self.js("document.querySelector('[name=colour][value=bank]').click()")
        self.assertNotEqual(self.picture(), whole)
        self.js("goTo(0)")
        self.assertTrue(self.js("document.getElementById('colour').hidden"))

    def test_without_hardware_and_without_simulator(self):
        self.open("explain_simulator.html")
        self.assertIn("no CUDA device; run on a machine with one", self.js("document.getElementById('figures-about').textContent"))
        self.open("explain_blind.html")
        self.assertIn("bulk tensor copies", self.js("document.getElementById('warp-body').textContent"))
