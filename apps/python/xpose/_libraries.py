"""The libraries of Python that arrays come from; see _library.py for what each of them has."""

from __future__ import annotations

import sys
from typing import Any, Callable

import numpy

from . import _xpose
from ._library import Layout, Library, NumPy, stream_address
from ._torch_library import Torch


class _CuPy(Library):
    def __init__(self) -> None:
        self.cupy = sys.modules["cupy"]

    def read(self, x: Any, stream: Any = None) -> Layout:
        return x.data.ptr, x.shape, x.strides, 1, x.itemsize, True, x.device.id, True

    def empty(self, x: Any, shape: tuple[int, ...]) -> Any:
        return self.cupy.empty(shape, x.dtype)

    def target(self, x: Any) -> Any:
        return x.data.ptr

    def scope(self, x: Any, stream: Any) -> Any:
        return x.device

    def stream(self, x: Any) -> Any:
        return self.cupy.cuda.get_current_stream().ptr


class _JAX(Library):
    """JAX's arrays. Beside its operation, a new one is filled before anybody else has it."""

    def __init__(self) -> None:
        self.has_ffi = hasattr(sys.modules["jax"], "ffi")
        self.permute: Callable[[Any, Any, str], Any] | None = None

    def has_operation(self) -> bool:
        return self.has_ffi

    def operation(self, x: Any, axes: Any, policy: str) -> Any:
        if self.permute is None:  # an import takes longer than the rest of a call
            from . import _jax

            self.permute = _jax.permute
        return self.permute(x, axes, policy)

    def plain(self, x: Any) -> Any:
        if any(base.__name__ == "Tracer" for base in type(x).__mro__):
            raise TypeError(
                "a traced array of JAX has no memory: inside jax.jit call xpose.permute_dims without "
                "out=, stream= and an engine of your own"
            )
        if len(x.devices()) != 1:
            raise TypeError("the array lies on several devices; xpose serves one at a time")
        return x

    def read(self, x: Any, stream: Any = None) -> Layout:
        x.block_until_ready()
        (device,) = x.devices()
        on_cuda = device.platform in ("gpu", "cuda")
        if not on_cuda and device.platform != "cpu":
            raise TypeError(f"the array is on {device}; xpose serves CPUs and CUDA")
        size = x.dtype.itemsize
        strides, stride = [], size
        for extent in reversed(x.shape):
            strides.append(stride)
            stride *= extent
        ordinal = device.local_hardware_id or 0 if on_cuda else 0
        address = x.unsafe_buffer_pointer()
        return address, x.shape, strides[::-1], 1, size, on_cuda, ordinal, False

    def empty(self, x: Any, shape: tuple[int, ...]) -> Any:
        jax = sys.modules["jax"]
        (device,) = x.devices()
        with jax.default_device(device):
            return jax.numpy.zeros(shape, x.dtype).block_until_ready()

    def target(self, x: Any) -> Any:
        return x.unsafe_buffer_pointer()

    def finish(self, x: Any) -> None:
        """JAX has streams of its own, and is told of no other work."""
        (device,) = x.devices()
        if device.platform in ("gpu", "cuda"):
            _xpose.synchronize(device.local_hardware_id or 0)


class _CudaInterface(Library):
    """Arrays with `__cuda_array_interface__`, such as Numba's."""

    def read(self, x: Any, stream: Any = None) -> Layout:
        stated = x.__cuda_array_interface__
        if stated.get("mask") is not None:
            raise TypeError("a masked array has two arrays: permute its data and its mask")
        address, read_only = stated["data"]
        size = numpy.dtype(stated["typestr"]).itemsize
        shape, strides = stated["shape"], stated.get("strides")
        if strides is None:
            strides, stride = [], size
            for extent in reversed(shape):
                strides.insert(0, stride)
                stride *= extent
        ordinal = _ordinal_of(x)
        return address, shape, strides, 1, size, True, ordinal, not read_only, stated

    def empty(self, x: Any, shape: tuple[int, ...]) -> Any:
        if type(x).__module__.split(".")[0] == "numba":
            return sys.modules["numba"].cuda.device_array(shape, x.dtype)
        raise TypeError(f"xpose does not know how {type(x).__qualname__} is made: pass out=")

    def dtype(self, x: Any) -> Any:
        return x.__cuda_array_interface__["typestr"]

    def stream(self, x: Any) -> Any:
        return x.__cuda_array_interface__.get("stream") or 0


class _DLPack(Library):
    """Arrays with `__dlpack__`; new ones by the array API's namespace, where they have one."""

    def capsule(self, x: Any, stream: Any = None) -> Any:
        given: dict[str, Any] = {}
        if _is_on_cuda(x):  # DLPack's number of the default stream is 1
            given["stream"] = 1 if stream is None else stream_address(stream) or 1
        try:
            return x.__dlpack__(max_version=(1, 1), **given)
        except TypeError:  # it knows no versions
            return x.__dlpack__(**given)

    def read(self, x: Any, stream: Any = None) -> Layout:
        return _xpose.of_capsule(self.capsule(x, stream))

    def empty(self, x: Any, shape: tuple[int, ...]) -> Any:
        namespace = getattr(x, "__array_namespace__", None)
        if namespace is not None:
            return namespace().empty(shape, dtype=x.dtype, device=x.device)
        if not _is_on_cuda(x):
            try:
                return numpy.empty(shape, numpy.from_dlpack(x).dtype)
            except (AttributeError, RuntimeError, BufferError) as error:
                kind = type(x).__qualname__
                raise TypeError(f"NumPy has no dtype for {kind}, pass out=: {error}") from error
        raise TypeError(f"xpose does not know how {type(x).__qualname__} is made: pass out=")

    def dtype(self, x: Any) -> Any:
        dtype = getattr(x, "dtype", None)
        if dtype is None or (isinstance(dtype, str) and not _is_known(dtype)):
            dtype = _xpose.dtype_of_capsule(self.capsule(x))
        return dtype


def _is_known(dtype: str) -> bool:
    try:
        numpy.dtype(dtype)
    except (TypeError, ValueError, SyntaxError):  # NumPy parses lists and shapes of its own
        return False
    return True


def _is_on_cuda(x: Any) -> bool:
    return hasattr(x, "__dlpack_device__") and x.__dlpack_device__()[0] in (2, 13)


def _ordinal_of(x: Any) -> int:
    device = getattr(x, "device", None)
    ordinal = getattr(device, "id", None)
    if ordinal is None and hasattr(x, "__dlpack_device__"):
        ordinal = x.__dlpack_device__()[1]
    return ordinal if isinstance(ordinal, int) else 0


_KNOWN = {
    ("torch", "Tensor"): Torch,
    ("cupy", "ndarray"): _CuPy,
    ("jaxlib", "ArrayImpl"): _JAX,
    ("jaxlib", "Array"): _JAX,
    ("jax", "Array"): _JAX,
    ("jax", "Tracer"): _JAX,
    ("numpy", "ndarray"): NumPy,
}
_libraries: dict[type, Library] = {}


def _library_of_type(kind: type) -> Library:
    for base in kind.__mro__:
        maker = _KNOWN.get((base.__module__.split(".")[0], base.__name__.split(".")[-1]))
        if maker is not None:
            return maker(kind) if maker is Torch else maker()
    if hasattr(kind, "__cuda_array_interface__"):
        return _CudaInterface()
    if hasattr(kind, "__dlpack__"):
        return _DLPack()
    return NumPy()


def library_of(x: Any) -> Library:
    """The library of an array. All of one type have the same."""
    kind = type(x)
    library = _libraries.get(kind)
    if library is None:
        library = _libraries[kind] = _library_of_type(kind)
    return library
