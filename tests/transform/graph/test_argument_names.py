"""Names of the arguments of a compiled function, and the differences of two calls."""

import numpy as np
import pytest

from sporax import Tensor, nn
from sporax._src.transform.functional import split
from sporax._src.transform.graph.argument_names import differences, summary, tensor_names

X, Y = Tensor(np.ones((2, 3), np.float32)), Tensor(np.ones(4, np.float16))


class Net(nn.Cell):
    def construct(self, images, *masks):
        return images


def several(x, options=None, *rest, scale=1):
    return x


@pytest.mark.parametrize(
    "fn, args, kwargs, names",
    [
        (several, (X,), {}, ["x"]),
        (several, (1, {"a": X, "b": [Y, 2]}), {}, ["options['a']", "options['b'][0]"]),
        (several, (X, 1, Y, Y), {"scale": X}, ["x", "rest[0]", "rest[1]", "scale"]),
        (Net(), (X, Y), {}, ["images", "masks[0]"]),
        (max, (X, Y), {}, ["argument 0", "argument 1"]),
        (lambda x: x, (X, Y), {}, ["x", "argument 1"]),
    ],
)
def test_names_of_tensors(fn, args: tuple, kwargs: dict, names: list[str]) -> None:
    assert tensor_names(fn, split((args, kwargs))[1]) == names


def _key(*args: object, precision: str | None = None, parallel: object = None, **kwargs: object) -> tuple:
    tensors, structure = split((args, kwargs))
    return structure, precision, parallel, *((t.shape, t._data.dtype) for t in tensors)


OTHER = Tensor(np.ones((5, 3), np.float16))
CHANGES = [
    (_key(X), _key(X), []),
    (_key(X), _key(OTHER), ["argument 'x' shape (2, 3) -> (5, 3) and dtype float32 -> float16"]),
    (_key(X, 1), _key(X, 1.0), ["argument 'options': 1 -> 1.0"]),
    (_key(X, 1), _key(X), ["argument 'options': 1 -> left out"]),
    (_key(X), _key(X, scale=3), ["argument 'scale': left out -> 3"]),
    (_key(X, [X]), _key(X, [X, X]), ["argument 'options' structure: list of 1 -> list of 2"]),
    (
        _key(X, {"a": 1}),
        _key(X, {"b": 1}),
        ["argument 'options' structure: dict with keys ['a'] -> dict with keys ['b']"],
    ),
    (_key(X), _key(1), ["argument 'x': float32[2, 3] -> 1"]),
    (_key(X), _key(X, precision="float16"), ["mixed precision None -> float16"]),
    (_key(X), _key(X, parallel=8), ["the settings of parallel training"]),
]


@pytest.mark.parametrize("before, after, texts", CHANGES, ids=[str(texts) for *_, texts in CHANGES])
def test_differences(before: tuple, after: tuple, texts: list[str]) -> None:
    assert differences(several, before, after) == texts


def test_many_differences_are_counted() -> None:
    assert summary(["a", "b"]) == "a, b"
    assert summary(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"
