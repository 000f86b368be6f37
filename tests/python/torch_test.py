"""Tensors of PyTorch, on the CPU."""

import functools
import sys

import numpy
import pytest

import xpose


@pytest.fixture
def torch():
    return pytest.importorskip("torch")


def test_dtypes_and_outputs(torch):
    for dtype in (torch.float32, torch.bfloat16, torch.bool, torch.complex64, torch.uint8):
        x = torch.randint(0, 2, (3, 5, 7)).to(dtype)
        result = xpose.permute_dims(x, (2, 0, 1))
        assert result.dtype == dtype and torch.equal(result, x.permute(2, 0, 1))
    x = torch.randn(4, 6, dtype=torch.complex64).conj()
    assert torch.equal(xpose.transpose(x), x.T)
    out = torch.empty(6, 4, dtype=torch.complex64)
    assert xpose.transpose(x, out=out) is out
    plan = xpose.plan(out, (1, 0))
    assert torch.equal(plan(out), out.T)
    place = numpy.zeros((6, 4), "c8")
    assert (xpose.transpose(x, out=place) == x.resolve_conj().numpy().T).all()
    with pytest.raises(TypeError, match="dtype"):
        xpose.transpose(x, out=numpy.zeros((6, 4), "f8"))
    with pytest.raises(TypeError, match="sparse"):
        xpose.transpose(torch.eye(3).to_sparse())


def test_operator(torch):
    import xpose.torch

    x = torch.randn(3, 4, 5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda y: xpose.torch.permute(y, (2, 0, 1)), (x,))
    y = xpose.permute_dims(x, (1, 2, 0))  # has a gradient of itself
    y.square().sum().backward()
    assert torch.allclose(x.grad, 2 * x)
    with pytest.raises(ValueError, match="gradient"):
        xpose.permute_dims(x, (1, 2, 0), out=torch.empty(4, 5, 3, dtype=x.dtype))
    with pytest.raises(ValueError, match="gradient"):
        xpose.plan(x.detach(), (1, 2, 0))(x)
    torch.library.opcheck(torch.ops.xpose.permute.default, (x, [1, -1, 0]))
    fake = torch.compile(
        lambda t: xpose.permute_dims(t, (2, 0, 1)) + 1, fullgraph=True, backend="eager"
    )
    assert torch.equal(fake(x), x.permute(2, 0, 1) + 1)


def test_memory_that_is_not_moved(torch):
    out = torch.zeros(6, 4, dtype=torch.complex64)
    x = torch.randn(4, 6, dtype=torch.complex64)
    for view in (out.conj(), torch._neg_view(out)):
        with pytest.raises(ValueError, match="resolved"):
            xpose.transpose(x, out=view)
        with pytest.raises(ValueError, match="resolved"):
            xpose.plan(x, out=view)
    assert not out.any()
    quantized = torch.quantize_per_tensor(torch.ones(30, 40), 0.1, 0, torch.quint4x2)
    with pytest.raises(TypeError, match="quantized"):
        xpose.transpose(quantized)


def test_results_are_of_its_own_making(torch):
    x = torch.rand(3, 4)
    plan = xpose.plan(x)
    for _ in range(2):  # the first call of all goes another way
        for result in (xpose.transpose(x), plan(x)):
            assert torch.equal(result, x.T)
            assert result.untyped_storage().resizable()  # its allocator knows it
    if hasattr(torch, "int1"):
        assert xpose.transpose(torch.empty(3, 4, dtype=torch.int1)).dtype == torch.int1
        with pytest.raises(TypeError, match="dtype"):
            xpose.transpose(torch.empty(3, 4, dtype=torch.int1), out=torch.empty(4, 3, dtype=torch.int8))


def test_calls_run_no_python(torch):
    if not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"):
        pytest.skip("this PyTorch has no functions for C")
    x, out = torch.rand(3, 4), torch.empty(4, 3)
    plan, engine = xpose.plan(x), xpose.Engine(threads=1, remember=False)
    calls = (
        functools.partial(plan, x),
        functools.partial(plan, x, out),
        functools.partial(engine._core.permute, x, None, None, None, "estimate"),
    )
    called = []

    def note(frame, event, _):
        if event == "call":
            called.append(frame.f_code.co_name)

    for call in calls:
        assert torch.equal(call(), x.T)  # the first call of all goes another way
        sys.setprofile(note)
        call()
        sys.setprofile(None)
    assert not called


def test_results_are_as_it_makes_them(torch):
    for shape in ((), (0, 3), (3, 0), (2, 0, 3), (1, 5), (3, 1, 2)):
        x = torch.rand(shape).to(torch.bfloat16)
        for result in (xpose.transpose(x), xpose.plan(x)(x)):
            like = torch.empty(shape[::-1], dtype=x.dtype)
            assert torch.equal(result, x.permute(tuple(range(x.dim()))[::-1]))
            assert (result.dtype, result.stride()) == (like.dtype, like.stride())
    with torch.inference_mode():
        assert xpose.plan(x)(x).is_inference() and xpose.transpose(x).is_inference()


def test_views_with_other_numbers(torch):
    x = torch.randn(4, 6, dtype=torch.complex64)
    for view in (x.conj(), x.conj().imag, torch._neg_view(x.real), torch._neg_view(x.conj())):
        plain = view.resolve_conj().resolve_neg()
        plan = xpose.plan(view)
        for _ in range(2):
            assert torch.equal(xpose.transpose(view), plain.T)
            assert torch.equal(plan(view), plain.T)


def test_transforms(torch):
    x = torch.randn(2, 3, 4, 5)
    for axes in ((2, 0, 1), (-1, 1, 0)):

        def ours(y):
            return xpose.permute_dims(y, axes)

        def theirs(y):
            return y.permute(axes)

        for ways in ({}, {"in_dims": 2, "out_dims": 1}):
            assert torch.equal(torch.vmap(ours, **ways)(x), torch.vmap(theirs, **ways)(x))
        square = lambda move: lambda y: (move(y) ** 2 * weights).sum()  # noqa: E731
        weights = torch.randn(theirs(x[0]).shape)
        gradients = [torch.func.grad(square(move))(x[0]) for move in (ours, theirs)]
        assert torch.equal(*gradients)
        each = [torch.vmap(torch.func.grad(square(move)))(x) for move in (ours, theirs)]
        assert torch.equal(*each)
        pushed = [torch.func.jvp(move, (x[0],), (x[1],))[1] for move in (ours, theirs)]
        assert torch.equal(*pushed)
        with torch.autograd.forward_ad.dual_level():
            dual = ours(torch.autograd.forward_ad.make_dual(x[0], x[1]))
            assert torch.equal(torch.autograd.forward_ad.unpack_dual(dual).tangent, theirs(x[1]))
    with pytest.raises(TypeError, match="torch.func"):
        torch.vmap(lambda y: xpose.Engine().permute_dims(y))(x)
    plan = xpose.plan(x)
    for _ in range(2):
        assert torch.equal(plan(x), x.permute(3, 2, 1, 0))
        with pytest.raises(TypeError, match="torch.func"):
            torch.vmap(lambda y: y + plan(x).sum())(x)
        with torch.autograd.forward_ad.dual_level(), pytest.raises(TypeError, match="torch.func"):
            plan(x)


def test_subclasses_and_modes(torch):
    from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    with FakeTensorMode():
        fake = xpose.permute_dims(torch.empty(2, 3, 4), (2, 0, 1))
    assert isinstance(fake, FakeTensor) and fake.shape == (4, 2, 3)
    traced = make_fx(lambda y: xpose.permute_dims(y, (1, 0)) + 1)(torch.zeros(2, 3))
    x = torch.randn(2, 3)
    assert torch.equal(traced(x), x.T + 1)  # not the result for the example
    parameter = torch.nn.Parameter(x)
    xpose.transpose(parameter).sum().backward()
    assert torch.equal(parameter.grad, torch.ones(2, 3))


def test_compile(torch):
    import xpose.torch  # noqa: F401

    def compiled(function, *tensors):
        torch._dynamo.reset()
        return torch.compile(function, fullgraph=True, backend="eager")(*tensors)

    x = torch.randn(2, 6, 4)
    for function in (
        lambda y: xpose.matrix_transpose(y) + 1,
        lambda y: xpose.permute_dims(y, (1, 0, 2), policy="measure") + 1,
        lambda y: xpose.rearrange(y, "a (b p) c -> c (a b) p", p=2) + 1,
    ):
        assert torch.equal(compiled(function, x), function(x))
    out = torch.zeros(4, 6, 2)
    assert torch.equal(compiled(lambda y, to: xpose.transpose(y, out=to), x, out), x.permute(2, 1, 0))
    for wrong, words in (
        (torch.zeros(1, 4, 6, 2), "shape"),
        (torch.zeros(4, 6, 2, dtype=torch.float64), "dtype"),
    ):
        with pytest.raises(Exception, match=words):
            compiled(lambda y, to: xpose.transpose(y, out=to), x, wrong)
        assert not wrong.any()
    with pytest.raises(ValueError, match="twice"):
        torch.ops.xpose.permute(torch.empty(3, 4, device="meta"), [0, 0])
    with pytest.raises(ValueError, match="out of bounds"):
        torch.ops.xpose.permute(torch.empty(3, 4, device="meta"), [0, 5])
