"""The law of `numpy`: a function agrees with NumPy's. `test_function = calls_of("sporax._src.api.numpy.sets")`."""

from collections.abc import Callable
from typing import Any

import numpy
import numpy as np
import pytest
from laws.operators import assert_equal
from laws.samples import Sampler, to_tensors
from mint_calls import calls
from numpy_calls import CALLS

import sporax as ms
import sporax.numpy as mnp
from sporax._src.base.public_names import defined_in
from sporax._src.core import tree
from sporax._src.core.tensor import is_tensor

# NumPy has these under another name, or dropped them.
ELSEWHERE = {
    "trapz": np.trapezoid,
    "in1d": np.isin,
    "asfarray": lambda a: np.asarray(a, np.float32),
    "sometrue": np.any,
    "norm": np.linalg.norm,
    "multi_dot": np.linalg.multi_dot,
    "matrix_power": np.linalg.matrix_power,
    "array_str": str,
    "indices": lambda sizes: list(np.indices(sizes)),
}


def calls_of(module: str) -> Callable[[str], None]:
    """Return the test of the functions that a module defines: one case for each call of `numpy_calls`."""
    found = [call for call in calls(CALLS) if defined_in(getattr(mnp, call.split("(")[0])) == module]
    assert found, f"no call of {module}"

    @pytest.mark.filterwarnings("ignore")
    @pytest.mark.parametrize("call", found)
    def test_function(call: str) -> None:
        check_call(call)

    return test_function


def arguments(text: str, module: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the NumPy arguments of a call; `numpy` in it is the module under test or NumPy."""
    return eval(f"(lambda *a, **k: (a, k))({text})", Sampler(text).names() | {"numpy": module})


def single(value: Any) -> Any:
    """Return NumPy's result without the 64-bit floats it makes of Python numbers."""
    return tree.map_leaves(np.asarray, value, lambda v: isinstance(v, (np.ndarray, np.generic)))


def check_call(call: str) -> None:
    """A function agrees with NumPy's, in PyNative mode and in a graph, and gives no 64-bit floats."""
    name, text = call.split("(", 1)
    given, named = arguments(text[:-1], numpy)
    want = single((ELSEWHERE.get(name) or getattr(np, name))(*given, **named))
    args, kwargs = arguments(text[:-1], mnp)
    args, kwargs = to_tensors(args), to_tensors(kwargs)
    ours = getattr(mnp, name)
    got = ours(*args, **kwargs)
    if not is_tensor(got) and not isinstance(got, (tuple, list)):
        assert got == want
        return
    if not isinstance(want, bool):
        assert_equal(got, want, rtol=2e-5, label=call)
    found = got if isinstance(got, (tuple, list)) else (got,)
    assert all(t.dtype != ms.float64 for t in found if is_tensor(t)), call
    in_graph = ms.jit(lambda *a: ours(*a, **kwargs))(*args)
    assert_equal(
        in_graph, tree.map_leaves(lambda t: t.asnumpy(), got, is_tensor), rtol=2e-6, label=f"{call} in a graph"
    )
