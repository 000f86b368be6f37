"""Names that are misspelt: names_test.py PATH_TO_XPOSE HANGS [unittest arguments]."""

import os
import unittest

from command_line import XPOSE, main, xpose

PLUGIN = os.path.join(os.path.dirname(XPOSE), "..", "lib", "xpose", "plugins", "host_naive.so")
TUNE = ("tune", "--device", "host", "--shape", "3x3")


class Slips(unittest.TestCase):
    def check(self, code, words, *arguments):
        result = xpose(*arguments)
        self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
        self.assertRegex(result.stderr, r"\Axpose: [^\n]+\n\Z")
        self.assertIn(words, result.stderr)

    def test_of_a_command(self):
        self.check(2, "there is no command 'tuen'; the nearest name is 'tune'; see `xpose --help`", "tuen")
        self.check(2, "there is no command 'new-plugins'; the nearest name is 'new-plugin'", "new-plugins")
        self.check(2, "there is no command 'fly'; see", "fly")
        self.check(2, "there is no command 'complet'; see", "complet")  # not for people

    def test_of_an_option(self):
        self.check(2, "unrecognised option '--bugdet'; the nearest name is '--budget'; see", *TUNE, "--bugdet", "3")
        self.check(2, "unrecognised option '--colour'; see", *TUNE, "--colour")

    def test_of_a_strategy(self):
        self.check(4, "offers a strategy 'host_bloked'; the nearest name is 'host_blocked'; `xpose plugins` lists",
                   *TUNE, "--strategy", "host_bloked")
        self.check(4, "offers no strategy 'host_naive_rwo'; the nearest name is 'host_naive_row'; it offers",
                   "check", PLUGIN, "--strategy", "host_naive_rwo")


if __name__ == "__main__":
    main()
