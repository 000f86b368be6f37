"""`xpose cache`, for scripts that are given PATH_TO_XPOSE PLUGINS ARITHMETIC [unittest arguments].

PLUGINS is the folder of the library's plugins, ARITHMETIC that of a plugin with a numeric strategy.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

XPOSE, PLUGINS, ARITHMETIC = (os.path.abspath(sys.argv.pop(1)) for _ in range(3))


def document(*, problem="host 4 256 256 200 300 300 200", winner="host_blocked", when=97445,
             seconds=0.000125, quarantined="bad_idea"):
    variant = {"strategy": winner, "config": {"tile": 32}}
    return {
        "schema": "xpose.cache/1",
        "decisions": [{
            "key": {"device": "some processor, 2 processors", "driver": "", "abi": "1.0",
                    "plugins": "00112233445566778899aabbccddeeff", "problem": problem,
                    "policy": "measure cold threads=2"},
            "digest": "ffeeddccbbaa99887766554433221100", "winner": variant, "margin": 0.125,
            "roof_seconds": 0.0001, "when": when, "untried": 0, "improvements": 0, "stand_in": "",
            "trials": [{"digest": "ffeeddccbbaa99887766554433221100", "variant": variant,
                        "role": "transpose", "verdict": "ok", "detail": "", "seconds": seconds,
                        "spread": 0.01, "samples": 15, "predicted": 1.25}]}],
        "quarantine": [{"digest": "00112233445566778899aabbccddeeff", "strategy": quarantined,
                        "file": "libbad.so", "verdict": "crashed",
                        "words": "signal 11 (Segmentation fault) \033[31m", "since": 97446}]}


class CacheTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.file = self.folder / "trials.sqlite"

    def run_cache(self, *arguments, file=None, **more):
        return subprocess.run([XPOSE, "cache", *arguments, "--cache", str(file or self.file)],
                              capture_output=True, text=True, **more)

    def cache(self, *arguments, **more):
        result = self.run_cache(*arguments, **more)
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return result.stdout

    def refused(self, code, fragment, *arguments, **more):
        result = self.run_cache(*arguments, **more)
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        self.assertRegex(result.stderr, r"\Axpose: [^\n]+\n\Z")
        self.assertIn(fragment, result.stderr)

    def take(self, *documents):
        for one in documents:
            self.cache("import", "-", input=json.dumps(one))

    def rows(self, *arguments):
        return json.loads(self.cache("show", "--json", *arguments))
