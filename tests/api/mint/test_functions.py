"""Functions of `mint`, `mint.linalg` and `mint.special` agree with torch."""

import numpy as np
import pytest
import torch
from laws.samples import Sampler, to_tensors
from mint_calls import FUNCTIONS, SHAPES, calls
from mint_laws import agree, find, numpy_arguments

import sporax as ms
from sporax import Tensor, mint

# torch has these under another name, with another signature, or not at all.
ELSEWHERE = {
    "isnan": lambda tensor: torch.isnan(tensor),
    "scatter": lambda x, d, i, s: torch.scatter(x, d, i, s),
    "addr_": lambda x, *vectors, **factors: x.addr_(*vectors, **factors),
    "equal": torch.equal,
    "npu_gelu": torch.nn.functional.gelu,
    "triangular_solve": lambda b, a, upper=True, transpose=False: tuple(torch.triangular_solve(b, a, upper, transpose)),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", calls(FUNCTIONS))
def test_function(call: str) -> None:
    """A function of `mint`, `mint.linalg` or `mint.special` agrees with torch."""
    name = call.split("(")[0]
    agree(find(mint, name), ELSEWHERE.get(name) or find(torch, "trunc" if name == "fix" else name), call)


@pytest.mark.parametrize("call", calls(SHAPES))
def test_shape(call: str) -> None:
    """What draws, or leaves values open, has the shape asked for; draws differ from call to call."""
    name, arguments = call.split("(", 1)
    args, kwargs = numpy_arguments(arguments[:-1])
    fn = getattr(mint, name)
    assert fn(*to_tensors(args), **to_tensors(kwargs)).shape == (2, 3)


def test_batch_norm_over_devices() -> None:
    """The statistics of the parts of a batch give those of the whole."""
    x = Sampler("x").names()["T"](4, 3, 5)
    mean, invstd = mint.batch_norm_stats(ms.Tensor(x), 1e-5)
    np.testing.assert_allclose(mean.asnumpy(), x.mean((0, 2)), rtol=1e-5, atol=1e-6)
    parts = [mint.batch_norm_stats(ms.Tensor(p), 1e-5) for p in (x[:2], x[2:])]
    stacked = [mint.stack([p[i] for p in parts]) for i in (0, 1)]
    moving = ms.Tensor(np.zeros(3, np.float32)), ms.Tensor(np.ones(3, np.float32))
    counts = ms.Tensor(np.full(2, 10, np.float32))
    whole = mint.batch_norm_gather_stats_with_counts(ms.Tensor(x[:2]), *stacked, *moving, counts=counts)
    np.testing.assert_allclose(whole[0].asnumpy(), mean.asnumpy(), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(whole[1].asnumpy(), invstd.asnumpy(), rtol=1e-4)
    np.testing.assert_allclose(moving[0].asnumpy(), 0.1 * x.mean((0, 2)), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(moving[1].asnumpy(), 0.9 + 0.1 * x.var((0, 2), ddof=1), rtol=1e-4)
    got = mint.batch_norm_elemt(ms.Tensor(x), None, None, mean, invstd)
    want = torch.nn.functional.batch_norm(torch.from_numpy(x), None, None, training=True).numpy()
    np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-4, atol=1e-5)


def test_addr_writes_into_its_input(mode: int) -> None:
    x, vectors = Sampler("x").names()["T"](2, 3), [ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0, 5.0])]
    tensor = ms.Tensor(x)
    assert mint.addr_(tensor, *vectors, 2, 0.5) is tensor
    np.testing.assert_allclose(tensor.asnumpy(), 2 * x + 0.5 * np.outer([1, 2], [3, 4, 5]), rtol=1e-6)
    with pytest.raises(ValueError, match=r"the result has shape \[2, 3\], which does not fit in \[3\]"):
        mint.addr_(mint.ones(3), *vectors)
    with pytest.raises(TypeError, match="the result has dtype Float32, which does not fit in Int64"):
        mint.addr_(mint.zeros((2, 3), dtype=ms.int64), *vectors)


def test_addr_has_the_gradients_of_the_product() -> None:
    def total(x: ms.Tensor, a: ms.Tensor, b: ms.Tensor) -> ms.Tensor:
        return mint.sum(mint.addr_(x * 1.0, a, b, 2, 0.5) ** 2)

    arrays = [Sampler(name).names()["T"](*shape) for name, shape in (("x", (2, 3)), ("a", (2,)), ("b", (3,)))]
    theirs = [torch.tensor(x, requires_grad=True) for x in arrays]
    ((theirs[0] * 1.0).addr_(*theirs[1:], beta=2, alpha=0.5) ** 2).sum().backward()
    for call in (ms.grad(total, (0, 1, 2)), ms.jit(ms.grad(total, (0, 1, 2)))):
        for got, want in zip(call(*map(ms.Tensor, arrays)), theirs, strict=True):
            np.testing.assert_allclose(got.asnumpy(), want.grad.numpy(), rtol=1e-5)


def test_empty_takes_its_size_by_keyword() -> None:
    assert mint.empty(size=(2, 3), device="CPU", pin_memory=False).shape == (2, 3)
    assert mint.empty_like(Tensor([1, 2]), pin_memory=False).dtype == ms.int64
    assert [x.tolist() for x in mint.meshgrid(Tensor([1, 2]), Tensor([3]), indexing=None)] == [[[1], [2]], [[3], [3]]]


def test_t_of_more_axes_exchanges_the_first_two() -> None:
    assert mint.t(mint.ones((2, 3, 4))).shape == (3, 2, 4) and mint.t(mint.ones((2, 3))).shape == (3, 2)
    assert ms.ops.t(mint.ones((2, 3, 4))).shape == mint.ones((2, 3, 4)).t().shape == (2, 3, 4)


@pytest.mark.parametrize(
    ("name", "make"),
    [
        (r"mint\.empty", lambda device: mint.empty(2, device=device)),
        (r"mint\.empty_like", lambda device: mint.empty_like(Tensor([1.0, 2.0]), device=device)),
        (r"Tensor\.new_empty", lambda device: Tensor([1.0]).new_empty(2, device=device)),
    ],
)
def test_devices_of_empty_tensors(name, make) -> None:
    assert make("cpu").shape == make("CPU").shape == make(None).shape == (2,)
    with pytest.raises(ValueError, match=rf"{name}: device must be one of .* or npu, got 'x'"):
        make("x")


def test_softmax_without_an_axis() -> None:
    """As in MindSpore 2.10: the first axis of 0, 1 and 3, else the second."""
    for shape, axis in (((3,), 0), ((2, 3), 1), ((2, 3, 4), 0), ((2, 3, 4, 5), 1)):
        x = ms.mint.rand(shape)
        np.testing.assert_array_equal(mint.softmax(x, None).asnumpy(), mint.softmax(x, axis).asnumpy())
