"""`xpose plugins` and `xpose check` as people type them: plugins_test.py PATH_TO_XPOSE HANGS [unittest arguments]."""

import json
import os
import pathlib
import platform
import pty
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

from command_line import HANGS, HOST, XPOSE, main, tune, xpose
from terminal import read_to_end


class Plugins(unittest.TestCase):
    def test_plugins(self):
        table = xpose("plugins").stdout
        document = json.loads(xpose("plugins", "--json").stdout)
        names = [s["name"] for p in document["plugins"] for s in p["strategies"]]
        self.assertEqual(len(names), len(set(names)))
        for name in HOST:
            self.assertIn(name, names)
            self.assertIn(f"\n{name} ", table)

    def test_plugins_json_has_digests_and_all_that_a_card_says(self):
        plugins = json.loads(xpose("plugins", "--json").stdout)["plugins"]
        digests = [plugin["digest"] for plugin in plugins]
        self.assertEqual(len(digests), len(set(digests)))
        for digest in digests:
            self.assertRegex(digest, r"\A[0-9a-f]{32}\Z")
        strategies = {s["name"]: s for plugin in plugins for s in plugin["strategies"]}
        self.assertTrue(strategies["host_in_place"]["in_place"])
        self.assertFalse(strategies["host_naive_row"]["in_place"])
        self.assertEqual(set(strategies["host_naive_row"]),
                         {"name", "summary", "device", "role", "element_sizes", "min_alignment", "max_batch_rank",
                          "max_extent", "in_place", "capturable", "permutes", "has_simulator", "min_compute_capability",
                          "prior_rank", "axes"})
        refused = json.loads(xpose("plugins", "--plugins", "/nonexistent/folder", "--json").stdout)["plugins"][-1]
        self.assertIsNone(refused["digest"])
        self.assertIn("cannot be read", refused["refused"])

    def test_a_plugins_folder_without_a_plugin_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            meant = pathlib.Path(folder, "build", "lib", "xpose", "plugins")
            meant.mkdir(parents=True)
            said = (f"refused plugin folder {folder}/build has no plugin: its only entry does not end in .so; "
                    f"name the folder that the build of a plugin writes to: {meant}\n")
            listed = xpose("plugins", "--plugins", folder + "/build")
            self.assertEqual(listed.returncode, 0)
            self.assertIn(said.replace("refused ", "refused: "), listed.stdout)
            self.assertIn("xpose: " + said, tune("--shape", "20x30", "--plugins", folder + "/build").stderr)

    def test_where_no_plugin_is_loaded_the_reason_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            np_file = pathlib.Path(folder, "a.npy")
            header = "{'descr': '<f4', 'fortran_order': False, 'shape': (20, 30), }".ljust(117) + "\n"
            np_file.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(2400))
            environment = {**os.environ, "XPOSE_PLUGIN_PATH": "/nonexistent/folder"}
            run = subprocess.run([XPOSE, "run", np_file, folder + "/b.npy"], env=environment, capture_output=True,
                                 text=True)
            reason = "refused plugin folder /nonexistent/folder cannot be read: No such file or directory\n"
            self.assertEqual(run.returncode, 4)
            self.assertEqual(run.stderr, "xpose: no plugin is loaded, so none offers a strategy for 20x30 of 4 bytes on "
                                         "host; " + reason)
            tuned = subprocess.run([XPOSE, "tune", "--device", "host", "--shape", "20x30"], env=environment, capture_output=True, text=True)
            self.assertEqual(tuned.returncode, 4)
            self.assertIn("There was no strategy to try; nothing was chosen.", tuned.stdout)
            self.assertEqual(tuned.stderr, "xpose: " + reason + "xpose: no plugin is loaded, so none offers a strategy for "
                                                                "20x30 of 4 bytes on host\n")

    def test_a_plugin_for_another_machine_is_said(self):
        built = json.loads(xpose("plugins", "--json").stdout)["plugins"][0]["file"]
        content = bytearray(pathlib.Path(built).read_bytes())
        machine, name = (62, "x86-64") if platform.machine() == "aarch64" else (183, "aarch64")
        content[18:20] = struct.pack("=H", machine)  # e_machine
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "other.so")
            file.write_bytes(content)
            said = fr"other\.so: was built for {name}, this machine is [^;\n]+; build it here\n"
            self.assertRegex(xpose("plugins", "--plugins", folder).stdout, r"\nrefused: " + said)
            checked = xpose("check", str(file))
            self.assertEqual(checked.returncode, 1)
            self.assertRegex(checked.stderr, r"\Axpose: refused " + said + r"\Z")
            refused = json.loads(xpose("plugins", "--plugins", folder, "--json").stdout)["plugins"][-1]
            self.assertRegex(refused["refused"] + "\n", said)

    def test_refused_plugins_are_said_and_the_rest_goes_on(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "fake.so").write_text("not a library")
            listed = xpose("plugins", "--plugins", folder)
            self.assertEqual(listed.returncode, 0)
            self.assertRegex(listed.stdout, r"\nrefused: fake\.so: is no shared library: it has no ELF header[^\n]+\n")
            tuned = tune("--shape", "20x30", "--plugins", folder)
            self.assertEqual(tuned.returncode, 0)
            self.assertRegex(tuned.stderr, r"\Axpose: refused fake\.so: [^\n]+\n\Z")
        missing = xpose("plugins", "--plugins", "/nonexistent/folder")
        self.assertIn("/nonexistent/folder cannot be read", missing.stdout)

    def test_plugin_path_from_the_environment(self):
        with tempfile.TemporaryDirectory() as folder:
            result = xpose("plugins", "--json", env=dict(os.environ, XPOSE_PLUGIN_PATH=folder))
            plugins = json.loads(result.stdout)["plugins"]
            self.assertEqual([plugin["strategies"] for plugin in plugins], [[]])
            self.assertIn("is empty; name the folder", plugins[0]["refused"])
            result = xpose("tune", "--device", "host", "--shape", "3x3",
                           env=dict(os.environ, XPOSE_PLUGIN_PATH=folder))
            self.assertEqual(result.returncode, 4)

    def test_check_says_what_happens_at_exit(self):
        zoo = pathlib.Path(HANGS).parent
        result = xpose("check", str(zoo / "fail_at_exit" / "fail_at_exit.so"), "--bytes", "4", "--max-elements", "100")
        self.assertEqual((result.returncode, result.stderr), (3, ""))
        self.assertRegex(result.stdout, r"\AFAILED fail_at_exit at exit: exited: [^\n]*exit status 3; [^\n]*\n")
        self.assertRegex(result.stdout, r"[1-9][0-9]* right, 0 declined, 1 failed\n")

    def test_the_command_that_shows_a_failure_is_not_broken_inside_quotes(self):
        with tempfile.TemporaryDirectory(suffix=" of two words, that a narrow terminal would part") as folder:
            plugin = os.path.join(folder, "do_nothing.so")
            shutil.copy(pathlib.Path(HANGS).parent / "do_nothing" / "do_nothing.so", plugin)
            main, side = pty.openpty()
            process = subprocess.Popen([XPOSE, "check", plugin, "--bytes", "4", "--problem", "3"], stdout=side,
                                       stderr=side, env=dict(os.environ, COLUMNS="60"))
            os.close(side)
            shown = read_to_end(main)
            os.close(main)
            self.assertEqual(process.wait(), 3)
            self.assertIn(f"\r\n  to reproduce: gdb --args xpose check '{plugin}' --strategy do_nothing --bytes 4 "
                          "--problem 3 --in-process\r\n", shown.decode())

    def test_check_lists_and_checks(self):
        document = json.loads(xpose("plugins", "--json").stdout)
        file = next(p["file"] for p in document["plugins"] if p["name"] == "host_naive")
        listed = xpose("check", file, "--list").stdout.split("\n")
        self.assertIn("host_naive_row 4 host", listed)
        result = xpose("check", file, "--strategy", "host_naive_row", "--bytes", "2")
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertRegex(result.stdout, r"^host_naive_row, elements of 2 bytes: \d+ right, \d+ declined, 0 failed\n"
                         r"  of \d\d\d problems and \d+ configs\n")
        part = xpose("check", file, "--strategy", "host_naive_row", "--bytes", "2", "--max-elements", "10")
        self.assertEqual(part.returncode, 0)
        count = lambda text: int(text.split(": ")[1].split(" ")[0])
        self.assertLess(0, count(part.stdout))
        self.assertLess(count(part.stdout), count(result.stdout))
        turns = xpose("check", file, "--bytes", "2", "--max-elements", "10", "--max-configs", "1")
        self.assertEqual(turns.returncode, 0)
        self.assertEqual(turns.stdout.split("\n")[0], part.stdout.split("\n")[0])
        for words, options in (("strategy 'other'", ("--strategy", "other")), ("CUDA strategy", ("--simulator",)),
                               ("strategy for elements of 48 bytes", ("--bytes", "48")),
                               ("strategy 'other' for elements of 4 bytes", ("--strategy", "other", "--bytes", "4"))):
            none = xpose("check", file, *options)
            self.assertEqual((none.returncode, none.stdout), (4, ""))
            self.assertIn(f"xpose: host_naive.so offers no {words}; it offers host_naive_row, host_naive_col\n", none.stderr)
        self.assertEqual(xpose("check", "/nonexistent.so").returncode, 1)

    def test_each_problem_meets_as_many_configs_as_are_asked_for(self):
        document = json.loads(xpose("plugins", "--json").stdout)
        file = next(p["file"] for p in document["plugins"] if p["name"] == "host_blocked")
        right = []
        for configs in ("0", "1", "2"):
            result = xpose("check", file, "--strategy", "host_blocked", "--bytes", "2", "--max-elements", "400",
                           "--max-configs", configs)
            self.assertEqual(result.returncode, 0, result.stdout)
            found = re.match(r"host_blocked, elements of 2 bytes: (\d+) right, .*\n  of (\d+) problems", result.stdout)
            right.append(int(found[1]) / int(found[2]))
        self.assertEqual(right, [4, 1, 2])

    def test_the_environment_bounds_what_the_listed_tests_check(self):
        document = json.loads(xpose("plugins", "--json").stdout)
        file = next(p["file"] for p in document["plugins"] if p["name"] == "host_naive")
        listing = pathlib.Path(__file__).resolve().parents[2] / "core/cmake/list_conformance.cmake"
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "CTestTestfile.cmake").write_text(
                f"set(XPOSE_COMMAND [==[{XPOSE}]==])\nset(PLUGIN [==[{file}]==])\ninclude([==[{listing}]==])\n")
            for bounds, options in (({}, []), ({"XPOSE_CHECK_ELEMENTS": "70", "XPOSE_CHECK_CONFIGS": "3"},
                                               ["--max-elements", "70", "--max-configs", "3"])):
                whole = {name: value for name, value in os.environ.items() if not name.startswith("XPOSE_CHECK_")}
                listed = subprocess.run(["ctest", "--show-only=json-v1"], cwd=folder, env={**whole, **bounds},
                                        capture_output=True, check=True).stdout
                commands = {test["name"]: test["command"] for test in json.loads(listed)["tests"]}
                self.assertEqual(commands["conformance.host_naive_row.4"],
                                 [XPOSE, "check", file, "--strategy", "host_naive_row", "--bytes", "4", *options])


if __name__ == "__main__":
    main()
