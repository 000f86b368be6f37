"""Arrays of Python's libraries: their layout, their allocator and their stream.

A library here has
  read(x)           a tuple (address, shape, strides, bytes of a stride's unit, bytes of an element,
                    on CUDA, ordinal, writable), and after that whatever must live during the call
  empty(x, shape)   a new array like x, by the library's own allocator
  target(x)         the same of a new one, or its address alone where it is dense in C order
  stream(x)         the address of the current stream; only asked for arrays on CUDA
"""

from __future__ import annotations

import contextlib
import sys
from typing import Any

import numpy

from . import _xpose

_NO_SCOPE = contextlib.nullcontext()


class NumPy:
    """NumPy's arrays, and all that numpy.asarray takes: those of subclasses, buffers, sequences."""

    def plain(self, x: Any) -> Any:
        if isinstance(x, numpy.ma.MaskedArray):
            raise TypeError("a masked array has two arrays: permute its data and its mask")
        array = numpy.asarray(x)
        if array.dtype.hasobject:
            raise TypeError(
                "arrays of Python objects are not moved: their elements are references, which "
                "only the interpreter may copy; numpy.transpose serves them"
            )
        return array

    def read(self, x: Any) -> tuple:
        address = x.__array_interface__["data"][0]
        return address, x.shape, x.strides, 1, x.itemsize, False, 0, x.flags.writeable

    def empty(self, x: Any, shape: tuple) -> Any:
        return numpy.empty(shape, x.dtype)

    def dtype(self, x: Any) -> Any:
        return x.dtype

    def has_operation(self, core: Any) -> bool:
        return False  # True: operation(x, axes, policy) is one of the library that calls this engine

    def scope(self, x: Any, stream: Any) -> Any:
        return _NO_SCOPE

    def target(self, x: Any) -> tuple | int:
        return self.read(x)

    def stream(self, x: Any) -> int:
        return 0

    def finish(self, x: Any) -> None:
        pass


class Torch(NumPy):
    def __init__(self) -> None:
        self.torch = torch = sys.modules["torch"]
        if torch.version.cuda is None and torch.cuda.is_available():
            raise TypeError("this PyTorch is built for ROCm; xpose serves CPUs and CUDA")
        self.devices = torch.cuda.device_count() if torch.cuda.is_available() else 0
        self.raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)

    def plain(self, x: Any) -> Any:
        if x.is_conj() or x.is_neg():  # views whose memory has other numbers
            x = x.resolve_conj().resolve_neg()
        return x

    def read(self, x: Any) -> tuple:
        size = x.element_size()
        try:
            address, strides = x.data_ptr(), x.stride()
        except RuntimeError as error:
            raise TypeError(f"the tensor has no memory of its own, as sparse ones: {error}") from error
        if x.is_cuda:
            return address, x.shape, strides, size, size, True, x.get_device(), True
        if x.is_cpu:
            return address, x.shape, strides, size, size, False, 0, True
        raise TypeError(f"the tensor is on {x.device}; xpose serves CPUs and CUDA")

    def target(self, x: Any) -> int:
        return x.data_ptr()

    def empty(self, x: Any, shape: tuple) -> Any:
        return self.torch.empty(shape, dtype=x.dtype, device=x.device)

    def scope(self, x: Any, stream: Any) -> Any:
        """Where memory is allocated: of the stream that uses it, on the tensor's device."""
        if (stream is None and self.devices < 2) or not x.is_cuda:
            return _NO_SCOPE
        if stream is None:
            return self.torch.cuda.device(x.device)
        if not isinstance(stream, self.torch.cuda.Stream):
            stream = self.torch.cuda.ExternalStream(stream_address(stream), device=x.device)
        return self.torch.cuda.stream(stream)

    def stream(self, x: Any) -> int:
        if self.raw_stream is not None:
            return self.raw_stream(x.get_device())
        return self.torch.cuda.current_stream(x.device).cuda_stream


class _CuPy(NumPy):
    def __init__(self) -> None:
        self.cupy = sys.modules["cupy"]

    def plain(self, x: Any) -> Any:
        return x

    def read(self, x: Any) -> tuple:
        return x.data.ptr, x.shape, x.strides, 1, x.itemsize, True, x.device.id, True

    def empty(self, x: Any, shape: tuple) -> Any:
        return self.cupy.empty(shape, x.dtype)

    def target(self, x: Any) -> int:
        return x.data.ptr

    def scope(self, x: Any, stream: Any) -> Any:
        return x.device

    def stream(self, x: Any) -> int:
        return self.cupy.cuda.get_current_stream().ptr


class _JAX(NumPy):
    """JAX's arrays. Beside its operation, a new one is filled before anybody else has it."""

    def has_operation(self, core: Any) -> bool:
        from . import _functions

        return core is _functions._default()._core and hasattr(sys.modules["jax"], "ffi")

    def operation(self, x: Any, axes: Any, policy: str) -> Any:
        from . import _jax

        return _jax.permute(x, axes, policy)

    def plain(self, x: Any) -> Any:
        if any(base.__name__ == "Tracer" for base in type(x).__mro__):
            raise TypeError(
                "a traced array of JAX has no memory: inside jax.jit call xpose.permute_dims without "
                "out=, stream= and an engine of your own"
            )
        if len(x.devices()) != 1:
            raise TypeError("the array lies on several devices; xpose serves one at a time")
        return x

    def read(self, x: Any) -> tuple:
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

    def empty(self, x: Any, shape: tuple) -> Any:
        jax = sys.modules["jax"]
        (device,) = x.devices()
        with jax.default_device(device):
            return jax.numpy.zeros(shape, x.dtype).block_until_ready()

    def target(self, x: Any) -> int:
        return x.unsafe_buffer_pointer()

    def finish(self, x: Any) -> None:
        """JAX has streams of its own, and is told of no other work."""
        (device,) = x.devices()
        if device.platform in ("gpu", "cuda"):
            _xpose.synchronize(device.local_hardware_id or 0)


class _CudaInterface(NumPy):
    """Arrays with `__cuda_array_interface__`, such as Numba's."""

    def plain(self, x: Any) -> Any:
        return x

    def read(self, x: Any) -> tuple:
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

    def empty(self, x: Any, shape: tuple) -> Any:
        if type(x).__module__.split(".")[0] == "numba":
            return sys.modules["numba"].cuda.device_array(shape, x.dtype)
        raise TypeError(f"xpose does not know how {type(x).__qualname__} is made: pass out=")

    def dtype(self, x: Any) -> Any:
        return x.__cuda_array_interface__["typestr"]

    def stream(self, x: Any) -> int:
        return x.__cuda_array_interface__.get("stream") or 0


class _DLPack(NumPy):
    """Arrays with `__dlpack__`; new ones by the array API's namespace, where they have one."""

    def plain(self, x: Any) -> Any:
        return x

    def read(self, x: Any) -> tuple:
        on_cuda = x.__dlpack_device__()[0] in (2, 13)
        given: dict[str, Any] = {"stream": 1} if on_cuda else {}  # the default stream
        try:
            capsule = x.__dlpack__(max_version=(1, 1), **given)
        except TypeError:  # it knows no versions
            capsule = x.__dlpack__(**given)
        return _xpose.of_capsule(capsule)

    def empty(self, x: Any, shape: tuple) -> Any:
        namespace = getattr(x, "__array_namespace__", None)
        if namespace is not None:
            return namespace().empty(shape, dtype=x.dtype, device=x.device)
        if x.__dlpack_device__()[0] in (1, 3):
            return numpy.empty(shape, numpy.from_dlpack(x).dtype)
        raise TypeError(f"xpose does not know how {type(x).__qualname__} is made: pass out=")

    def dtype(self, x: Any) -> Any:
        return getattr(x, "dtype", None)


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
_libraries: dict[type, NumPy] = {}


def _library_of_type(kind: type) -> NumPy:
    for base in kind.__mro__:
        maker = _KNOWN.get((base.__module__.split(".")[0], base.__name__))
        if maker is not None:
            return maker()
    if hasattr(kind, "__cuda_array_interface__"):
        return _CudaInterface()
    if hasattr(kind, "__dlpack__"):
        return _DLPack()
    return NumPy()


def library_of(x: Any) -> NumPy:
    """The library of an array. All of one type have the same."""
    kind = type(x)
    library = _libraries.get(kind)
    if library is None:
        library = _libraries[kind] = _library_of_type(kind)
    return library


def stream_address(stream: Any) -> int:
    """The address of a stream: a number, or a stream of PyTorch, CuPy or CUDA Python."""
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        return (protocol() if callable(protocol) else protocol)[1]
    for name in ("cuda_stream", "ptr", "handle"):
        address = getattr(stream, name, None)
        if isinstance(address, int):
            return address
    raise TypeError(f"a stream is an address or a stream of a CUDA library, not {stream!r}")
