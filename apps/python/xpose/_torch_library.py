"""Tensors of PyTorch."""

from __future__ import annotations

import sys
from typing import Any

from . import _xpose
from ._library import NO_SCOPE, Layout, Library, stream_address


def _never() -> int:
    return 0


class Torch(Library):
    """Tensors of a type. Those that torch dispatches elsewhere are moved by its operator alone."""

    def __init__(self, kind: Any) -> None:
        self.torch = torch = sys.modules["torch"]
        self.is_wrapper = kind.__torch_dispatch__ is not torch.Tensor.__torch_dispatch__
        self.transforms = getattr(torch._C, "_are_functorch_transforms_active", _never)
        self.modes = getattr(torch._C, "_len_torch_dispatch_stack", _never)
        self.forward = torch.autograd.forward_ad
        if torch.version.cuda is None and torch.cuda.is_available():
            raise TypeError("this PyTorch is built for ROCm; xpose serves CPUs and CUDA")
        self.devices = torch.cuda.device_count() if torch.cuda.is_available() else 0
        self.raw_stream = getattr(torch._C, "_cuda_getCurrentRawStream", None)
        if kind is torch.Tensor and hasattr(kind, "__dlpack_c_exchange_api__"):
            # Functions that compiled programs call; new_empty() takes twice as long.
            makers = getattr(getattr(torch._C, "_dynamo", None), "guards", None)
            current = getattr(torch._C, "_cuda_getDevice", None) if self.devices > 1 else None
            _xpose.set_exchange(
                kind,
                kind.__dlpack_c_exchange_api__,
                (self.transforms, self.modes),
                vars(self.forward),
                getattr(makers, "_empty_strided_cpu", None),
                getattr(makers, "_empty_strided_cuda", None),
                current,
                self.devices < 2 or current is not None,
            )

    def has_operation(self) -> bool:
        if self.is_wrapper or self.transforms() or self.modes():
            return True
        return bool(getattr(self.forward, "_current_level", -1) >= 0)

    def operation(self, x: Any, axes: Any, policy: str) -> Any:
        from .torch import permute

        return permute(x, axes, policy)

    def plain(self, x: Any) -> Any:
        if self.has_operation():
            raise TypeError(
                "a tensor that torch.func, a mode or a subclass of torch.Tensor follows is moved by "
                "xpose.permute_dims without out=, stream=, a plan and an engine of your own"
            )
        if x.is_quantized:
            raise TypeError("a quantized tensor has scales beside its elements: permute its int_repr()")
        return self.resolved(x)

    def resolved(self, x: Any) -> Any:
        if x.is_conj() or x.is_neg():  # views whose memory has other numbers
            x = x.resolve_conj().resolve_neg()
        return x

    def place(self, out: Any) -> Any:
        if out.requires_grad:
            raise ValueError("out requires a gradient; results of autograd are new tensors")
        if out.is_conj() or out.is_neg():
            raise ValueError("out is a view whose memory has other numbers: pass one that is resolved")
        return self.plain(out)

    def read(self, x: Any, stream: Any = None) -> Layout:
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

    def target(self, x: Any) -> Any:
        return x.data_ptr()

    def empty(self, x: Any, shape: tuple[int, ...]) -> Any:
        return self.torch.empty(shape, dtype=x.dtype, device=x.device)

    def scope(self, x: Any, stream: Any) -> Any:
        """Where memory is allocated: of the stream that uses it, on the tensor's device."""
        if (stream is None and self.devices < 2) or not x.is_cuda:
            return NO_SCOPE
        if stream is None:
            return self.torch.cuda.device(x.device)
        if not isinstance(stream, self.torch.cuda.Stream):
            stream = self.torch.cuda.ExternalStream(stream_address(stream), device=x.device)
        return self.torch.cuda.stream(stream)

    def stream(self, x: Any) -> Any:
        if self.raw_stream is not None:
            return self.raw_stream(x.get_device())
        return self.torch.cuda.current_stream(x.device).cuda_stream
