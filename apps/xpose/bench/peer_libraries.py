"""The parts of peers.py: the problems as arrays, and transposes of them by other libraries.

HPTT and cuTENSOR are found as libhptt.so and libcutensor.so.2, by LD_LIBRARY_PATH. Arrays are NumPy's on the host, and
PyTorch's tensors on a GPU.
"""

import ctypes
import math
import os
import sys

import numpy as np

TYPES = {1: "uint8", 2: "int16", 4: "float32", 8: "float64", 16: "complex128"}


class Declined(Exception):
    """A peer does not serve a problem, for this reason."""


class Case:
    """A problem as an array whose axes are permuted.

    shape and in_strides are those of the input's axes, the largest stride first; axes names them in
    the order of the output, and out_strides are those of that order. All in units of dtype.
    """

    def __init__(self, problem):
        size = problem["element_bytes"]
        self.dtype = next((TYPES[b] for b in sorted(TYPES, reverse=True) if size % b == 0))
        units = size // np.dtype(self.dtype).itemsize  # a fat element is a short axis
        dims = [(problem["rows"], problem["in_ld"], 1), (problem["cols"], 1, problem["out_ld"])]
        dims += [(dim["extent"], dim["in_stride"], dim["out_stride"]) for dim in problem["batch"]]
        dims = [(extent, i * units, o * units) for extent, i, o in dims]
        dims = [dim for dim in dims + [(units, 1, 1)] if dim[0] > 1] or [(1, 1, 1)]
        dims.sort(key=lambda dim: -abs(dim[1]))
        order = sorted(range(len(dims)), key=lambda axis: -abs(dims[axis][2]))
        self.shape = [dim[0] for dim in dims]
        self.in_strides = [dim[1] for dim in dims]
        self.axes = order
        self.out_shape = [dims[axis][0] for axis in order]
        self.out_strides = [dims[axis][2] for axis in order]

    @staticmethod
    def _span(shape, strides):
        """The first and the last element that strides reach from element 0."""
        reach = [stride * (extent - 1) for extent, stride in zip(shape, strides)]
        return sum(r for r in reach if r < 0), sum(r for r in reach if r > 0)

    def touched_bytes(self):
        """From the first to the last byte of both arrays."""
        spans = (self._span(*layout) for layout in ((self.shape, self.in_strides), (self.out_shape, self.out_strides)))
        return sum(last - first + 1 for first, last in spans) * np.dtype(self.dtype).itemsize

    def buffers(self):
        """The input's and the output's view, of the shape of the output."""
        views = []
        for shape, strides in (self.shape, self.in_strides), (self.out_shape, self.out_strides):
            first, last = self._span(shape, strides)
            flat = np.empty(last - first + 1, self.dtype)
            views.append(np.lib.stride_tricks.as_strided(
                flat[-first:], shape, [stride * flat.itemsize for stride in strides]))
        source, target = views
        # Whole numbers that all types hold, and no power of two of them in a row.
        source[...] = (np.arange(math.prod(self.shape)) % 251).astype(self.dtype).reshape(self.shape)
        return source.transpose(self.axes), target

    def tensors(self, torch):
        """The same views, of tensors on the GPU. Raises Declined."""
        if any(stride < 0 for stride in self.in_strides + self.out_strides):
            raise Declined("has no negative strides")
        views = []
        for shape, strides in (self.shape, self.in_strides), (self.out_shape, self.out_strides):
            flat = torch.arange(self._span(shape, strides)[1] + 1, device="cuda")
            views.append(torch.as_strided((flat % 251).to(getattr(torch, self.dtype)), shape, strides))
        return views[0].permute(self.axes), views[1]

    def is_dense(self):
        def dense(shape, strides):
            return all(strides[i] == math.prod(shape[i + 1:]) for i in range(len(shape)))
        return dense(self.shape, self.in_strides) and dense(self.out_shape, self.out_strides)

    def require_dense(self):
        if not self.is_dense():
            raise Declined("takes dense arrays")
        return self


# ------------------------------------------------------------------------------------------- peers
# A peer takes a case, the input and the output [views in the output's shape], and returns what runs
# one transpose. It raises Declined.


def numpy_copy(_case, source, target):
    return lambda: np.copyto(target, source)


class Hptt:
    """HPTT's C++ interface: its plans are measured. The C interface makes a plan in each call."""

    KINDS = {"float32": ("f", ctypes.c_float), "float64": ("d", ctypes.c_double)}
    MEASURE = 1  # hptt::SelectionMethod

    def __init__(self):
        self.library = ctypes.CDLL("libhptt.so")

    def __call__(self, case, source, target):
        if case.dtype not in self.KINDS:
            raise Declined("has floats of 4 and 8 bytes")
        case.require_dense()
        letter, number = self.KINDS[case.dtype]
        create = getattr(self.library, f"_ZN4hptt11create_planEPKii{letter}PK{letter}S1_S1_{letter}"
                                       f"P{letter}S1_NS_15SelectionMethodEiS1_b")
        execute = getattr(self.library, f"_ZN4hptt9TransposeI{letter}E7executeEv")
        create.restype = execute.restype = None
        ints = ctypes.c_int * len(case.shape)
        plan = (ctypes.c_void_p * 2)()  # a shared_ptr, which the caller has room for
        create(plan, ints(*case.axes), len(case.shape), number(1), ctypes.c_void_p(source.ctypes.data),
               ints(*case.shape), None, number(0), ctypes.c_void_p(target.ctypes.data), None,
               self.MEASURE, len(os.sched_getaffinity(0)), None, ctypes.c_bool(True))
        return lambda: execute(ctypes.c_void_p(plan[0]))


class Torch:
    def __init__(self):
        import torch
        self.torch = torch

    def __call__(self, case, source, target):
        if not isinstance(source, self.torch.Tensor):
            if any(stride < 0 for stride in case.in_strides + case.out_strides):
                raise Declined("has no negative strides")
            source, target = (self.torch.as_strided(self._flat(array), array.shape,
                                                    [stride // array.itemsize for stride in array.strides])
                              for array in (source, target))
        return lambda: target.copy_(source)

    def _flat(self, array):
        """The elements of a view from its first one on."""
        count = sum(stride // array.itemsize * (extent - 1)
                    for extent, stride in zip(array.shape, array.strides)) + 1
        return self.torch.from_numpy(np.lib.stride_tricks.as_strided(array, [count], [array.itemsize]))


class Cupy:
    """CuPy, on the memory of PyTorch, and on the default stream as well."""

    def __init__(self):
        import cupy
        self.cupy = cupy

    def __call__(self, _case, source, target):
        moved, made = (self.cupy.from_dlpack(tensor) for tensor in (source, target))
        return lambda: self.cupy.copyto(made, moved)


class Cutensor:
    """cuTENSOR 2, on the memory of PyTorch."""

    KINDS = {"int16": (2, "32F"), "float32": (0, "32F"), "float64": (1, "64F"), "complex128": (5, "64F")}
    IDENTITY, DEFAULT_ALGORITHM, NO_JIT = 1, -1, 0

    def __init__(self):
        import torch
        self.torch = torch
        self.library = ctypes.CDLL("libcutensor.so.2")
        self.handle = ctypes.c_void_p()
        self._call("cutensorCreate", ctypes.byref(self.handle))

    def _call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status != 0:
            raise Declined(f"{name} failed with {status}")

    def _tensor(self, shape, strides, kind):
        longs = ctypes.c_int64 * len(shape)
        made = ctypes.c_void_p()
        self._call("cutensorCreateTensorDescriptor", self.handle, ctypes.byref(made), ctypes.c_uint32(len(shape)),
                   longs(*shape), longs(*strides), ctypes.c_int(kind), ctypes.c_uint32(128))
        return made

    def __call__(self, case, source, target):
        if case.dtype not in self.KINDS:
            raise Declined("has no elements of 1 byte")
        case.require_dense()
        kind, compute = self.KINDS[case.dtype]
        modes = ctypes.c_int32 * len(case.shape)
        operation, preference, plan = (ctypes.c_void_p() for _ in range(3))
        self._call("cutensorCreatePermutation", self.handle, ctypes.byref(operation),
                   self._tensor(case.shape, case.in_strides, kind), modes(*range(len(case.shape))),
                   ctypes.c_int(self.IDENTITY), self._tensor(case.out_shape, case.out_strides, kind),
                   modes(*case.axes), ctypes.c_void_p.in_dll(self.library, "CUTENSOR_COMPUTE_DESC_" + compute))
        self._call("cutensorCreatePlanPreference", self.handle, ctypes.byref(preference),
                   ctypes.c_int(self.DEFAULT_ALGORITHM), ctypes.c_int(self.NO_JIT))
        self._call("cutensorCreatePlan", self.handle, ctypes.byref(plan), operation, preference, ctypes.c_uint64(0))
        numbers = ctypes.c_float if compute == "32F" else ctypes.c_double
        one = (numbers * 2)(1, 0)  # complex ones have a second part
        permute = self.library.cutensorPermute

        def run():
            stream = self.torch.cuda.current_stream().cuda_stream
            status = permute(self.handle, plan, one, ctypes.c_void_p(source.data_ptr()),
                             ctypes.c_void_p(target.data_ptr()), ctypes.c_void_p(stream))
            if status != 0:
                raise Declined(f"cutensorPermute failed with {status}")
        return run


def peers_of(kind):
    """The peers that are here, by name."""
    makers = {"host": {"NumPy": lambda: numpy_copy, "PyTorch": Torch, "HPTT": Hptt},
              "cuda": {"PyTorch": Torch, "CuPy": Cupy, "cuTENSOR": Cutensor}}[kind]
    found = {}
    for name, make in makers.items():
        try:
            found[name] = make()
        except (ImportError, OSError) as error:
            print(f"peers.py: {name} is left out: {error}", file=sys.stderr)
    return found
