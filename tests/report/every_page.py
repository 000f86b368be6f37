"""What holds for both reports: no network, no overflow, themes, contrast, names, print."""

import os
import pathlib

import browser
import page

PAGES = ("tune.html", "explain.html")


class Every(page.Page):
    """What holds for both pages."""

    def test_asks_for_nothing_and_complains_of_nothing(self):
        for name in (*PAGES, "tune_bare.html", "explain_simulator.html", "explain_blind.html"):
            self.open(name)
            self.assertEqual([url for url in page.CHROMIUM.requests if not url.startswith("file://")], [], name)
            self.assertEqual(len(page.CHROMIUM.requests), 1, name)
            self.assertEqual(page.CHROMIUM.complaints, [], name)
            self.assertFalse(self.js("fetch('data:text/plain,x').then(() => true, () => false)"), name)

    def test_fits_in_the_window(self):
        for name in PAGES:
            for width in (1400, 760, 500, 360):
                self.open(name, width=width)
                self.assertLessEqual(self.js("document.documentElement.scrollWidth"), width, (name, width))
                outside = self.js(f"[...document.querySelectorAll('svg text')].filter((t) => {{ const box = "
                                  f"t.getBoundingClientRect(); return box.right > {width} + 1 || box.left < -1; }})"
                                  ".map((t) => t.textContent)")
                self.assertEqual(outside, [], (name, width))

    def test_no_two_labels_of_a_picture_overlap(self):
        script = """[...document.querySelectorAll('.figure > svg')].flatMap((svg) => {
          const boxes = [...svg.querySelectorAll('text')].filter((t) => t.textContent.trim())
            .map((t) => [t.textContent, t.getBoundingClientRect()]);
          return boxes.flatMap(([a, p], i) => boxes.slice(0, i).filter(([b, q]) =>
            Math.min(p.right, q.right) - Math.max(p.left, q.left) > 1 &&
            Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top) > 2).map(([b]) => a + ' / ' + b)); })"""
        for name in (*PAGES, "tune_one_round.html"):
            for width in (1400, 760, 500, 360):
                self.open(name, width=width)
                self.js("document.querySelectorAll('#every').forEach((box) => box.click())")
                self.assertEqual(self.js(script), [], (name, width))

    def test_no_column_of_a_table_is_cut(self):
        script = """new Promise((done) => {
          for (const one of document.querySelectorAll('details')) one.open = true;
          setTimeout(() => done([...document.querySelectorAll('.scroll')].filter((one) =>
            one.scrollWidth > one.clientWidth || [...one.querySelectorAll('td')].some((cell) =>
              cell.getBoundingClientRect().right > one.getBoundingClientRect().right + 1))
            .map((one) => one.id)), 200); })"""
        for name in (*PAGES, "tune_one_round.html"):
            for width in (1400, 760, 500, 360):
                self.open(name, width=width)
                self.assertEqual(self.js(script), [], (name, width))

    def test_is_not_blank_and_dark_is_dark(self):
        for name in PAGES:
            for width in (1400, 500):
                light, dark = {}, {}
                for is_dark, count in ((False, light), (True, dark)):
                    self.open(name, width=width, dark=is_dark)
                    png = page.CHROMIUM.screenshot()
                    if "XPOSE_SHOTS" in os.environ:
                        kind = f"{name[:-5]}-{width}-{'dark' if is_dark else 'light'}.png"
                        pathlib.Path(os.environ["XPOSE_SHOTS"], kind).write_bytes(png)
                    count.update(browser.colours(png))
                    self.assertGreater(len(count), 30, (name, width))
                bright = lambda count: sum(sum(pixel) * n for pixel, n in count.items()) / sum(count.values()) / 765
                self.assertGreater(bright(light), 0.8)
                self.assertLess(bright(dark), 0.3)

    def test_theme_button(self):
        for name in PAGES:
            self.open(name)
            back = "getComputedStyle(document.body).backgroundColor"
            light = self.js(back)
            self.assertEqual(self.js("document.getElementById('theme').getAttribute('aria-label')"), "Use the dark theme")
            self.js("document.getElementById('theme').click()")
            self.assertNotEqual(self.js(back), light)
            self.open(name, dark=True)
            self.js("document.getElementById('theme').click()")
            self.assertEqual(self.js(back), light)

    def test_text_stands_out(self):
        """WCAG AA: 4.5 to 1 for what a style sets against the nearest background."""
        script = """(() => {
          const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
          const rgb = (colour) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
            return [...canvas.getImageData(0, 0, 1, 1).data]; };
          const light = (colour) => rgb(colour).slice(0, 3).map((v) => v / 255)
            .map((v) => v <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4)
            .reduce((sum, v, i) => sum + v * [.2126, .7152, .0722][i], 0);
          const behind = (node) => { for (; node; node = node.parentElement) {
            const colour = getComputedStyle(node).backgroundColor; if (rgb(colour)[3] === 255) return colour; } };
          const low = [];
          for (const node of document.querySelectorAll('p, h1, h2, h3, dt, dd, th, td, summary, button, label, a, caption, output, legend, svg text')) {
            if (!node.textContent.trim() || node.closest('.skip, .dim, .faded, [hidden]')) continue;
            const style = getComputedStyle(node);
            let back = behind(node);
            if (node.closest('[data-lanes]')) back = getComputedStyle(node.closest('[data-lanes]').querySelector('rect')).fill;
            const [a, b] = [light(node.closest('svg') ? style.fill : style.color), light(back)].sort((x, y) => y - x);
            if ((a + .05) / (b + .05) < 4.5) low.push([node.textContent.slice(0, 40), ((a + .05) / (b + .05)).toFixed(2)]);
          }
          return low; })()"""
        for name in PAGES:
            for dark in (False, True):
                self.open(name, dark=dark)
                self.assertEqual(self.js(script), [], (name, dark))

    def test_landmarks_and_names(self):
        for name in PAGES:
            self.open(name)
            for selector in ("html[lang=en]", "main", "header", "nav[aria-label]", "footer", "h1", "a.skip[href='#main']"):
                self.assertEqual(self.js(f"document.querySelectorAll(\"{selector}\").length"), 1, selector)
            nameless = self.js(
                "[...document.querySelectorAll('button, input, summary, .figure > svg, .scroll, section')].filter((node) => "
                "!node.textContent.trim() && !node.getAttribute('aria-label') && !node.getAttribute('aria-labelledby') "
                "&& !(node.labels && node.labels.length)).map((node) => node.outerHTML.slice(0, 80))")
            self.assertEqual(nameless, [], name)
            unlabelled = "[...document.querySelectorAll('.figure > svg')].filter((s) => s.getAttribute('role') !== 'img' || s.getAttribute('aria-label').length < 20).length"
            self.assertEqual(self.js(unlabelled), 0)
            # Every picture has a table in its section.
            self.assertEqual(self.js("[...document.querySelectorAll('.figure > svg')].filter((s) => "
                                     "!s.closest('section').querySelector('table tbody tr')).length"), 0)
            self.assertEqual(self.js("[...document.querySelectorAll('[id]')].length - new Set([...document.querySelectorAll('[id]')].map((n) => n.id)).size"), 0)

    def test_prints_with_open_tables_on_white(self):
        for name in PAGES:
            self.open(name, dark=True)
            self.js("dispatchEvent(new Event('beforeprint'))")
            self.assertEqual(self.js("document.querySelectorAll('details:not([open])').length"), 0)
            self.js("dispatchEvent(new Event('afterprint'))")
            self.assertEqual(self.js("document.querySelectorAll('details[open]').length"), 0)
            page.CHROMIUM.ask("Emulation.setEmulatedMedia", media="print")
            self.assertEqual(self.js("getComputedStyle(document.documentElement).colorScheme"), "light")
            self.assertEqual(self.js("getComputedStyle(document.getElementById('theme')).display"), "none")
            self.assertGreater(len(page.CHROMIUM.pdf()), 20000)

    def test_reduced_motion(self):
        for name in PAGES:
            self.open(name, features=[{"name": "prefers-reduced-motion", "value": "reduce"}])
            self.assertEqual(self.js("getComputedStyle(document.querySelector('svg .mark')).transitionDuration"), "0s")
            self.assertEqual(self.js("getComputedStyle(document.documentElement).scrollBehavior"), "auto")
