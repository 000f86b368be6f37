"""The C API from Python's ctypes, without a package of Python's.

ctypes_test.py LIBRARY PLUGINS WORKER
"""

import array
import ctypes
import json
import sys
import threading
import unittest

LIBRARY, PLUGINS, WORKER = sys.argv[1:4]
del sys.argv[1:4]

OK, INVALID = 0, 1
MEASURE, ESTIMATE = 1, 2
PROGRESS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint64, ctypes.c_uint64)
INTERRUPTED = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
WARN = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)


class Sized(ctypes.Structure):
    """A struct that begins with its size."""

    def __init__(self, **fields):
        super().__init__(size=ctypes.sizeof(type(self)), **fields)


class EngineOptions(Sized):
    _fields_ = [("size", ctypes.c_uint32), ("threads", ctypes.c_uint32),
                ("plugin_folders", ctypes.POINTER(ctypes.c_char_p)), ("plugin_folder_count", ctypes.c_uint64),
                ("worker", ctypes.c_char_p), ("cache", ctypes.c_char_p), ("forget", ctypes.c_uint32),
                ("in_process", ctypes.c_uint32), ("stage_seconds", ctypes.c_double), ("warn", WARN),
                ("context", ctypes.c_void_p)]


class Tensor(Sized):
    _fields_ = [("size", ctypes.c_uint32), ("element_bits", ctypes.c_uint32),
                ("extents", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("rank", ctypes.c_uint32), ("device_kind", ctypes.c_int32), ("device_ordinal", ctypes.c_int32),
                ("alignment", ctypes.c_uint32), ("byte_offset", ctypes.c_uint64)]


class TuneOptions(Sized):
    _fields_ = [("size", ctypes.c_uint32), ("in_place", ctypes.c_uint32), ("budget_seconds", ctypes.c_double),
                ("max_rounds", ctypes.c_uint32), ("every_strategy", ctypes.c_uint32), ("warm", ctypes.c_uint32),
                ("whole", ctypes.c_uint32), ("variants", ctypes.POINTER(ctypes.c_char_p)),
                ("variant_count", ctypes.c_uint64), ("progress", PROGRESS), ("interrupted", INTERRUPTED),
                ("context", ctypes.c_void_p)]


xpose = ctypes.CDLL(LIBRARY)
for name in ("version", "last_error", "status_text", "plan_variant"):
    getattr(xpose, "xpose_" + name).restype = ctypes.c_char_p
xpose.xpose_engine_create.argtypes = [ctypes.POINTER(EngineOptions), ctypes.POINTER(ctypes.c_void_p)]
xpose.xpose_engine_destroy.argtypes = [ctypes.c_void_p]
xpose.xpose_prepare.argtypes = [ctypes.c_void_p, ctypes.POINTER(Tensor), ctypes.POINTER(Tensor),
                                ctypes.POINTER(ctypes.c_int32), ctypes.c_int32, ctypes.c_void_p,
                                ctypes.POINTER(ctypes.c_void_p)]
xpose.xpose_execute.argtypes = [ctypes.c_void_p] * 4
xpose.xpose_plan_variant.argtypes = [ctypes.c_void_p]
xpose.xpose_plan_destroy.argtypes = [ctypes.c_void_p]
xpose.xpose_permute.argtypes = [ctypes.c_void_p, ctypes.POINTER(Tensor), ctypes.c_void_p, ctypes.POINTER(Tensor),
                                ctypes.c_void_p, ctypes.POINTER(ctypes.c_int32), ctypes.c_int32, ctypes.c_void_p]
xpose.xpose_tune.argtypes = [ctypes.c_void_p, ctypes.POINTER(Tensor), ctypes.POINTER(Tensor),
                             ctypes.POINTER(ctypes.c_int32), ctypes.POINTER(TuneOptions),
                             ctypes.POINTER(ctypes.c_void_p)]
xpose.xpose_text_free.argtypes = [ctypes.c_void_p]


def int64s(*values):
    return (ctypes.c_int64 * len(values))(*values)


def int32s(*values):
    return (ctypes.c_int32 * len(values))(*values)


def address(numbers):
    return numbers.buffer_info()[0]


def permuted(numbers, extents, axes):
    """Of a dense array, in Python."""
    out_extents = [extents[axis] for axis in axes]
    result = array.array(numbers.typecode)
    for place in range(len(numbers)):
        index, rest = [0] * len(extents), place
        for i in reversed(range(len(axes))):
            rest, index[axes[i]] = divmod(rest, out_extents[i])
        source = 0
        for extent, i in zip(extents, index):
            source = source * extent + i
        result.append(numbers[source])
    return result


class CtypesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folders = (ctypes.c_char_p * 1)(PLUGINS.encode())
        options = EngineOptions(threads=2, plugin_folders=folders, plugin_folder_count=1, worker=WORKER.encode(),
                                forget=1)
        cls.engine = ctypes.c_void_p()
        assert xpose.xpose_engine_create(options, cls.engine) == OK, xpose.xpose_last_error()

    @classmethod
    def tearDownClass(cls):
        xpose.xpose_engine_destroy(cls.engine)

    def tensor(self, *extents):
        return Tensor(element_bits=32, extents=int64s(*extents), rank=len(extents))

    def test_the_version_is_a_text(self):
        self.assertRegex(xpose.xpose_version().decode(), r"^\d+\.\d+\.\d+$")
        self.assertEqual(xpose.xpose_status_text(OK), b"no error")

    def test_permutations_of_every_rank(self):
        for extents, axes in (((6,), (0,)), ((5, 7), (1, 0)), ((3, 4, 5), (2, 0, 1)), ((2, 3, 4, 5), (0, 3, 1, 2))):
            count = 1
            for extent in extents:
                count *= extent
            numbers, out = array.array("i", range(count)), array.array("i", bytes(4 * count))
            status = xpose.xpose_permute(self.engine, self.tensor(*extents), address(numbers), None, address(out),
                                         int32s(*axes), ESTIMATE, None)
            self.assertEqual(status, OK, xpose.xpose_last_error())
            self.assertEqual(out, permuted(numbers, extents, axes))

    def test_a_plan_serves_threads_and_alignments(self):
        plan = ctypes.c_void_p()
        self.assertEqual(xpose.xpose_prepare(self.engine, self.tensor(33, 20), None, None, ESTIMATE, None, plan), OK)
        self.assertTrue(xpose.xpose_plan_variant(plan))
        numbers = array.array("i", range(664))
        results = [array.array("i", bytes(4 * 664)) for _ in range(4)]

        def execute(shift, out):
            xpose.xpose_execute(plan, address(numbers) + 4 * shift, address(out) + 4 * shift, None)

        threads = [threading.Thread(target=execute, args=each) for each in enumerate(results)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for shift, out in enumerate(results):
            self.assertEqual(out[shift:shift + 660], permuted(numbers[shift:shift + 660], (33, 20), (1, 0)))
        xpose.xpose_plan_destroy(plan)

    def test_a_tune_reports(self):
        steps, report = [], ctypes.c_void_p()
        progress = PROGRESS(lambda context, stage, done, total: steps.append(stage))
        options = TuneOptions(budget_seconds=0.2, max_rounds=2, progress=progress)
        status = xpose.xpose_tune(self.engine, self.tensor(64, 48), None, None, options, report)
        self.assertEqual(status, OK, xpose.xpose_last_error())
        document = json.loads(ctypes.string_at(report))
        xpose.xpose_text_free(report)
        self.assertEqual(document["schema"], "xpose.tune/1")
        self.assertEqual(document["xpose"], xpose.xpose_version().decode())
        self.assertEqual((document["problem"]["rows"], document["problem"]["cols"]), (64, 48))
        if not document["is_estimate"]:  # where others measure for as long as the budget
            self.assertIn(b"verify", steps)

    def refused(self, words, status, expected=INVALID):
        self.assertEqual(status, expected, words)
        self.assertIn(words, xpose.xpose_last_error())

    def test_wrong_arguments_of_every_function(self):
        good, numbers, out = self.tensor(2, 3), array.array("i", range(6)), array.array("i", bytes(24))
        source, target = address(numbers), address(out)
        plan, report, none = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        permute, prepare = xpose.xpose_permute, xpose.xpose_prepare
        for wrong, words in ((Tensor(element_bits=32, extents=int64s(2, 3), rank=70), b"70 axes"),
                             (Tensor(element_bits=31, extents=int64s(2, 3), rank=2), b"31 bits"),
                             (Tensor(element_bits=32, rank=2), b"extents"),
                             (Tensor(element_bits=32, extents=int64s(2, -3), rank=2), b"axis 1"),
                             (Tensor(element_bits=32, extents=int64s(2, 3), rank=2, device_kind=9), b"device_kind 9"),
                             (Tensor(element_bits=32, extents=int64s(2, 3), rank=2, alignment=3), b"no power of two")):
            self.refused(words, permute(self.engine, wrong, source, None, target, None, ESTIMATE, None))
            self.refused(words, prepare(self.engine, wrong, None, None, ESTIMATE, None, plan))
            self.refused(words, xpose.xpose_tune(self.engine, wrong, None, None, None, report))
            self.assertEqual((plan.value, report.value), (None, None))
        self.refused(b"the engine is null", permute(None, good, source, None, target, None, ESTIMATE, None))
        self.refused(b"the engine is null", prepare(None, good, None, None, ESTIMATE, None, plan))
        self.refused(b"the engine is null", xpose.xpose_tune(None, good, None, None, None, report))
        self.refused(b"the plan is null", xpose.xpose_execute(None, source, target, None))
        self.refused(b"null", permute(self.engine, good, source, None, None, None, ESTIMATE, None))
        self.refused(b"policy 9", permute(self.engine, good, source, None, target, None, 9, None))
        self.refused(b"overlap", permute(self.engine, good, source, None, source + 4, None, ESTIMATE, None))
        self.refused(b"square", permute(self.engine, good, source, self.tensor(3, 2), source, None, ESTIMATE, None))
        for options, words in ((EngineOptions(stage_seconds=-1), b"stage_seconds"),
                               (EngineOptions(plugin_folder_count=1), b"plugin_folders")):
            self.refused(words, xpose.xpose_engine_create(options, none))
            self.assertIsNone(none.value)
        for options, words in ((TuneOptions(budget_seconds=-1), b"budget_seconds"),
                               (TuneOptions(variant_count=1), b"variants is null")):
            self.refused(words, xpose.xpose_tune(self.engine, good, None, None, options, report))
        self.assertEqual(out, array.array("i", bytes(24)))

    def test_what_is_wrong_is_said(self):
        out = array.array("i", bytes(24))
        status = xpose.xpose_permute(self.engine, self.tensor(2, 3), address(out), None, address(out) + 4,
                                     int32s(1, -1), ESTIMATE, None)
        self.assertEqual(status, INVALID)
        self.assertIn(b"axes must name each of 0 to 1 once; -1 is out of range or named twice", xpose.xpose_last_error())


if __name__ == "__main__":
    unittest.main()
