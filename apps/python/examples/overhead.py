#!/usr/bin/env python3
"""The cost of a call: a 64x64 matrix by each way of the package, above the same plan from C.

overhead.py [--calls N]

Times are of the processor alone, the best of several rounds: on CUDA a call enqueues, and the device
may still work. What C takes is xpose_execute by ctypes, less a call by ctypes that does nothing. The
last lines are the library's own: a new array, which is a part of every call without out=, and the
transpose.
"""

from __future__ import annotations

import argparse
import ctypes
import time
from typing import Any, Callable

import numpy

import xpose

SIDE = 64
ROUNDS = 20


class Tensor(ctypes.Structure):
    """xpose_tensor_t of xpose.h."""

    _fields_ = [
        ("size", ctypes.c_uint32),
        ("element_bits", ctypes.c_uint32),
        ("extents", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.c_void_p),
        ("rank", ctypes.c_uint32),
        ("device_kind", ctypes.c_int32),
        ("device_ordinal", ctypes.c_int32),
        ("alignment", ctypes.c_uint32),
        ("byte_offset", ctypes.c_uint64),
    ]


def microseconds(call: Callable[[], Any], calls: int, wait: Callable[[], Any]) -> float:
    """Of one call, the best of the rounds."""
    best = float("inf")
    for _ in range(ROUNDS):
        wait()
        start = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, time.perf_counter() - start)
    wait()
    return 1e6 * best / calls


def library() -> ctypes.CDLL:
    """The library that the package has loaded."""
    with open("/proc/self/maps") as maps:
        path = next(line.split(maxsplit=5)[5] for line in maps if "libxpose.so" in line)
    return ctypes.CDLL(path.strip())


def from_c(source: int, target: int, on_cuda: bool, stream: int) -> tuple[Any, Any]:
    """A call of xpose_execute, and one that does nothing with the same arguments."""
    xpose_c = library()
    engine, plan = ctypes.c_void_p(), ctypes.c_void_p()
    tensor = Tensor(
        size=ctypes.sizeof(Tensor),
        element_bits=32,
        extents=(ctypes.c_int64 * 2)(SIDE, SIDE),
        rank=2,
        device_kind=2 if on_cuda else 1,
    )
    estimate = 2
    made = xpose_c.xpose_engine_create(None, ctypes.byref(engine)) or xpose_c.xpose_prepare(
        engine, ctypes.byref(tensor), None, None, estimate, None, ctypes.byref(plan)
    )
    if made != 0:
        raise SystemExit("the plan of C cannot be made")
    execute, nothing = xpose_c.xpose_execute, xpose_c.xpose_c_version
    execute.argtypes = nothing.argtypes = [ctypes.c_void_p] * 4
    given = plan.value, source, target, stream
    return lambda: execute(*given), lambda: nothing(*given)


def show(
    title: str,
    x: Any,
    out: Any,
    addresses: tuple[int, int, bool, int],
    own: dict[str, Callable[[], Any]],
    calls: int,
    wait: Any,
) -> None:
    plan = xpose.plan(x, (1, 0))
    execute, nothing = from_c(*addresses)
    floor = microseconds(execute, calls, wait) - microseconds(nothing, calls, wait)
    ways = {
        "plan(x, out)": lambda: plan(x, out),
        "plan(x)": lambda: plan(x),
        "permute_dims(x, (1, 0), out=out)": lambda: xpose.permute_dims(x, (1, 0), out=out),
        "permute_dims(x, (1, 0))": lambda: xpose.permute_dims(x, (1, 0)),
        "transpose(x)": lambda: xpose.transpose(x),
    }
    print(f"{title}: {plan.variant}, microseconds a call")
    print(f"{'Plan::execute, by C':<36}{floor:8.2f}")
    for name, call in ways.items():
        taken = microseconds(call, calls, wait)
        print(f"{name:<36}{taken:8.2f}{taken - floor:8.2f} more")
    for name, call in own.items():
        print(f"{name:<36}{microseconds(call, calls, wait):8.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--calls", type=int, default=2000, help="of a round")
    calls = parser.parse_args().calls
    x, out = numpy.zeros((SIDE, SIDE), "f4"), numpy.zeros((SIDE, SIDE), "f4")
    show(
        "NumPy",
        x,
        out,
        (x.ctypes.data, out.ctypes.data, False, 0),
        {
            "numpy.empty(shape, dtype)": lambda: numpy.empty(x.shape, x.dtype),
            "numpy.ascontiguousarray(x.T)": lambda: numpy.ascontiguousarray(x.T),
        },
        calls,
        lambda: None,
    )
    try:
        import torch
    except ImportError:
        return
    for device in ("cpu", "cuda"):
        if device == "cuda" and not (torch.cuda.is_available() and not xpose.cuda_unavailable_reason()):
            continue
        x, out = torch.zeros(SIDE, SIDE, device=device), torch.zeros(SIDE, SIDE, device=device)
        wait = torch.cuda.synchronize if device == "cuda" else lambda: None
        stream = torch.cuda.current_stream().cuda_stream if device == "cuda" else 0
        addresses = x.data_ptr(), out.data_ptr(), device == "cuda", stream
        own = {
            "torch.empty_like(x)": lambda x=x: torch.empty_like(x),
            "x.T.contiguous()": lambda x=x: x.T.contiguous(),
        }
        show(f"PyTorch {torch.__version__}, {device}", x, out, addresses, own, calls, wait)


if __name__ == "__main__":
    main()
