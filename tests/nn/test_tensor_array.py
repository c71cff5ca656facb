"""TensorArray: what it holds, in both modes, and its errors."""

import numpy as np
import pytest
from layer_tables import layers_of

import sporax as ms
from sporax import Tensor, nn

TestLayers = layers_of("sporax._src.nn.tensor_array")


class Net(nn.Cell):
    def __init__(self, **settings: object) -> None:
        super().__init__()
        self.array = nn.TensorArray(ms.float32, (2,), **settings)

    def construct(self, index: Tensor, value: Tensor) -> tuple[Tensor, ...]:
        self.array.write(index, value)
        self.array.write(2, value * 2)
        return self.array.read(index), self.array.stack(), self.array.size()


@pytest.mark.filterwarnings("ignore::sporax._src.base.errors.CompileFallback")  # an array that grows does not compile
@pytest.mark.parametrize(("settings", "rows"), [({}, 3), ({"dynamic_size": False, "size": 4}, 4)])
@pytest.mark.usefixtures("mode")
def test_what_was_written_is_there_at_the_next_call(settings: dict[str, object], rows: int) -> None:
    net, wanted = Net(**settings), np.zeros((rows, 2), np.float32)
    assert list(net.get_parameters()) == []
    for index in (0, 1):
        value = np.array([1 + index, 2], np.float32)
        element, stacked, size = net(Tensor(index), Tensor(value))
        wanted[index], wanted[2] = value, value * 2
        np.testing.assert_array_equal(element.asnumpy(), value)
        np.testing.assert_array_equal(stacked.asnumpy(), wanted)
        assert (size.dtype, size.asnumpy()) == (ms.int64, 3)


def test_it_is_empty_again_when_cleared() -> None:
    grows, fixed = nn.TensorArray(ms.bool_, ()), nn.TensorArray(ms.int64, (), False, 3)
    for array, value, rows in ((grows, True, 0), (fixed, 7, 3)):
        assert array.write(1, value) is True
        assert array.stack().asnumpy().tolist()[:2] == [0, value]
        assert array.clear() is True
        assert array.size().asnumpy() == 0
        assert (array.stack().shape, array.stack().dtype) == ((rows,), array.dtype)
        assert not array.stack().asnumpy().any()
        assert array.close() is True


@pytest.mark.parametrize("settings", [{}, {"dynamic_size": False, "size": 4}])
def test_what_does_not_fit(settings: dict[str, object]) -> None:
    array = nn.TensorArray(ms.float32, (2,), **settings)
    with pytest.raises(RuntimeError, match=r"TensorArray.read: index must be in \[0, 0\), got 0"):
        array.read(0)
    with pytest.raises(RuntimeError, match=r"TensorArray.write: index must .*, got -1"):
        array.write(-1, Tensor([1.0, 2.0]))
    for value in (1.0, Tensor([1, 2]), Tensor([1.0])):
        with pytest.raises(RuntimeError, match=r"TensorArray.write: value must be Float32 of shape \[2\], got"):
            array.write(0, value)


@pytest.mark.filterwarnings("ignore:.*runs in PyNative mode")  # an array that grows
@pytest.mark.parametrize("settings", [{}, {"dynamic_size": False, "size": 3}])
def test_what_was_read_stays_when_the_array_is_cleared(settings: dict[str, object], mode: int) -> None:
    class Reads(nn.Cell):
        def __init__(self) -> None:
            super().__init__()
            self.array = nn.TensorArray(ms.float32, (2,), **settings)

        def construct(self, x: Tensor) -> tuple[Tensor, Tensor]:
            self.array.write(0, x)
            out = self.array.read(0), self.array.stack()
            self.array.close()
            return out

    one, all_ = Reads()(Tensor([1.0, 2.0]))
    assert one.asnumpy().tolist() == [1, 2] and all_[0].asnumpy().tolist() == [1, 2]


def test_a_fixed_array_does_not_grow() -> None:
    with pytest.raises(RuntimeError, match=r"TensorArray.write: index must be in \[0, 3\), got 3"):
        nn.TensorArray(ms.int64, (), False, 3).write(3, 1)


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((3, ()), TypeError, "TensorArray: dtype must be a dtype of numbers or bool, got "),
        ((ms.string, ()), TypeError, "TensorArray: dtype must be a dtype of numbers or bool, got "),
        ((ms.int32, 3), TypeError, "element_shape must be of type tuple or list, got 3"),
        ((ms.int32, (), 1), TypeError, "dynamic_size must be of type bool, got 1"),
        ((ms.int32, (), False, -1), ValueError, "size must be a non-negative integer, got -1"),
        ((ms.int32, (), True, 0, 1), TypeError, "name must be of type str, got 1"),
    ],
)
def test_bad_arguments(arguments: tuple[object, ...], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        nn.TensorArray(*arguments)
