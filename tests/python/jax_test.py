"""Arrays of JAX, on the CPU."""

import concurrent.futures
import itertools
import math
import random

import numpy
import pytest

import xpose


@pytest.fixture
def jax():
    return pytest.importorskip("jax")


def test_results_outputs_and_traces(jax):
    x = jax.numpy.arange(60.0).reshape(3, 4, 5)
    result = xpose.permute_dims(x, (2, 0, 1))
    assert isinstance(result, jax.Array) and (result == x.transpose(2, 0, 1)).all()
    with pytest.raises(ValueError, match="read-only"):
        xpose.permute_dims(x, (2, 0, 1), out=result)
    with pytest.raises(TypeError, match="traced"):
        jax.jit(lambda y: xpose.Engine().permute_dims(y, (2, 0, 1)))(x)
    assert (xpose.Engine().permute_dims(x, (0, 2, 1)) == x.transpose(0, 2, 1)).all()


def test_every_dtype_and_shape(jax):
    for name in "bool int8 uint16 int32 float16 bfloat16 float32 complex64 float8_e4m3fn".split():
        for shape in ((), (0, 3), (7,), (1, 5), (33, 65), (2, 3, 4, 5), (2,) * 9):
            x = jax.numpy.arange(math.prod(shape)).reshape(shape).astype(name)
            axes = tuple(random.Random(name).sample(range(len(shape)), len(shape)))
            result = xpose.permute_dims(x, axes)
            assert result.dtype == x.dtype and result.shape == x.transpose(axes).shape
            assert numpy.asarray(result).tobytes() == numpy.asarray(x.transpose(axes)).tobytes()
    assert numpy.asarray(xpose.transpose(x)).tobytes() == numpy.asarray(x.T).tobytes()
    with pytest.raises(TypeError, match="shorter than a byte"):
        xpose.transpose(jax.numpy.zeros((2, 2), "int4"))
    with pytest.raises(TypeError, match=r"are not bytes: use jax\.numpy\.transpose"):
        xpose.transpose(jax.random.split(jax.random.key(0), 4).reshape(2, 2))
    with pytest.raises(ValueError, match="axes"):
        xpose.permute_dims(x, (0, 0, 1, 2, 3, 4, 5, 6, 7))
    with pytest.raises(ValueError, match="policy"):
        xpose.permute_dims(x, policy="fastest")


def test_compiles_differentiates_and_batches(jax):
    x = jax.numpy.arange(2.0 * 3 * 4 * 5).reshape(2, 3, 4, 5)

    @jax.jit
    def both(y):
        return xpose.permute_dims(y + 1, (3, 0, 2, 1)) * 2

    assert (both(x) == (x + 1).transpose(3, 0, 2, 1) * 2).all()
    weights = jax.random.normal(jax.random.key(1), (5, 2, 4, 3))
    gradient = jax.grad(lambda y: (xpose.permute_dims(y, (3, 0, 2, 1)) * weights).sum())(x)
    assert (gradient == weights.transpose(1, 3, 2, 0)).all()
    batched = jax.vmap(lambda y: xpose.permute_dims(y, (2, 0, 1)))(x)
    assert (batched == x.transpose(0, 3, 1, 2)).all()


def test_from_threads(jax):
    x = jax.numpy.arange(40.0 * 50 * 6).reshape(40, 50, 6)
    orders = list(itertools.permutations(range(3)))

    def work(seed):
        axes = orders[seed % 6]
        return all((xpose.permute_dims(x, axes) == x.transpose(axes)).all() for _ in range(20))

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(24)))
