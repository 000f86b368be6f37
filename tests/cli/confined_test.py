"""The command in control groups and namespaces: confined_test.py PATH_TO_XPOSE HANGS [unittest arguments]."""

import json
import os
import pathlib
import resource
import subprocess
import sys
import tempfile
import time
import unittest

from command_line import XPOSE, main, xpose
from control_group import PROCESSOR_TIME, control_group


def in_namespace(options, *arguments):
    return subprocess.run(["unshare", *options, XPOSE, *arguments], capture_output=True, text=True)


class Confined(unittest.TestCase):
    def unshared(self, *options):
        """Options of unshare, which this system grants."""
        if subprocess.run(["unshare", *options, "true"], capture_output=True).returncode != 0:
            print(f"SKIPPED: no namespace can be made by unshare {' '.join(options)}", file=sys.stderr)
            self.skipTest("no such namespace can be made")
        return options

    def test_few_descriptors_are_named_with_the_remedy(self):
        if "XPOSE_TEST_SANITIZED" in os.environ:
            print("SKIPPED: a sanitizer needs descriptors to look at objects", file=sys.stderr)
            self.skipTest("a sanitizer needs descriptors to look at objects")
        with tempfile.TemporaryDirectory() as folder:
            source = os.path.join(folder, "a")
            pathlib.Path(source).write_bytes(bytes(24))
            ends = []
            for limit in range(6, 25, 2):
                for arguments in (("tune", "--device", "host", "--shape", "9x9", "--budget", "0"),
                                  ("run", "--raw", "--shape", "2x3", "--dtype", "<f4", source, source + ".out")):
                    with self.subTest(limit=limit, command=arguments[0]):
                        done = xpose(*arguments, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit)))
                        ends.append(done.returncode)
                        self.assertIn(done.returncode, (0, 1), done.stderr)
                        if done.returncode:
                            self.assertRegex(done.stderr.splitlines()[-1], "Too many open files.*; raise the limit on open files .`ulimit -n`.")
                        self.assertNotIn("access to it", done.stderr)
                        self.assertNotIn("XPOSE_LOCK_FOLDER", done.stderr)
        self.assertEqual(set(ends), {0, 1})

    def test_a_quota_of_processor_time_counts_as_processors(self):
        def processors(**how):
            return json.loads(xpose("doctor", "--json", "-", **how).stdout)["devices"][0]["multiprocessors"]

        if processors() < 2:
            self.skipTest("there is one processor")
        with control_group(self, PROCESSOR_TIME, 150000) as group:
            self.assertEqual(processors(**group), 1)

    def test_the_proc_of_another_namespace_of_processes(self):
        def seconds(*options):
            begin = time.monotonic()
            result = in_namespace(self.unshared("--user", "--map-root-user", "--pid", "--fork", *options),
                                  "tune", "--device", "host", "--shape", "9x9", "--strategy", "host_naive_row",
                                  "--budget", "0.2", "--no-cache")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertRegex(result.stdout, r"\nhost_naive_row .* ok\n")
            self.assertNotIn("refused", result.stderr)
            return time.monotonic() - begin

        # Another's load may make one run long, and not each of three.
        self.assertTrue(any(seconds() < seconds("--mount-proc") + 4 for _ in range(3)),
                        "it waits for threads that are not there")

    def test_no_proc(self):
        if "XPOSE_TEST_SANITIZED" in os.environ:
            print("SKIPPED: a sanitizer finds the stack in /proc", file=sys.stderr)
            self.skipTest("a sanitizer finds the stack in /proc")
        of_mounts = self.unshared("--mount", "sh", "-c", 'umount -l /proc && exec "$@"', "sh")
        result = in_namespace(of_mounts, "tune", "--device", "host", "--shape", "9x9", "--no-cache")
        self.assertEqual(result.returncode, 4, result.stderr)
        self.assertRegex(result.stderr, r"xpose: refused host_naive\.so: cannot be loaded, because /proc does not show "
                         r"this process; run as root: mount -t proc proc /proc\n")

    def test_a_namespace_without_roots_number(self):
        no_root = ["setpriv", "--reuid", "65533", "--regid", "65533", "--clear-groups"] if os.getuid() == 0 else []
        for mapping in ((), ("--map-root-user",), ("--map-current-user",)):
            command = [*no_root, "unshare", "--user", *mapping, XPOSE, "plugins", "--no-cache"]
            with self.subTest(mapping=mapping):
                result = subprocess.run(command, capture_output=True, text=True)
                if "unshare:" in result.stderr or "setpriv:" in result.stderr:
                    self.skipTest(result.stderr)
                self.assertRegex(result.stdout, r"refused: plugin folder \S+ lies in /, which belongs to a user outside "
                                 r"this user namespace, who cannot be told apart from others; map that user, root "
                                 r"perhaps, into it\n")


if __name__ == "__main__":
    main()
