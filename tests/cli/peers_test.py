"""peers.py on a document of `xpose bench`: peers_test.py PATH_TO_XPOSE PATH_TO_PEERS."""

import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

try:
    import numpy as np
except ImportError:
    print("SKIPPED: this Python has no NumPy; install python3-numpy")
    sys.exit(77)

XPOSE = None
PEERS = None


def problem(rows, cols, batch=(), in_ld=None, out_ld=None, element_bytes=4):
    dims = [{"extent": e, "in_stride": i, "out_stride": o} for e, i, o in batch]
    return {"rows": rows, "cols": cols, "element_bytes": element_bytes, "in_ld": in_ld or cols,
            "out_ld": out_ld or rows, "batch": dims, "in_place": False}


class Peers(unittest.TestCase):
    def setUp(self):
        sys.path.insert(0, str(pathlib.Path(PEERS).parent))
        self.addCleanup(sys.path.pop, 0)
        spec = importlib.util.spec_from_file_location("peers", PEERS)
        self.peers = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.peers)

    def test_a_problem_is_an_array_whose_axes_move(self):
        case = self.peers.Case(problem(4, 5, [(3, 5, 20)], in_ld=15, out_ld=4))  # (4, 3, 5) to (3, 5, 4)
        self.assertEqual((case.shape, case.axes, case.out_shape), ([4, 3, 5], [1, 2, 0], [3, 5, 4]))
        self.assertTrue(case.is_dense())
        source, target = case.buffers()
        target[...] = source
        given = source.transpose(np.argsort(case.axes))
        self.assertTrue(given.flags.c_contiguous and target.flags.c_contiguous)
        self.assertTrue(np.array_equal(target, given.transpose(1, 2, 0)))

    def test_longer_rows_and_axes_that_lie_backwards_have_their_strides(self):
        case = self.peers.Case(problem(4, 5, in_ld=-8, out_ld=6))
        self.assertFalse(case.is_dense())
        source, target = case.buffers()
        self.assertEqual((source.strides, target.strides), ((4, -32), (24, 4)))

    def test_a_fat_element_is_a_short_axis(self):
        case = self.peers.Case(problem(4, 5, element_bytes=48))
        self.assertEqual((case.dtype, case.shape, case.axes), ("complex128", [4, 5, 3], [1, 0, 2]))

    def test_a_gpu_has_pairs_in_turn_and_no_pause_between_calls(self):
        log = []

        class Event:  # as on a GPU where a call takes 100 microseconds
            def __init__(self, enable_timing):
                self.enables_timing = enable_timing

            def record(self):
                self.at = len(log)
                log.append("record")

            def synchronize(self):
                log.append("wait")

            def elapsed_time(self, end):
                return 0.1 * log[self.at + 1:end.at].count("call")

        torch = types.SimpleNamespace(cuda=types.SimpleNamespace(Event=Event))
        with unittest.mock.patch.dict(sys.modules, {"torch": torch}):
            gpu = self.peers.Cuda(cache_bytes=1 << 20)
        used = []
        runs = [lambda pair=pair: (used.append(pair), log.append("call")) for pair in range(3)]
        self.assertAlmostEqual(gpu.seconds(runs), 100e-6)
        self.assertEqual(log, ["call", "record", "call", "record", "wait"] +
                         ["call", "record"] + 5 * ["call"] + ["record", "wait"])
        self.assertEqual(used, [turn % 3 for turn in range(8)])
        square = {mebi: self.peers.Case(problem(1 << 10, mebi << 8)) for mebi in (1, 2, 3, 4)}  # of each array
        self.assertEqual({mebi: gpu.pairs(case) for mebi, case in square.items()}, {1: 3, 2: 2, 3: 2, 4: 1})
        self.assertEqual(gpu.pairs(self.peers.Case(problem(4, 4))), gpu.MOST_PAIRS)

    def test_rows_join_those_of_the_bench_by_name(self):
        with tempfile.TemporaryDirectory() as folder:
            document, table, figures = (pathlib.Path(folder) / name for name in ("bench.json", "table.md", "peers.json"))
            subprocess.run([XPOSE, "bench", "--device", "host", "--budget", "0.05", "--random", "3", "--seed", "5", "--most",
                            "200000", "--no-cache", "--json", str(document)], check=True, capture_output=True)
            done = subprocess.run([sys.executable, "-B", PEERS, "--join", str(document), "--budget", "0.05", "--json",
                                   str(figures), "--markdown", str(table)], capture_output=True, text=True)
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            cells = json.loads(document.read_text())["cells"]
            rows = json.loads(figures.read_text())["cells"]
            self.assertEqual([row["cell"] for row in rows], [cell["cell"] for cell in cells])
            for row, cell in zip(rows, cells):
                figure = row["peers"]["NumPy"]
                self.assertAlmostEqual(figure["share_of_roof"], cell["roof"]["seconds"] / figure["seconds"])
                self.assertIn(f"| {cell['cell']} | ", table.read_text())
            self.assertIn("times as fast as NumPy in the mean of 3 problems", table.read_text())

    def test_other_documents_are_refused(self):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as other:
            other.write('{"schema": "xpose.tune/1"}')
            other.flush()
            done = subprocess.run([sys.executable, "-B", PEERS, "--join", other.name], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("no document of `xpose bench --json`", done.stderr)


if __name__ == "__main__":
    PEERS = sys.argv.pop(2)
    XPOSE = sys.argv.pop(1)
    unittest.main()
