"""Headless Chromium over its DevTools pipe: pages are loaded, asked and photographed.

The protocol: JSON objects, each ended by a zero byte, on descriptor 3 (to the browser) and 4 (from it).
"""

import base64
import fcntl
import json
import os
import select
import shutil
import struct
import subprocess
import tempfile
import time
import zlib

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


def find():
    """A browser's path, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


class Browser:
    def __init__(self, path):
        self.folder = tempfile.TemporaryDirectory(prefix="xpose-browser-", ignore_cleanup_errors=True)
        theirs_in, self.to = os.pipe()
        self.come, theirs_out = os.pipe()
        # Above 4 first: one of them may be 3 or 4 already.
        high_in, high_out = (fcntl.fcntl(fd, fcntl.F_DUPFD, 5) for fd in (theirs_in, theirs_out))

        def wire():
            os.dup2(high_in, 3)
            os.dup2(high_out, 4)

        self.process = subprocess.Popen(
            [path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--force-color-profile=srgb",
             "--hide-scrollbars", "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}", "about:blank"],
            preexec_fn=wire, close_fds=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        for fd in {theirs_in, theirs_out, high_in, high_out}:
            os.close(fd)
        self.buffer, self.number, self.session = b"", 0, None
        self.events = []
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.come)
        self.folder.cleanup()

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            if not select.select([self.come], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the browser says nothing")
            chunk = os.read(self.come, 1 << 20)
            if not chunk:
                raise RuntimeError(f"the browser ended with {self.process.wait()}")
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + 60
        while True:
            answer = self.receive(deadline)
            if answer.get("id") != self.number:
                self.events.append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']}")
            else:
                return answer["result"]

    def wait_for(self, event):
        deadline = time.monotonic() + 60
        while not any(e.get("method") == event for e in self.events):
            self.events.append(self.receive(deadline))

    def open(self, path, width=1400, height=900, dark=False, features=()):
        """Loads a file; afterwards `requests` and `complaints` say what it asked for and got wrong."""
        self.events = []
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", media="", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}, *features])
        self.ask("Page.navigate", url=f"file://{path}")
        self.wait_for("Page.loadEventFired")
        self.settle()

    def settle(self):
        """Waits for what a change draws: two frames."""
        self.js("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    @property
    def requests(self):
        return [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]

    @property
    def complaints(self):
        wrong = [e["params"]["exceptionDetails"]["exception"].get("description") for e in self.events
                 if e.get("method") == "Runtime.exceptionThrown"]
        wrong += [e["params"]["entry"]["text"] for e in self.events if e.get("method") == "Log.entryAdded"]
        return wrong + [str(e["params"]["args"]) for e in self.events if e.get("method") == "Runtime.consoleAPICalled"]

    def js(self, expression):
        answer = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def key(self, name, code):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=name, code=name, windowsVirtualKeyCode=code)
        self.settle()

    def screenshot(self):
        """The whole page as PNG."""
        box = self.ask("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": box["width"], "height": box["height"], "scale": 1}
        return base64.b64decode(self.ask("Page.captureScreenshot", format="png", clip=clip,
                                         captureBeyondViewport=True)["data"])

    def pdf(self):
        return base64.b64decode(self.ask("Page.printToPDF", printBackground=True)["data"])


def colours(png):
    """How often each colour occurs among the rows of an 8-bit PNG: {pixel bytes: count}, every 16th row."""
    at, width, bits, kind, data = 8, 0, 0, 0, b""
    while at < len(png):
        size, name = struct.unpack(">I4s", png[at:at + 8])
        if name == b"IHDR":
            width, _, bits, kind = struct.unpack(">IIBB", png[at + 8:at + 18])
        elif name == b"IDAT":
            data += png[at + 8:at + 8 + size]
        at += size + 12
    assert bits == 8 and kind in (2, 6), "8-bit RGB or RGBA"
    step = 3 if kind == 2 else 4
    raw, stride = zlib.decompress(data), width * step
    before, count = bytearray(stride), {}
    for row in range(len(raw) // (stride + 1)):
        line = bytearray(raw[row * (stride + 1) + 1:(row + 1) * (stride + 1)])
        unfilter(raw[row * (stride + 1)], line, before, step)
        if row % 16 == 0:
            for x in range(0, stride, 4 * step):
                pixel = bytes(line[x:x + 3])
                count[pixel] = count.get(pixel, 0) + 1
        before = line
    return count


def unfilter(kind, line, before, step):
    for i in range(len(line) if kind else 0):
        left, up, corner = (line[i - step] if i >= step else 0), before[i], (before[i - step] if i >= step else 0)
        if kind == 1:
            add = left
        elif kind == 2:
            add = up
        elif kind == 3:
            add = (left + up) // 2
        else:
            guess = left + up - corner
            add = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
        line[i] = (line[i] + add) & 255
