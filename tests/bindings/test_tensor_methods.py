"""Methods of Tensor keep the signatures of the functions behind them."""

import inspect

import sporax as ms
from sporax import Tensor
from sporax._src.bindings.call_errors import FORMS
from sporax._src.bindings.tensor_methods import METHODS


def test_methods_keep_their_signature() -> None:
    assert inspect.signature(Tensor.abs) == inspect.signature(ms.ops.abs)
    assert Tensor.abs.__doc__ == ms.ops.abs.__doc__
    assert sorted(set(FORMS) - set(METHODS)) == []
