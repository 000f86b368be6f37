"""rearrange, by patterns of einops."""

import array

import numpy
import pytest

import xpose


def test_axes():
    x = numpy.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    assert (xpose.rearrange(x, "b h w c -> b c h w") == x.transpose(0, 3, 1, 2)).all()
    assert (xpose.rearrange(x, "... w c->c ... w") == x.transpose(3, 0, 1, 2)).all()
    assert xpose.rearrange(x, "b h w c -> b (h w) c").shape == (2, 12, 5)
    assert xpose.rearrange(x[:1], "1 h w c -> c h w 1").shape == (5, 3, 4, 1)


def test_groups():
    x = numpy.arange(2 * 12 * 8).reshape(2, 12, 8)
    expected = x.reshape(2, 3, 4, 2, 4).transpose(0, 1, 3, 2, 4).reshape(2, 6, 16)
    result = xpose.rearrange(x, "b (h p) (w q) -> b (h w) (p q)", p=4, w=2)
    assert (result == expected).all()
    wide = numpy.zeros((0, 2**33), "u1")
    assert xpose.rearrange(wide, "a (b c) -> a b c", b=2**32).shape == (0, 2**32, 2)


def test_axes_named_as_the_parameters():
    image = numpy.arange(6 * 8).reshape(6, 8)
    result = xpose.rearrange(image, "(x pattern) y -> x y pattern", x=2)
    assert (result == image.reshape(2, 3, 8).transpose(0, 2, 1)).all()
    assert xpose.rearrange(image, "(x pattern) y -> x y pattern", pattern=2).shape == (3, 8, 2)


def test_merged_ellipsis():
    x = numpy.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)
    assert (xpose.rearrange(x, "a ... -> (...) a") == x.transpose(1, 2, 3, 0).reshape(60, 2)).all()
    assert (xpose.rearrange(x, "... a -> (a ... 1)") == x.transpose(3, 0, 1, 2).ravel()).all()
    assert xpose.rearrange(x[0, 0, 0], "... a -> a (...)").shape == (5, 1)
    out = numpy.zeros((5, 24), x.dtype)
    xpose.rearrange(x, "... a -> a (...)", out=out)
    assert (out == x.reshape(24, 5).T).all()


def test_out():
    x = numpy.arange(2 * 12 * 8).reshape(2, 12, 8)
    out = numpy.zeros((8, 2, 12), x.dtype)
    assert xpose.rearrange(x, "a b c -> c a b", out=out) is out and (out == x.transpose(2, 0, 1)).all()
    merged = numpy.zeros((8, 24), x.dtype)
    assert xpose.rearrange(x, "a b c -> c (a b)", out=merged) is merged
    assert (merged == x.transpose(2, 0, 1).reshape(8, 24)).all()
    with pytest.raises(ValueError, match="shape"):
        xpose.rearrange(x, "a b c -> c (a b)", out=merged.T)
    other = numpy.zeros((24, 16), x.dtype).T[::2]
    assert xpose.rearrange(x, "a b c -> c (a b)", out=other) is other and (other == merged).all()


def test_buffers():
    x = numpy.arange(6, dtype="f4").reshape(2, 3)
    for out in (array.array("f", 6 * [0]), memoryview(numpy.zeros(6, "f4"))):
        assert xpose.rearrange(x, "a b -> (b a)", out=out) is out and list(out) == [0, 3, 1, 4, 2, 5]
    assert xpose.rearrange(memoryview(numpy.arange(6)), "(a b) -> b a", a=2).tolist() == [[0, 3], [1, 4], [2, 5]]
    with pytest.raises(ValueError, match=r"out has the shape \(5,\), the result \(6,\)"):
        xpose.rearrange(x, "a b -> (b a)", out=array.array("f", 5 * [0]))
    for pattern in ("a b -> b a", "a b -> (b a)"):
        with pytest.raises(TypeError, match="out is no array, but list"):
            xpose.rearrange(x, pattern, out=6 * [0])


class OfDLPack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **given):
        return self.array.__dlpack__(**given)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Shaped(OfDLPack):
    def __init__(self, array):
        super().__init__(array)
        self.shape = array.shape


def test_arrays_that_cannot_be_reshaped():
    x = numpy.arange(6, dtype="f4").reshape(2, 3)
    with pytest.raises(TypeError, match="x is OfDLPack, an array without the attribute shape"):
        xpose.rearrange(OfDLPack(x), "a b -> b a")
    assert (xpose.rearrange(Shaped(x), "a b -> b a") == x.T).all()
    with pytest.raises(TypeError, match="x is Shaped, an array without the method reshape"):
        xpose.rearrange(Shaped(x.ravel()), "(a b) -> b a", a=2)
    with pytest.raises(TypeError, match="out is Shaped, an array without the method reshape"):
        xpose.rearrange(x, "a b -> (b a)", out=Shaped(numpy.zeros(6, "f4")))


def test_subclasses_of_numpy():
    x = numpy.arange(12.0).reshape(6, 2).view(numpy.matrix)
    expected = numpy.asarray(x).reshape(2, 3, 2).transpose(2, 0, 1)
    result = xpose.rearrange(x, "(a b) c -> c a b", a=2)
    assert type(result) is numpy.ndarray and (result == expected).all()
    out = numpy.zeros((2, 6)).view(numpy.matrix)
    assert xpose.rearrange(x, "(a b) c -> c (a b)", a=2, out=out) is out and (out == x.T).all()
    with pytest.raises(TypeError, match="a masked array has two arrays"):
        xpose.rearrange(numpy.ma.zeros((6, 2)), "(a b) c -> c a b", a=2)


def test_wrong_types():
    with pytest.raises(TypeError, match="pattern is a text, not int"):
        xpose.rearrange(numpy.zeros((6, 7)), 3)
    for size, error in (("x", TypeError), (1.5, TypeError), (-2, ValueError)):
        with pytest.raises(error, match="p is"):
            xpose.rearrange(numpy.zeros((6, 7)), "(a p) b -> a b p", p=size)


@pytest.mark.parametrize(
    "pattern, sizes, words",
    [
        ("a b", {}, "->"),
        ("a b c -> a b c", {}, "axes on the left"),
        ("a b -> a", {}, "one side"),
        ("a a -> a a", {}, "twice"),
        ("(a b -> a b", {}, "pair"),
        ("(a c) b -> a b c", {}, "open"),
        ("(a c) b -> a b c", {"a": 4}, "does not fit"),
        ("a b -> b a", {"z": 4}, "does not name"),
        ("a b -> b a", {"a": 5}, "does not fit"),
        ("a 2b -> 2b a", {}, "neither"),
        ("... a -> a", {}, "'...'"),
        ("a ... -> ... (... a)", {}, "'...'"),
        ("(... a) -> a ...", {}, "on the left"),
    ],
)
def test_errors(pattern, sizes, words):
    with pytest.raises(ValueError, match=words):
        xpose.rearrange(numpy.zeros((6, 7)), pattern, **sizes)
