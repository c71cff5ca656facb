"""The namespace `mint`: every name resolves, agrees with torch, and computes the same in both modes."""

from types import ModuleType
from typing import Any

import numpy as np
import pytest
import torch
from laws.operators import assert_equal
from laws.samples import Sampler, to_tensors
from mint_calls import FUNCTIONAL, FUNCTIONS, LAYERS, SHAPES, calls

import sporax as ms
from sporax import mint
from sporax._src.core import tree
from sporax._src.core.tensor import is_tensor

OURS_ONLY = {"linalg", "nn", "optim", "special", "functional", "Cell"}
# torch has these under another name, with another signature, or not at all.
ELSEWHERE = {
    "isnan": lambda tensor: torch.isnan(tensor),
    "scatter": lambda x, d, i, s: torch.scatter(x, d, i, s),
    "equal": torch.equal,
    "triangular_solve": lambda b, a, upper=True, transpose=False: tuple(torch.triangular_solve(b, a, upper, transpose)),
}


def numpy_arguments(arguments: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the NumPy arguments of a call."""
    return eval(f"(lambda *a, **k: (a, k))({arguments})", Sampler(arguments).names())


def to_torch(value: Any) -> Any:
    """Return the nested arguments with torch's tensors for NumPy arrays."""
    if isinstance(value, np.ndarray):
        return torch.from_numpy(value.copy())
    if isinstance(value, (tuple, list)):
        return type(value)(to_torch(v) for v in value)
    return {k: to_torch(v) for k, v in value.items()} if isinstance(value, dict) else value


def plain(value: Any) -> Any:
    """Return torch's result as NumPy arrays."""
    if isinstance(value, torch.Tensor):
        return value.detach().numpy()
    return tuple(plain(v) for v in value) if isinstance(value, (tuple, list)) else value


def find(root: Any, path: str) -> Any:
    """Return the object under a dotted name."""
    for part in path.split("."):
        root = getattr(root, part)
    return root


def agree(ours: Any, theirs: Any, call: str) -> None:
    """One call gives torch's values, in PyNative mode and in a graph."""
    args, kwargs = numpy_arguments(call.split("(", 1)[1][:-1])
    want = plain(theirs(*to_torch(args), **to_torch(kwargs)))
    got = ours(*to_tensors(args), **to_tensors(kwargs))
    if is_tensor(got) or isinstance(got, (tuple, list)):
        assert_equal(got, want, rtol=2e-5, label=call)
        kinds = [np.asarray(w).dtype for w in (want if isinstance(want, tuple) else (want,))]
        assert [t.asnumpy().dtype for t in (got if isinstance(got, (tuple, list)) else (got,))] == kinds, call
    else:
        assert got == want, call
    graph = ms.jit(lambda *a: ours(*a, **to_tensors(kwargs)))
    in_graph = graph(*to_tensors(args))
    assert is_tensor(got) or isinstance(got, (tuple, list)) or in_graph == got
    assert_equal(
        in_graph, tree.map_leaves(lambda t: t.asnumpy(), got, is_tensor), rtol=2e-6, label=f"{call} in a graph"
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", calls(FUNCTIONS))
def test_function(call: str) -> None:
    """A function of `mint`, `mint.linalg` or `mint.special` agrees with torch."""
    name = call.split("(")[0]
    agree(find(mint, name), ELSEWHERE.get(name) or find(torch, "trunc" if name == "fix" else name), call)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("call", calls(FUNCTIONAL))
def test_functional(call: str) -> None:
    """A function of `mint.nn.functional` agrees with torch."""
    name = call.split("(")[0]
    home = torch if name in ("flatten", "sigmoid", "tanh") else torch.nn.functional
    agree(getattr(mint.nn.functional, name), getattr(home, name), call)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", calls(LAYERS))
def test_layer(case: str) -> None:
    """A layer has the Parameters of torch's, and agrees with it given the same values, training and not."""
    call, inputs = case.split("|")
    name, arguments = call.split("(", 1)
    args, kwargs = numpy_arguments(arguments[:-1])
    data, _ = numpy_arguments(inputs)
    ours = getattr(mint.nn, name)(*to_tensors(args), **to_tensors(kwargs))
    theirs = getattr(torch.nn, name)(*to_torch(args), **to_torch(kwargs))
    state = dict(theirs.state_dict())
    params = {p.name: p for p in ours.get_parameters()}
    assert {k: tuple(v.shape) for k, v in state.items()} == {k: p.shape for k, p in params.items()}
    for key, param in params.items():
        param.set_data(ms.Tensor(state[key].numpy().astype(param.asnumpy().dtype)))
    for training in (True, False):
        ours.set_train(training)
        theirs.train(training)
        assert_equal(ours(*to_tensors(data)), plain(theirs(*to_torch(data))), rtol=2e-5, label=case)
    for key, value in theirs.state_dict().items():
        np.testing.assert_allclose(params[key].asnumpy(), value.numpy(), rtol=1e-5, atol=1e-6, err_msg=f"{case}: {key}")


@pytest.mark.parametrize("call", calls(SHAPES))
def test_shape(call: str) -> None:
    """What draws, or leaves values open, has the shape asked for; draws differ from call to call."""
    name, arguments = call.split("(", 1)
    args, kwargs = numpy_arguments(arguments[:-1])
    fn = getattr(mint, name)
    assert fn(*to_tensors(args), **to_tensors(kwargs)).shape == (2, 3)


def test_draws_follow_the_generator() -> None:
    """A Generator with the same seed gives the same draws, and other draws at the next call."""
    one, two = ms.Generator().manual_seed(3), ms.Generator().manual_seed(3)
    first = mint.randn(4, generator=one).asnumpy()
    np.testing.assert_array_equal(first, mint.randn(4, generator=two).asnumpy())
    assert (first != mint.randn(4, generator=one).asnumpy()).any()
    assert sorted(mint.randperm(5, generator=one).tolist()) == [0, 1, 2, 3, 4]


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


def test_every_name_is_called() -> None:
    """The tables above hold every public name."""
    used = {c.split("(")[0].split(".")[-1] for c in calls(FUNCTIONS + FUNCTIONAL + LAYERS + SHAPES)}
    used |= {"randperm", "batch_norm_stats", "batch_norm_elemt", "batch_norm_gather_stats_with_counts", "SyncBatchNorm"}
    for module in (mint, mint.nn, mint.nn.functional, mint.linalg, mint.special):
        names = {n for n in module.__all__ if not isinstance(getattr(module, n), ModuleType)}
        assert names - used - OURS_ONLY == set(), module.__name__
        assert all(hasattr(module, name) for name in module.__all__)
