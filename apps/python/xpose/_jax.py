"""Permutations as operations of JAX: inside jax.jit and outside, with gradients and batches.

XLA makes the result and orders the work on its own stream, so that nothing waits.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
import numpy

from . import _functions, _xpose

_TARGET = "xpose_permute"
# Several of their elements may share a byte.
_SHORT = {"int2", "uint2", "int4", "uint4", "float4_e2m1fn"}


@functools.lru_cache(maxsize=None)
def _register() -> None:
    engine = _functions._default()._core
    for platform, handler in zip(("cpu", "CUDA"), _xpose.xla_handlers(engine)):
        jax.ffi.register_ffi_target(_TARGET, handler, platform=platform)


@functools.partial(jax.custom_vjp, nondiff_argnums=(1, 2))
def _permuted(x: Any, axes: tuple[int, ...], policy: str) -> Any:
    if 0 in x.shape or x.ndim == 0:
        return jax.numpy.transpose(x, axes)
    result = jax.ShapeDtypeStruct(tuple(x.shape[axis] for axis in axes), x.dtype)
    call = jax.ffi.ffi_call(_TARGET, result, vmap_method="sequential")
    return call(
        x,
        axes=numpy.array(axes, numpy.int64),
        element_bytes=numpy.int64(x.dtype.itemsize),
        policy=numpy.int64(_xpose.policy_number(policy)),
    )


def _forward(x: Any, axes: tuple[int, ...], policy: str) -> tuple[Any, None]:
    return _permuted(x, axes, policy), None


def _backward(axes: tuple[int, ...], policy: str, _: None, gradient: Any) -> tuple[Any]:
    return (_permuted(gradient, tuple(numpy.argsort(axes).tolist()), policy),)


_permuted.defvjp(_forward, _backward)
_compiled = jax.jit(_permuted, static_argnums=(1, 2))


@functools.lru_cache(maxsize=None)
def _check(dtype: Any) -> None:
    if jax.dtypes.issubdtype(dtype, jax.dtypes.extended):
        raise TypeError(f"elements of {dtype} are not bytes: use jax.numpy.transpose")
    if dtype.name in _SHORT:
        raise TypeError(f"elements of {dtype} are shorter than a byte: convert them to int8")


def permute(x: Any, axes: Any, policy: str) -> Any:
    """`permute_dims` of an array of JAX, traced or not."""
    _check(x.dtype)
    _register()
    order = _xpose.order_of(axes, len(x.shape))
    return _compiled(x, order, policy)
