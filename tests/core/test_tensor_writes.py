"""Tensors from outside that a trace assigns in place."""

from sporax import Tensor
from sporax._src.core.tensor_writes import TensorWrites


def _assign(writes: TensorWrites, tensor: Tensor, value: float) -> None:
    writes.note_assigned(tensor, tensor._data)
    tensor.commit(Tensor(value)._data)


def test_a_tensor_that_is_in_use_has_its_old_array_and_a_write() -> None:
    tensor, writes, found = Tensor(1.0), TensorWrites(), {}
    before = tensor._data
    _assign(writes, tensor, 2.0)
    _assign(writes, tensor, 3.0)
    assert writes.before[id(tensor)] == (tensor, before)
    writes.restore(found, None)
    assert tensor._data is before
    ((owner, value),) = found.values()
    assert owner is tensor and float(value) == 3.0
    assert writes.before == {}


def test_a_tensor_that_only_the_trace_refers_to_is_forgotten() -> None:
    writes, found = TensorWrites(), {}
    _assign(writes, Tensor(1.0), 2.0)
    writes.restore(found, None)
    assert found == {}


def test_a_tensor_that_the_trace_created_is_no_write() -> None:
    tensor, writes, found = Tensor(1.0), TensorWrites(), {}
    writes.note_created(tensor)
    assert writes.has_created(tensor) and not writes.has_created(Tensor(1.0))
    _assign(writes, tensor, 2.0)
    writes.restore(found, None)
    assert found == {} and float(tensor) == 2.0


def test_a_tensor_that_escapes_is_known_to_the_enclosing_trace() -> None:
    tensor, inner, outer, found = Tensor(1.0), TensorWrites(), TensorWrites(), {}
    inner.note_escape(tensor)
    inner.restore(found, outer)
    assert list(found) == list(outer.escaping) == [id(tensor)]
    assert inner.escaping == {}
