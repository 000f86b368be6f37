"""Routes between hosts, which network namespaces stand for: exact results over a slow wire, a host whose cable is cut,
and nothing that outlives the test.

hosts_test.py MPIEXEC PROGRAM
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import hosts

LAUNCHER, PROGRAM = sys.argv[1:3]
del sys.argv[1:3]

os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # MPI itself leaks


def command(count, ranks, *arguments):
    return [sys.executable, "-B", hosts.__file__, str(count), str(ranks), "1gbit", LAUNCHER, *arguments]


def arguments_of_all():
    """Of every process of this system but this one."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                arguments = file.read().decode(errors="replace").split("\0")[:-1]
        except OSError:
            continue  # it has ended
        if int(pid) != os.getpid():
            found.append(arguments)
    return found


def wait_until(condition, seconds=60):
    for _ in range(seconds * 50):
        if condition():
            return True
        time.sleep(0.02)
    return False


class HostsTest(unittest.TestCase):
    def assert_exact(self, count, ranks, seed, routes, extent):
        ended = subprocess.run(command(count, ranks, PROGRAM, "exact", str(seed), str(routes), str(extent)),
                               capture_output=True, text=True, timeout=500)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        told = re.fullmatch(r"(\d+) routes are exact, of (\d+) bytes in messages\n", ended.stdout)
        self.assertEqual(int(told.group(1)), routes)
        on_wire = [int(sent) for sent in re.findall(r"^host\d+ sent (\d+) bytes", ended.stderr, re.MULTILINE)]
        self.assertEqual(len(on_wire), count)
        return int(told.group(2)), sum(on_wire)

    def test_two_hosts_of_two_ranks(self):
        self.assert_exact(2, 2, 1000, 20, 150)

    def test_large_matrices_take_the_wire(self):
        in_messages, on_wire = self.assert_exact(4, 1, 2000, 4, 1000)
        self.assertGreater(in_messages, 4 << 20)
        self.assertGreater(on_wire, in_messages)

    def test_every_rank_names_one_that_a_cut_cable_parts_from_it(self):
        with tempfile.TemporaryDirectory() as folder:
            cut = "ip link set eth0 down"
            running = subprocess.Popen(command(4, 1, PROGRAM, "cut", folder, "14", cut), stdout=subprocess.PIPE,
                                       stderr=subprocess.STDOUT, text=True)
            ranks = [os.path.join(folder, f"rank{rank}") for rank in range(4)]
            all_have_told = wait_until(lambda: all(map(os.path.exists, ranks)) or running.poll() is not None)
            running.kill()  # the launcher would wait for its daemon on that host
            self.assertTrue(all_have_told, running.communicate()[0])
            told = []
            for path in ranks:
                with open(path, encoding="utf-8") as file:
                    told.append(file.read())
        for rank in (0, 1, 3):
            self.assertIn("rank 2 of 4 sent nothing for 5 seconds", told[rank])
        self.assertRegex(told[2], "^rank [013] of 4 sent nothing for 5 seconds")

    def test_nothing_outlives_its_owner(self):
        word = f"rank-of-{os.getpid()}"
        sleeper = [sys.executable, "-c", "import time; time.sleep(1000)", word]
        running = subprocess.Popen(command(2, 1, *sleeper), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        both_run = wait_until(lambda: arguments_of_all().count(sleeper) == 2)
        running.send_signal(signal.SIGKILL)
        running.wait()
        self.assertTrue(both_run)
        self.assertTrue(wait_until(lambda: not any(word in arguments for arguments in arguments_of_all())))
        names = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True)
        self.assertNotIn("host1", names.stdout)


if __name__ == "__main__":
    probe = subprocess.run(command(2, 1, "true"), capture_output=True, text=True)
    if probe.returncode == hosts.SKIPPED:
        print(probe.stderr)
        sys.exit(hosts.SKIPPED)
    unittest.main()
