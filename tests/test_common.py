"""Names of `mindspore.common`, the marks that compile to nothing here, and `mindspore.hal`."""

import sys

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, ops
from sporax.common.api import _pynative_executor
from sporax.hal.contiguous_tensors_handle import ContiguousTensorsHandle, combine_tensor_list_contiguous
from sporax.ops.function.array_func import arg_max_with_value_, arg_min_with_value_

# What MindSpore 2.7's `mindspore.common.__all__` holds and sporax offers.
COMMON = """
    Generator Int JitConfig Parameter ParameterTuple QuantDtype Tensor TensorType Type _Function _no_grad bfloat16 bool_ byte
    cdouble cfloat complex128 complex64 default_generator double dtype dtype_to_nptype dtype_to_pytype enable_dynamic float16
    float32 float64 float8_e4m3fn float8_e5m2 float_ from_numpy get_py_obj_dtype get_rng_state get_seed half initial_seed int16
    int32 int64 int8 int_ intc intp is_tensor jit jit_class lazy_inline list_ long manual_seed ms_memory_recycle mutable no_inline
    number pytype_to_dtype qint4x2 recompute seed set_recursion_limit set_rng_state set_seed short single string tensor tensor_type
    tuple_ type_none ubyte uint uint16 uint32 uint64 uint8 uintc uintp ushort
"""


@pytest.mark.parametrize("name", COMMON.split())
def test_common_exports(name: str) -> None:
    assert name in ms.common.__all__
    if name != "dtype":
        assert getattr(ms, name) is getattr(ms.common, name)


def test_types_under_other_names() -> None:
    same = {ms.float16: ms.half, ms.float64: ms.double, ms.int8: ms.byte, ms.int64: ms.long, ms.uint32: ms.uintc}
    assert all(a is b for a, b in same.items())
    assert ms.qint4x2.name == "Int4" and ms.cfloat is ms.complex64


def test_tensors_from_functions() -> None:
    t = ms.tensor([1, 2], ms.float16)
    assert isinstance(t, Tensor) and t.dtype == ms.float16
    np.testing.assert_array_equal(ms.from_numpy(np.arange(3.0)).asnumpy(), [0.0, 1.0, 2.0])
    with pytest.raises(TypeError, match=r"expected a numpy\.ndarray, got list"):
        ms.from_numpy([1])


def test_marks() -> None:
    def add(x: Tensor) -> Tensor:
        return x + 1

    assert (
        ms.no_inline(add)
        is ms.no_inline()(add)
        is ms.enable_dynamic(x=Tensor(shape=None, dtype=ms.float32))(add)
        is add
    )
    with pytest.raises(ValueError, match="name at least one argument"):
        ms.enable_dynamic()
    before = sys.getrecursionlimit()
    try:
        ms.set_recursion_limit(before + 10)
        assert sys.getrecursionlimit() == before + 10
    finally:
        sys.setrecursionlimit(before)
    ms.set_recursion_limit(1)
    assert sys.getrecursionlimit() == before
    with pytest.raises(ValueError, match="must be int and must > 0, got 0"):
        ms.set_recursion_limit(0)
    with pytest.raises(TypeError, match=r"must be int, got 1\.5"):
        ms.set_recursion_limit(1.5)


def test_executor() -> None:
    seen = []

    def square(x: Tensor) -> Tensor:
        seen.append(
            (_pynative_executor.grad_flag(), _pynative_executor.requires_grad(), _pynative_executor.high_order())
        )
        return x * x

    square(Tensor(3.0))
    ms.grad(square)(Tensor(3.0))
    ms.grad(ms.grad(square))(Tensor(3.0))
    assert seen == [(False, False, False), (True, True, False), (True, True, True)]
    with ms.no_grad():
        assert not _pynative_executor.enable_grad()
        _pynative_executor.set_enable_grad(True)
        assert ms.grad(square)(Tensor(3.0)).item() == 6.0
    assert _pynative_executor.enable_grad()
    for name in ("set_async_for_graph", "set_grad_flag", "set_enable_grad"):
        assert getattr(_pynative_executor, name)(True) is None
        with pytest.raises(TypeError, match=f"{name}: the flag must be a bool, got 1"):
            getattr(_pynative_executor, name)(1)


def test_what_runs_without_gradients_within_a_gradient() -> None:
    def stopped(x: Tensor) -> Tensor:
        _pynative_executor.set_enable_grad(False)
        inner = x * 5
        _pynative_executor.set_enable_grad(True)
        return x * inner

    assert ms.grad(stopped)(Tensor(1.0)).item() == 5.0
    assert ms.grad(ms.grad(stopped))(Tensor(1.0)).item() == 0.0


# --- hal ------------------------------------------------------------------------------------------------------------


def test_hal_modules() -> None:
    assert ms.hal.device.device_count is ms.hal.device_count and ms.hal.stream.Stream is ms.hal.Stream
    assert ms.hal.get_arch_list() is None


def test_contiguous_tensors() -> None:
    x, y = np.arange(3, dtype=np.float32), np.arange(10, 14, dtype=np.float32).reshape(2, 2)
    flat = np.concatenate([x, y.ravel()])
    a, b = Tensor(x), Tensor(y)
    handle = combine_tensor_list_contiguous((a, b), False)
    assert isinstance(handle, ContiguousTensorsHandle) and handle[3].shape == (1,)
    for index in (slice(None), slice(1, 5), slice(2, None), slice(None, 4, 2)):
        np.testing.assert_array_equal(handle[index].asnumpy(), flat[index])
    np.testing.assert_array_equal(handle.slice_by_tensor_index().asnumpy(), flat)
    np.testing.assert_array_equal(handle.slice_by_tensor_index(1).asnumpy(), y.ravel())
    np.testing.assert_array_equal(handle.slice_by_tensor_index(None, 1).asnumpy(), x)
    a[1] = 7.0
    assert handle[1].item() == 7.0
    assert str(handle).splitlines()[:2] == ["Handle of 7 elements", "Tensor[0]: [0. 7. 2.]"]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda h: ContiguousTensorsHandle([1]), TypeError, r"input list must be \[Tensor, ...\]."),
        (lambda h: ContiguousTensorsHandle(Tensor([1])), TypeError, "input list must be"),
        (lambda h: ContiguousTensorsHandle([]), TypeError, "input list must be"),
        (lambda h: ContiguousTensorsHandle([Tensor([1])], 1), TypeError, "enable_mem_align must be bool."),
        (
            lambda h: h["a"],
            TypeError,
            r"slice input must be 1.index -> int.2.\[start: end: step\] -> \[int: int: int\].",
        ),
        (lambda h: h[1.0:], TypeError, "slice input error."),
        (lambda h: h[4:2], ValueError, "slice input error."),
        (lambda h: h[:100], ValueError, "slice input error."),
        (lambda h: h[-1], ValueError, "slice input is out of tensor_list size."),
        (lambda h: h[3], ValueError, "slice input is out of tensor_list size."),
        (lambda h: h.slice_by_tensor_index(1, 1), ValueError, "slice input error."),
        (lambda h: h.slice_by_tensor_index(0, 3), ValueError, "slice input error."),
    ],
)
def test_contiguous_errors(call, error: type, text: str) -> None:
    with pytest.raises(error, match=text):
        call(ContiguousTensorsHandle([Tensor([1, 2]), Tensor([3])]))


# --- operators under names of their own -----------------------------------------------------------------------------


def test_ready_made_primitives() -> None:
    x = Tensor([[1.0, 3.0], [5.0, 2.0]])
    for primitive, index, value in (
        (arg_max_with_value_, [1, 0], [5.0, 3.0]),
        (arg_min_with_value_, [0, 1], [1.0, 2.0]),
    ):
        where, found = primitive(x)
        np.testing.assert_array_equal(where.asnumpy(), index)
        np.testing.assert_array_equal(found.asnumpy(), value)


def test_unroll_of_a_loop(mode: int) -> None:
    loop = ops.ForiLoop()
    assert loop(0, 4, lambda i, v: v + i, Tensor(1.0), unroll=False).item() == 7.0
    assert loop(lower=0, upper=4, loop_func=lambda i, v: v + i, init_val=Tensor(1.0), unroll=True).item() == 7.0


def test_an_integer_beyond_64_bits() -> None:
    """It has no dtype; MindSpore raises RuntimeError for a number, TypeError for a list with it."""
    for dtype in (None, ms.int64):
        with pytest.raises(RuntimeError, match="the integer 18446744073709551616 takes more than 64 bits"):
            ms.Tensor(2**64, dtype)
    with pytest.raises(TypeError, match="are not numbers"):
        ms.Tensor([2**64])
    assert ms.Tensor(2**63).dtype == ms.uint64
