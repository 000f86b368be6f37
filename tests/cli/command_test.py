"""The command as people type it: command_test.py PATH_TO_XPOSE HANGS [unittest arguments].

Results on stdout, talk on stderr, exit codes as documented, errors of one line that name a remedy.
"""

import json
import os
import pathlib
import platform
import resource
import subprocess
import tempfile
import unittest

from command_line import XPOSE, main, tune, xpose


class Errors(unittest.TestCase):
    def check(self, code, fragment, *arguments):
        result = xpose(*arguments)
        self.assertEqual(result.returncode, code, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertRegex(result.stderr, r"\Axpose: [^\n]+\n\Z")
        self.assertIn(fragment, result.stderr)

    def test_wrong_usage(self):
        self.check(2, "no command 'fly'", "fly")
        self.check(2, "--shape", "tune")
        self.check(2, "--shape 12 is not a shape", "tune", "--shape", "12")
        self.check(2, "--shape -1x3 is not a shape", "tune", "--shape", "-1x3")
        self.check(2, "unrecognised option", "tune", "--shape", "3x3", "--colour")
        self.check(2, "--bytes 300 is not a size: elements have 1 to 256 bytes", "tune", "--device", "host", "--shape", "3x3", "--bytes", "300")
        for ld in ("2", "-2"):
            self.check(2, f"{ld} is shorter", "tune", "--device", "host", "--shape", "3x3", "--in-ld", ld)
        self.check(2, "only a square matrix is transposed in place", "tune", "--in-place", "--shape", "97x96")
        self.check(2, "2^56 bytes", "tune", "--device", "host", "--shape", "9000000000x9000000000")
        self.check(2, "AXIS=VALUE", "tune", "--shape", "3x3", "--strategy", "host_blocked{tile}")
        self.check(2, "auto, host, cuda", "tune", "--shape", "3x3", "--device", "gpu")
        for command in (("tune", "--shape", "3x3"), ("cache", "show"), ("cache", "forget", "--all")):
            self.check(2, "--cache needs the name of a file; see ", *command, "--cache", "")
        self.check(2, "needs", "run", "a.npy")
        for words, options in (("--cache and --no-cache exclude each other", ("--cache", "c", "--no-cache")),
                               ("--passes 1 takes one", ("--passes", "1", "--scratch", "/tmp")),
                               ("--budget is what --tune may spend: give --tune", ("--budget", "3"))):
            self.check(2, words, "run", "a.npy", "b.npy", *options)
        self.check(2, "--cache and --no-cache exclude", "tune", "--shape", "3x3", "--cache", "c", "--no-cache")
        self.check(2, "needs", "check")
        self.check(1, "cuda:99", "tune", "--shape", "3x3", "--device", "cuda:99")

    def test_a_number_is_shown_as_given_with_what_is_allowed(self):
        for option, text, allowed in (
                *(("--bytes", text, "is not a size: elements have 1 to 256 bytes")
                  for text in ("-1", "0", "0x5", "junk", "4294967300", "99999999999999999999")),
                *(("--threads", text, "is not a whole number from 0 to 65536") for text in ("-1", "0x5", "65537", "")),
                *(("--batch", text, "is not a whole number from 0 to 2^63 - 1")
                  for text in ("-1", "0x5", "1e3", "9223372036854775808")),
                *((option, text, "is not a whole number from -(2^63 - 1) to 2^63 - 1")
                  for option in ("--in-ld", "--out-ld")
                  for text in ("0x5", "1e3", "9223372036854775808", "-9223372036854775808")),
                ("--alignment", "-1", "is not a whole number from 1 to 2147483648"),
                ("--alignment", "3", "is not a power of two"),
                *((option, text, "is not a number of seconds from 0 to 10^9")
                  for option in ("--budget", "--stage-seconds") for text in ("-1", "0x5", "nan", "inf", "1e300", "2s"))):
            self.check(2, f"{option} {text} {allowed}", "tune", "--shape", "3x3", option, text)
        for text in ("3x4x", "-1x3", "x".join(65 * "2"), "3", "x", "9223372036854775808x1", "3x3 "):
            self.check(2, f"--shape {text} is not a shape, such as 4096x4096 or 32x16x64: 2 to 64 numbers from 0 to 2^63 - 1",
                       "tune", "--shape", text)
        self.check(2, "--bytes -1 is not a size", "check", "any.so", "--bytes", "-1")
        self.check(2, "--budget -1 is not a number of seconds", "bench", "--budget", "-1")
        self.check(2, "tune does not take '5x5'; usage: xpose tune --shape RxC [options]; see `xpose tune --help`",
                   "tune", "5x5")
        self.check(2, "run needs OUT; usage: xpose run IN OUT [options]", "run", "a.npy")

    def test_axes_that_do_not_fit_are_shown_with_the_place(self):
        shape = ("tune", "--device", "host", "--shape", "32x16x64")
        for words, *options in (
                ("--axes '2,x' is not a list of axes, such as 0,2,1, at character 3", "--axes", "2,x"),
                ("--axes 0,1: the array is 3-D (32x16x64): name each of its axes, 0 to 2, once", "--axes", "0,1"),
                ("--pattern 'a b -> b a': it has 2 axes on the left, but the array is 3-D", "--pattern", "a b -> b a"),
                ("--pattern 'a b c -> c b d': 'a' stands on the left alone", "--pattern", "a b c -> c b d"),
                ("--sizes 'p': 'p' is not NAME=SIZE", "--pattern", "a b (c p) -> a b c p", "--sizes", "p"),
                ("--axes and --pattern state the same", "--axes", "0,2,1", "--pattern", "a b c -> c b a"),
                ("--sizes belongs to --pattern", "--sizes", "p=16"),
                *((f"{option} belongs to a matrix, a --shape of two axes", option, "3")
                  for option in ("--batch", "--in-ld", "--out-ld"))):
            self.check(2, words, *shape, *options)
        self.check(2, "--in-place belongs to a matrix", *shape, "--in-place")
        self.check(2, "--batch belongs to a matrix", "tune", "--shape", "3x3", "--axes", "1,0", "--batch", "2")
        self.check(2, "--bytes 272 is not a size", *shape, "--bytes", "272")

    def test_the_help_names_the_value_of_every_option(self):
        listed = [line.split()[0] for line in xpose("--help").stdout.splitlines() if line.startswith("  ")]
        for command in [[name] for name in listed] + [["manual"]] + [["cache", do] for do in
                                                                      ("show", "forget", "export", "import")]:
            with self.subTest(command=command):
                self.assertNotRegex(xpose(*command, "--help").stdout, r"--[\w-]+ arg\b")

    def test_no_name_of_a_file_reaches_a_terminal_raw(self):
        evil = "\x1b[31m\r\n\x1b]0;title\x07"
        with tempfile.TemporaryDirectory() as folder:
            source, target, cache = (os.path.join(folder, evil + name) for name in ("a", "b", "c.sqlite"))
            pathlib.Path(source).write_bytes(bytes(24))
            printed = [xpose("run", "-v", "--raw", "--shape", "2x3", "--dtype", "<f4", source, target),
                       xpose("cache", "show", "--cache", cache),
                       tune("--shape", "20x30", "--cache", cache, "--json", os.path.join(folder, evil + "j")),
                       xpose("cache", "show", "--cache", cache),
                       xpose("cache", "export", "--cache", cache, target), xpose("cache", "import", "--cache", cache, target),
                       xpose("cache", "forget", "--all", "--cache", cache),
                       xpose("new-plugin", os.path.join(folder, evil, "idea"))]
            for done in printed:
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotRegex(done.stdout + done.stderr, r"[\x00-\x09\x0b-\x1f]", done.args)

    def test_the_script_of_a_clone_knows_the_commands_before_it_builds(self):
        script = pathlib.Path(__file__).parents[2] / "x"
        for command in ("fly", "run.", "tun"):
            told = subprocess.run([script, command], capture_output=True, text=True, timeout=60)
            self.assertEqual((told.returncode, told.stdout), (2, ""))
            self.assertIn(f"there is no command '{command}'", told.stderr)

    def test_a_variant_that_is_not_offered_is_refused_with_what_there_is(self):
        cases = (
            (4, "no loaded plugin offers a strategy 'magic'; `xpose plugins` lists", "magic"),
            (2, "cannot use host_blocked{stream=1}: host_blocked has no axis 'stream'; its axes are: tile\n",
             "host_blocked{stream=1}"),
            (2, "cannot use host_blocked{tile=33}: host_blocked has no tile=33; its values are: 64, 32, 16, 128\n",
             "host_blocked{tile=33}"),
            (2, "host_naive_row has no axis 'tile'; its axes are: none\n", "host_naive_row{tile=32}"),
            (2, "smem has no axis 'foo'; its axes are: block_x, block_y, tile_y\n", "smem{foo=1}"),
            (2, "axis 'tile' is given twice; give it one value\n", "host_blocked{tile=32,tile=64}"),
            (2, "'host_blocked{tile=32' is not a variant: write STRATEGY or STRATEGY{AXIS=VALUE,...}",
             "host_blocked{tile=32"))
        for code, words, variant in cases:
            with self.subTest(variant=variant):
                self.check(code, words, "tune", "--device", "host", "--shape", "64x64",
                           "--strategy", "host_naive_row", "--strategy", variant)
                if not variant.startswith("host_"):
                    self.check(code, words, "explain", variant, "--shape", "64x64")

    def test_an_unknown_strategy_is_no_eligible_strategy_in_every_command(self):
        """Of `run`, whose files need NumPy, run_test.py holds the same."""
        plugin = os.path.join(os.path.dirname(XPOSE), "..", "lib", "xpose", "plugins", "host_naive.so")
        for arguments in (("tune", "--device", "host", "--shape", "64x64", "--strategy", "magic"),
                          ("explain", "magic", "--shape", "64x64"),
                          ("check", plugin, "--strategy", "magic")):
            with self.subTest(arguments=arguments):
                self.check(4, "offers", *arguments)

    def test_an_experiment_is_explained_and_never_tried(self):
        lab = os.path.join(os.path.dirname(XPOSE), "..", "lib", "xpose", "lab")
        self.check(2, "reversal is an experiment, which is never tried; `xpose explain` shows its accesses",
                   "tune", "--shape", "3x3", "--plugins", lab, "--strategy", "reversal")

    def test_an_empty_problem_is_shown_as_given(self):
        for shape in ("0x5", "5x0", "0x0"):
            self.assertEqual(tune("--shape", shape).stdout,
                             f"{shape} of 4 bytes on host\nThe problem is empty: nothing to do.\n")
        self.assertEqual(tune("--shape", "1x1", "--in-place").stdout,
                         "1x1 of 4 bytes, in place on host\nNo element changes its place: nothing to do.\n")

    def test_a_working_folder_that_is_gone(self):
        for arguments in (("tune", "--shape", "3x3", "--plugins", "mine"), ("new-plugin", "mine")):
            with tempfile.TemporaryDirectory() as folder:
                gone = os.path.join(folder, "gone")
                os.mkdir(gone)
                result = subprocess.run(["sh", "-c", 'cd "$0" && rmdir "$0" && exec "$@"', gone, XPOSE, *arguments],
                                        capture_output=True, text=True)
            self.assertEqual((result.returncode, result.stdout), (1, ""), result.stderr)
            self.assertRegex(result.stderr, r"\Axpose: [^\n]+\n\Z")
            self.assertIn(" mine is relative to the working folder, which cannot be found: No such file or directory; "
                          "give an absolute name, or change into a folder that is there", result.stderr)

    def test_empty_names(self):
        self.check(2, "check needs the name of a plugin file", "check", "")
        self.check(2, "new-plugin needs the name of a folder", "new-plugin", "")
        self.check(2, "cache import needs the name of a file; -: the standard input", "cache", "import", "")
        self.check(2, "cache export needs the name of a file; -: the standard output", "cache", "export", "")
        self.check(2, "--only needs a text", "bench", "--only", "")
        self.check(2, "--curves needs a value", "route", "--plan-only", "--shape", "3x3", "--from", "rows:2", "--curves", "")

    def test_a_list_of_tests_takes_no_part_of_one(self):
        for option in ("--problem", "--max-elements", "--max-configs"):
            self.check(2, f"--list checks nothing: leave {option} out", "check", "any.so", "--list", option, "3")

    def test_a_cache_that_cannot_be_looked_for(self):
        name = 300 * "a"
        self.check(1, f"cache {name} cannot be looked for: File name too long", "cache", "export", "out.json", "--cache", name)
        for command in (("cache", "show"), ("cache", "forget", "--all")):
            self.check(1, f"cache {name} cannot be looked for: File name too long; name another file with --cache or in XPOSE_CACHE",
                       *command, "--cache", name)
        result = xpose("doctor", "--cache", name)
        self.assertIn(f"cache {name} cannot be looked for: File name too long", result.stdout)

    def test_a_cache_that_is_no_file(self):
        for name, kind in (("/dev/null", "a device, a pipe or a socket, and no file"), (tempfile.gettempdir(), "a folder")):
            self.check(1, f"cache {name}: it is {kind}; name another file with --cache or in XPOSE_CACHE", "cache", "show", "--cache", name)
            result = xpose("doctor", "--cache", name)
            self.assertIn(f"cache {name}: it is {kind}; name another file with --cache or in XPOSE_CACHE\n", result.stdout)
            self.assertNotIn("starts a new file", result.stdout)
            self.assertFalse(os.path.exists(name + "-lock") and name == "/dev/null")

    def test_a_project_is_written_whole_or_not_at_all(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))  # one file fits
        with tempfile.TemporaryDirectory() as folder:
            for name in ("idea", "empty"):
                project = os.path.join(folder, name)
                if name == "empty":
                    os.mkdir(project)
                done = subprocess.run([XPOSE, "new-plugin", "--c", project], capture_output=True, text=True, preexec_fn=limit)
                self.assertEqual((done.returncode, done.stdout), (1, ""))
                self.assertRegex(done.stderr, rf"\Axpose: {project}/[^\n]*: cannot be written: File too large; raise [^\n]*\n\Z")
                self.assertEqual(os.path.exists(project), name == "empty")
                self.assertEqual(xpose("new-plugin", "--c", project).returncode, 0)

    def test_no_arguments_is_wrong_usage_with_help(self):
        result = xpose()
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("usage:", result.stderr)

    def test_no_eligible_strategy(self):
        result = tune("--shape", "3x3", "--strategy", "smem_pad")
        self.assertIn(result.returncode, (2, 4))  # 2: built without CUDA
        self.assertIn("strategy", result.stderr)

    def test_full_disk_for_results(self):
        with open("/dev/full", "w") as full:
            result = subprocess.run([XPOSE, "plugins"], stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual(result.returncode, 1)
        self.assertIn("could not be written", result.stderr)


class Others(unittest.TestCase):
    def test_help_of_every_command(self):
        self.assertIn("Exit codes", xpose("--help").stdout)
        for command in ("tune", "run", "plugins", "check", "doctor"):
            result = xpose(command, "--help")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            self.assertIn(f"usage: xpose {command}", result.stdout)
            asked = xpose("help", command)
            self.assertEqual((asked.returncode, asked.stdout, asked.stderr), (0, result.stdout, ""))
        self.assertEqual(xpose("help", "cache", "show").stdout, xpose("cache", "show", "--help").stdout)
        self.assertEqual(xpose("help").stdout, xpose("--help").stdout)
        unknown = xpose("help", "tunes")
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("there is no command 'tunes'", unknown.stderr)

    def test_version(self):
        self.assertRegex(xpose("--version").stdout, r"\Axpose \d+\.\d+\.\d+\n")

    def test_tune_in_place(self):
        result = tune("--in-place", "--shape", "97x97", "--in-ld", "100", "--batch", "3", "--json", "-")
        self.assertEqual(result.returncode, 0, result.stderr)
        report = json.loads(result.stdout)
        self.assertTrue(report["problem"]["in_place"])
        self.assertEqual(report["problem"]["out_ld"], 100)
        self.assertEqual(report["winner"].split("{")[0], "host_in_place")
        tried = {trial["strategy"]: trial for trial in report["trials"]}
        self.assertEqual(tried["host_naive_row"]["detail"], "does not work in place")
        self.assertIn("copy_stream" if platform.machine() == "x86_64" else "copy_memcpy", tried)
        self.assertEqual(tune("--shape", "97x97").stdout.count("works in place only"), 1)

    def test_doctor(self):
        result = xpose("doctor")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, r"\nhost: .+ processors, ")
        document = json.loads(xpose("doctor", "--json", "-").stdout)
        self.assertEqual(document["devices"][0]["device"], "host")
        for finding in document["findings"]:
            self.assertTrue(finding["good"] or finding["remedy"])

    def test_doctor_names_the_libraries_that_are_missing_and_their_packages(self):
        packages = {"host_simd": "libhwy-dev", "host_eigen": "libeigen3-dev",
                    "host_openblas": "libopenblas-dev", "cuda_cublas": "libcublas-dev"}

        def findings(**more):
            document = json.loads(xpose("doctor", "--json", **more).stdout)
            found = {name: [finding for finding in document["findings"]
                            if f"the plugin {name}" in finding["what"]] for name in packages}
            self.assertEqual([len(of) for of in found.values()], [1] * len(packages))
            return {name: of[0] for name, of in found.items()}

        plugins = json.loads(xpose("plugins", "--json").stdout)["plugins"]
        built = {os.path.basename(plugin["file"]).removesuffix(".so") for plugin in plugins}
        for name, finding in findings().items():
            self.assertEqual(finding["good"], name in built, name)
        with tempfile.TemporaryDirectory() as folder:
            for name, finding in findings(env=dict(os.environ, XPOSE_PLUGIN_PATH=folder)).items():
                self.assertFalse(finding["good"])
                self.assertIn(", is missing", finding["what"])
                self.assertIn(packages[name], finding["remedy"])
                self.assertEqual("the Python package leaves it out" in finding["remedy"],
                                 name in ("host_openblas", "cuda_cublas"), name)
            text = xpose("doctor", env=dict(os.environ, XPOSE_PLUGIN_PATH=folder)).stdout
            self.assertIn("\nmissing  Highway: the plugin host_simd, the fastest host strategies, is missing\n"
                          "         install libhwy-dev and build xpose again\n", text)


if __name__ == "__main__":
    main()
