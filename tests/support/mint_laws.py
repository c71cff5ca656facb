"""The law of `mint`: a call gives torch's values, in PyNative mode and in a graph."""

from typing import Any

import numpy as np
import torch
from laws.operators import assert_equal
from laws.samples import Sampler, to_tensors

import sporax as ms
from sporax._src.core import tree
from sporax._src.core.tensor import is_tensor


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
