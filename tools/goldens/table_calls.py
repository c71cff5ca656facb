"""Every call of the op table under MindSpore: by function, method and Primitive class, and what it answers."""

import functools
import importlib.util
import operator
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import COOTensor, CSRTensor, Parameter, Tensor, mint, ops
from scipy import sparse

from .common import DTYPES, attempt, dtype_name, set_mode, to_numpy

ROOT = Path(__file__).resolve().parent.parent.parent


def _arrays() -> Any:
    spec = importlib.util.spec_from_file_location("arrays", ROOT / "tests" / "support" / "laws" / "arrays.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


arrays = _arrays()
SPACES = {"ops": ops, "mint": mint, "mint.nn.functional": mint.nn.functional, "numpy": ms.numpy}
ANOTHER = ("float16", "float64", "bfloat16", "int32", "int64", "uint8", "bool")
FLOATS = ("float16", "bfloat16", "float32", "float64")


def find(call: dict[str, Any]) -> Callable[..., Any]:
    """Return the function that a call names: `kind` is a namespace, "Tensor" or "primitive"."""
    kind, name = call["kind"], call["name"]
    if kind == "Tensor":
        return lambda x, *a, **k: operator.attrgetter(name)(x)(*a, **k)
    if kind == "primitive":
        cls = getattr(ops, name)

        def built(*args: Any, **kwargs: Any) -> Any:
            construction, given = arrays.construction(call["params"], call["taken"], args, kwargs)
            return cls(**construction)(*given)

        return built
    return operator.attrgetter(name)(SPACES[kind])


def to_tensor(value: Any, dtype: str | None = None) -> Any:
    """Return the Tensor of an array or sparse matrix; those of float32 in another dtype if one is given."""
    if isinstance(value, np.ndarray):
        tensor = Tensor(value)
        return tensor.astype(DTYPES[dtype]) if dtype and value.dtype == np.float32 else tensor
    if isinstance(value, sparse.csr_array):
        return CSRTensor(Tensor(value.indptr), Tensor(value.indices), to_tensor(value.data, dtype), value.shape)
    if isinstance(value, sparse.coo_array):
        return COOTensor(Tensor(np.stack(value.coords, 1)), to_tensor(value.data, dtype), value.shape)
    return value


def leaves(value: Any) -> list[Any]:
    """Return the Tensors of a nested result, and of sparse Tensors in it."""
    if type(value).__name__ == "TensorPy":  # some functions return what a Tensor wraps
        return [Tensor(value)]
    if isinstance(value, (tuple, list)):
        return [leaf for item in value for leaf in leaves(item)]
    if isinstance(value, CSRTensor):
        return [value.indptr, value.indices, value.values]
    if isinstance(value, COOTensor):
        return [value.indices, value.values]
    return [value]


def described(leaf: Any) -> Any:
    """Return dtype and array of a Tensor, or the type and text of anything else."""
    if isinstance(leaf, Tensor):
        return dtype_name(leaf), to_numpy(leaf)
    return f"{type(leaf).__name__}: {leaf!r}"[:200]


class Call:
    """A call with its operands; they live as long as it does, since results of MindSpore may share their memory."""

    def __init__(self, call: dict[str, Any], dtype: str | None = None, empty: bool = False) -> None:
        self.arrays, named = arrays.arguments(call["case"], ms=ms, numpy=ms.numpy)
        if empty:
            self.arrays = arrays.emptied(self.arrays)
        tensors = arrays.walk(self.arrays, functools.partial(to_tensor, dtype=dtype))
        self.named = arrays.walk(named, functools.partial(to_tensor, dtype=dtype))
        self.tensors = (Parameter(tensors[0], name="p"), *tensors[1:]) if call.get("parameter") else tensors
        self.function = find(call)

    def __call__(self, *tensors: Any) -> list[Any]:
        """Return the leaves of the result."""
        return leaves(self.function(*tensors, **self.named))

    def results(self, seed: int = 1) -> list[Any]:
        """Return what the call gives, as arrays."""
        ms.set_seed(seed)
        return [described(leaf) for leaf in self(*self.tensors)]


def value(call: dict[str, Any]) -> dict[str, Any]:
    """Return what a call gives, and whether it draws."""
    found, error = attempt(lambda: Call(call).results())
    if error is not None and "arameter" in error and not call.get("parameter"):
        again = value(call | {"parameter": True})
        return {"error": error} if "error" in again else again | {"parameter": True}
    if error is not None:
        return {"error": error}
    drawn = any(
        isinstance(one, tuple) and not np.array_equal(one[1], two[1], equal_nan=one[1].dtype.kind in "fc")
        for one, two in zip(found, Call(call).results(seed=2), strict=True)
    )
    return {"result": found} | ({"drawn": True} if drawn else {})


def gradient(call: dict[str, Any]) -> dict[str, Any]:
    """Return gradients of the sum of the results times fixed weights, by the operands of float32."""

    def compute() -> Any:
        made = Call(call)
        rng = np.random.default_rng(0)
        found = [leaf for leaf in made(*made.tensors) if isinstance(leaf, Tensor)]
        weights = [
            Tensor(drawn.astype(np.float32)) if dtype_name(leaf) in FLOATS else None
            for leaf, drawn in [(leaf, rng.standard_normal(leaf.shape)) for leaf in found]
        ]
        places = tuple(
            i for i, t in enumerate(made.tensors) if isinstance(t, Tensor) and t.size and dtype_name(t) == "float32"
        )
        if not places or all(w is None for w in weights):
            return None

        def loss(*xs: Any) -> Any:
            results = [leaf for leaf in made(*xs) if isinstance(leaf, Tensor)]
            return sum((r * w).sum() for r, w in zip(results, weights, strict=True) if w is not None)

        got = ms.grad(loss, places)(*made.tensors)
        return [described(g) for g in (got if isinstance(got, tuple) else (got,))]

    found, error = attempt(compute)
    return {"gradient_error": error} if error is not None else {} if found is None else {"gradient": found}


def outline(call: dict[str, Any], dtype: str | None = None, empty: bool = False) -> str:
    """Return the dtypes and shapes of a call's results where its operands have another dtype or are empty."""

    def compute() -> str:
        found = Call(call, dtype, empty).results()
        return " ".join(
            f"{f[0]}{list(f[1].shape)}".replace(" ", "") if isinstance(f, tuple) else f.split(":")[0] for f in found
        )

    found, error = attempt(compute)
    return found if error is None else "!" + error.split(":")[0]


def varied(call: dict[str, Any]) -> list[str]:
    """Return what else can be asked of a call: other dtypes in place of float32, empty operands."""
    args, kwargs = arrays.arguments(call["case"], ms=ms, numpy=ms.numpy)
    found: list[Any] = []
    arrays.walk((args, kwargs), lambda v: found.append(getattr(v, "dtype", None)))
    return [*(ANOTHER if np.float32 in found else ()), *(["empty"] if arrays.emptied(args) is not None else [])]


def answer(task: dict[str, Any]) -> dict[str, Any]:
    """Return what a task asks for."""
    call = task["call"]
    if task["ask"] == "value":
        return value(call)
    if task["ask"] == "gradient":
        return gradient(call)
    if task["ask"] == "empty":
        return {"empty": outline(call, empty=True)}
    return {"dtypes": {task["ask"]: outline(call, task["ask"])}}


def work(tasks: list[dict[str, Any]], pipe: Any) -> None:
    """Answer tasks one after the other through a pipe, in a process of its own."""
    set_mode("pynative")
    for task in tasks:
        pipe.send(answer(task))
