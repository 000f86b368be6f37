"""PyTorch, CuPy and JAX on a CUDA device: dtypes, streams, graphs, torch.compile, threads."""

import sys
import threading

import pytest

import xpose

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
pytestmark = pytest.mark.skipif(
    not torch.cuda.is_available() or bool(xpose.cuda_unavailable_reason()),
    reason=f"no CUDA device: {xpose.cuda_unavailable_reason() or 'PyTorch sees none'}",
)

NAMES = (
    "bool uint8 int8 int16 int32 int64 uint16 uint32 uint64 float16 bfloat16 float32 float64 "
    "complex32 complex64 complex128 float8_e4m3fn float8_e5m2"
).split()
DTYPES = [getattr(torch, name) for name in NAMES if hasattr(torch, name)]


def filled(shape, dtype=None):
    dtype = dtype or torch.float32
    size = torch.empty((), dtype=dtype).element_size()
    data = torch.randint(0, 256, (*shape, size), dtype=torch.uint8, device="cuda")
    data = data & 1 if dtype == torch.bool else data
    return data.view(dtype).view(shape)


def same(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and torch.equal(
        a.contiguous().view(torch.uint8), b.contiguous().view(torch.uint8)
    )


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_dtypes(dtype):
    x = filled((6, 40, 50, 9), dtype)
    for axes in ((0, 2, 1, 3), (3, 2, 1, 0), (0, 3, 1, 2), (-1, 0, 1, 2)):
        assert same(xpose.permute_dims(x, axes), x.permute(axes))
    view = x[::2, 1:, ::3]
    assert same(xpose.permute_dims(view, (1, 3, 0, 2)), view.permute(1, 3, 0, 2))
    broken = x[:, :, :1].expand(6, 40, 50, 9)
    assert same(xpose.permute_dims(broken, (2, 1, 0, 3)), broken.permute(2, 1, 0, 3))


def test_out_in_place_and_errors():
    x = filled((300, 300))
    expected = x.T.contiguous()
    out = torch.empty_like(x)
    assert xpose.transpose(x, out=out) is out and same(out, expected)
    xpose.transpose(x, out=x)
    assert same(x, expected)
    with pytest.raises(ValueError, match="device|on host"):
        xpose.transpose(x, out=torch.empty(300, 300))
    with pytest.raises(TypeError, match="dtype"):
        xpose.transpose(x, out=torch.empty(300, 300, device="cuda", dtype=torch.int32))
    with pytest.raises(ValueError, match="shape"):
        xpose.permute_dims(filled((3, 4)), (1, 0), out=filled((3, 4)))
    with pytest.raises(ValueError, match="overlap"):
        xpose.transpose(x[:, 1:], out=x[:299])


def test_no_memory_beside_the_output():
    x = filled((1024, 1024))
    xpose.transpose(x)
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    free = torch.cuda.mem_get_info()[0]
    result = xpose.transpose(x)
    assert torch.cuda.max_memory_allocated() - before == result.nbytes
    assert torch.cuda.mem_get_info()[0] == free


@pytest.mark.parametrize("by_plan", [False, True])
def test_current_stream(by_plan):
    x, stream = torch.zeros(2048, 2048, device="cuda"), torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    call = xpose.plan(x) if by_plan else xpose.transpose
    call(x)
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)  # what comes on another stream would read zeros
        x.add_(torch.arange(2048.0, device="cuda"))
        result = call(x)
    stream.synchronize()
    assert same(result, x.T)
    assert result.untyped_storage().resizable()  # of PyTorch's allocator, which record_stream asks


@pytest.mark.parametrize("form", [lambda s: s, lambda s: s.cuda_stream])
def test_given_stream(form):
    x, stream = torch.zeros(2048, 2048, device="cuda"), torch.cuda.Stream()
    torch.cuda.synchronize()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        x.add_(torch.arange(2048.0, device="cuda"))
    result = xpose.transpose(x, stream=form(stream))
    stream.synchronize()
    assert same(result, x.T)


@pytest.mark.parametrize("new", [False, True])
def test_graph(new):
    x = filled((64, 70, 48 + new))
    if not new:
        xpose.permute_dims(x, (2, 0, 1))
    graph = torch.cuda.CUDAGraph()
    torch.cuda.synchronize()
    with torch.cuda.graph(graph):
        result = xpose.permute_dims(x, (2, 0, 1))
    for _ in range(2):
        x.copy_(filled(x.shape))
        graph.replay()
        assert same(result, x.permute(2, 0, 1))


@pytest.mark.skipif(
    not hasattr(torch.Tensor, "__dlpack_c_exchange_api__"), reason="PyTorch has no functions for C"
)
@pytest.mark.parametrize("ordinal", range(torch.cuda.device_count()))
def test_calls_run_no_python(ordinal):
    called = []
    with torch.cuda.device(ordinal):
        x, out = filled((30, 40)), filled((40, 30))
        plan = xpose.plan(x)
        plan(x)  # the first call of all goes another way
        sys.setprofile(lambda frame, event, _: called.append(event))
        result = plan(x)
        plan(x, out)
        sys.setprofile(None)
    assert "call" not in called and same(result, x.T) and same(out, x.T)


@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
@pytest.mark.parametrize("current", [0, 1])
@pytest.mark.parametrize("by_plan", [False, True])
def test_two_devices(current, by_plan):
    for ordinal in (0, 1):
        x = filled((300, 200)).to(f"cuda:{ordinal}")
        expected = x.T.contiguous()
        call = xpose.plan(x) if by_plan else xpose.transpose
        with torch.cuda.device(current):
            for _ in range(2):
                stream = torch.cuda.Stream(x.device)
                stream.wait_stream(torch.cuda.current_stream(x.device))
                torch.cuda.synchronize(x.device)
                with torch.cuda.device(current):
                    result, out = call(x), torch.empty_like(expected)
                    assert call(x, out=out) is out
                    assert torch.cuda.current_device() == current
                torch.cuda.synchronize(x.device)
                assert result.device == x.device and same(result, expected) and same(out, expected)
        with pytest.raises(ValueError, match="plan|device|on cuda"):
            call(x, out=torch.empty_like(expected, device=f"cuda:{1 - ordinal}"))


def test_operator():
    import xpose.torch

    x = torch.randn(3, 40, 50, device="cuda", dtype=torch.float64, requires_grad=True)
    xpose.permute_dims(x, (2, 0, 1)).square().sum().backward()
    assert torch.allclose(x.grad, 2 * x)
    torch.library.opcheck(torch.ops.xpose.permute.default, (x, [1, -1, 0]))
    assert same(xpose.torch.permute(x.detach()), x.detach().permute(2, 1, 0))


@pytest.mark.parametrize("mode", ["default", "reduce-overhead"])
def test_compile(mode):
    import xpose.torch  # noqa: F401

    compiled = torch.compile(
        lambda t: xpose.permute_dims(t * 2, (0, 2, 1)) + 1, fullgraph=True, mode=mode
    )
    for _ in range(3):
        x = torch.randn(8, 300, 200, device="cuda")
        assert torch.allclose(compiled(x), (x * 2).permute(0, 2, 1) + 1)


def test_plan_and_tune():
    x = filled((500, 600, 3))
    report = xpose.tune(x, (2, 0, 1), budget=1, progress=False)
    assert report.winner
    plan = xpose.plan(x, (2, 0, 1), policy="cached_only")
    assert not plan.is_estimate and same(plan(x), x.permute(2, 0, 1))
    out = torch.empty(3, 500, 600, device="cuda")
    assert plan(x, out) is out and same(out, x.permute(2, 0, 1))
    with pytest.raises(ValueError, match="another plan"):
        plan(x[1:])


def test_threads():
    faults = []

    def work(seed):
        with torch.cuda.stream(torch.cuda.Stream()):
            for rows in range(100, 140):
                x = torch.full((rows, 64, 3), float(seed), device="cuda")
                x += torch.arange(3.0, device="cuda")
                if not same(xpose.permute_dims(x, (2, 1, 0)), x.permute(2, 1, 0)):
                    faults.append((seed, rows))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not faults


def test_cupy():
    cupy = pytest.importorskip("cupy")
    x = cupy.arange(60 * 70 * 5, dtype="f4").reshape(60, 70, 5)
    with cupy.cuda.Stream(non_blocking=True) as stream:
        x = x * 2
        result = xpose.permute_dims(x[:, ::-1], (2, 1, 0))
        stream.synchronize()
    assert type(result) is type(x) and bool((result == x[:, ::-1].transpose(2, 1, 0)).all())
    out = cupy.empty((70, 60, 5), "f4")
    assert xpose.permute_dims(x, (1, 0, 2), out=out) is out
    assert bool((out == x.transpose(1, 0, 2)).all())


def test_jax():
    jax = pytest.importorskip("jax")
    if jax.default_backend() not in ("gpu", "cuda"):
        pytest.skip("this JAX sees no GPU")
    x = jax.numpy.arange(60.0 * 70 * 5).reshape(60, 70, 5)
    result = xpose.permute_dims(x, (2, 0, 1))
    assert isinstance(result, jax.Array) and result.devices() == x.devices()
    assert bool((result == x.transpose(2, 0, 1)).all())


def test_cuda_array_interface():
    class Interface:
        def __init__(self, tensor):
            self.__cuda_array_interface__ = tensor.__cuda_array_interface__

    Interface.__cuda_array_interface__ = None
    x, out = filled((30, 50)), filled((50, 30))
    xpose.transpose(Interface(x), out=Interface(out))
    torch.cuda.synchronize()
    assert same(out, x.T)


def test_overhead(capsys):
    """Prints the microseconds that a call takes the processor; nothing is held to them."""
    import time

    x = torch.zeros(64, 64, device="cuda")
    out, plan = torch.empty_like(x), xpose.plan(x, (1, 0))
    calls = {
        "torch x.T.contiguous()": lambda: x.T.contiguous(),
        "permute_dims": lambda: xpose.permute_dims(x, (1, 0)),
        "plan(x)": lambda: plan(x),
        "plan(x, out)": lambda: plan(x, out),
    }
    for name, call in calls.items():
        best = 1e9
        for _ in range(20):
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(500):
                call()
            best = min(best, (time.perf_counter() - start) / 500)
        with capsys.disabled():
            print(f"\n  {name}: {best * 1e6:.2f} us", end="")
