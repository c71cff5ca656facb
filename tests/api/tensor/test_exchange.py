"""DLPack both ways, and Tensors of bytes. The errors of `frombuffer` are those of MindSpore 2.10.0."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch.utils import dlpack as torch_dlpack

import sporax as ms
from sporax import Parameter, Tensor


def aligned(count):
    """Return floats whose address JAX can share."""
    memory = np.empty(count + 16, np.float32)
    start = -memory.ctypes.data % 64 // 4
    return memory[start : start + count]


def test_elements_are_shared_with_numpy_torch_and_jax():
    x = Tensor([1.0, 2.0, 3.0])
    assert np.from_dlpack(x).ctypes.data == x.data_ptr()
    assert torch.from_dlpack(x).data_ptr() == torch.from_dlpack(x.to_dlpack()).data_ptr() == x.data_ptr()
    assert jax.dlpack.from_dlpack(x).unsafe_buffer_pointer() == x.data_ptr()
    assert x.__dlpack_device__() == (1, 0)
    array, tensor, jax_array = aligned(3), torch.arange(3.0), jnp.arange(3.0)
    assert ms.from_dlpack(array).data_ptr() == array.ctypes.data
    assert Tensor.from_dlpack(tensor).data_ptr() == tensor.data_ptr()
    assert ms.utils.from_dlpack(torch_dlpack.to_dlpack(tensor)).data_ptr() == tensor.data_ptr()
    assert ms.from_dlpack(jax_array).data_ptr() == jax_array.unsafe_buffer_pointer()


@pytest.mark.parametrize("dtype", ["bool", "bfloat16", "complex64", "int8", "float16", "float64", "int64"])
def test_dtypes(dtype):
    tensor = torch.tensor([1, 0, 2]).to(getattr(torch, dtype))
    x = ms.from_dlpack(tensor)
    assert str(x.dtype).lower().startswith(dtype.rstrip("_")) and x.asnumpy().tolist() == tensor.tolist()
    assert torch.equal(torch.from_dlpack(x), tensor)
    assert torch.equal(torch.from_dlpack(ms.to_dlpack(x)), tensor)


def test_elements_in_another_order_are_copied():
    array = np.arange(6).reshape(2, 3)
    for view in (array.T, array[:, ::-1], array[:, ::2], array[:0], np.broadcast_to(array, (2, 2, 3))):
        assert ms.from_dlpack(view).asnumpy().tolist() == view.tolist()
    assert ms.from_dlpack(torch_dlpack.to_dlpack(torch.arange(6)[::2])).asnumpy().tolist() == [0, 2, 4]
    assert ms.from_dlpack(np.full((), 3.0)).item() == 3
    assert ms.from_dlpack(Tensor(array).T.to_dlpack()).asnumpy().tolist() == array.T.tolist()


def test_a_shared_tensor_computes_and_a_step_does_not_write_into_the_array():
    array = aligned(4)
    array[:] = 1
    x = ms.from_dlpack(array)
    assert ms.grad(lambda a: (a * a).sum())(x).asnumpy().tolist() == [2.0] * 4
    assert (x + Tensor([1.0] * 4)).asnumpy().tolist() == [2.0] * 4
    p = Parameter(Tensor([0.0] * 4))
    p.data = x
    del x

    @ms.jit
    def step():
        ms.ops.assign_add(p, Tensor([1.0] * 4))
        return p.sum()

    assert step().item() == 8 and array.tolist() == [1.0] * 4
    x = ms.from_dlpack(array)
    x[0] = 5.0
    assert array[0] == 1


def test_a_constant_array_is_copied():
    array = aligned(2)
    array[:] = 7
    array.setflags(write=False)
    assert ms.from_dlpack(array).asnumpy().tolist() == [7.0, 7.0]


def test_what_is_no_capsule():
    capsule = Tensor([1.0]).to_dlpack()
    ms.from_dlpack(capsule)
    for wrong in (capsule, 3):
        with pytest.raises(RuntimeError, match="from_dlpack received an invalid capsule"):
            ms.from_dlpack(wrong)
    with pytest.raises(TypeError, match="to_dlpack: expected a Tensor, got 3"):
        ms.to_dlpack(3)


def test_vectors_of_bytes():
    data = b"\x01\x02\x03\x04\x05"
    assert ms.frombuffer(data, ms.uint8).asnumpy().tolist() == [1, 2, 3, 4, 5]
    assert ms.frombuffer(data, dtype=ms.uint8, count=2, offset=1).asnumpy().tolist() == [2, 3]
    assert ms.frombuffer(data, ms.int16, 2).asnumpy().tolist() == [513, 1027]
    assert ms.frombuffer(data, ms.int16, offset=1).asnumpy().tolist() == [770, 1284]
    assert ms.frombuffer(b"\x80\x3f\x00\x40", ms.bfloat16).float().asnumpy().tolist() == [1.0, 2.0]
    assert ms.frombuffer(b"\x01\x00\x02", ms.bool_).asnumpy().tolist() == [True, False, True]
    assert ms.frombuffer(memoryview(bytearray(8)), ms.complex64).dtype == ms.complex64
    assert ms.frombuffer(np.arange(6).reshape(2, 3), ms.int64).asnumpy().tolist() == [0, 1, 2, 3, 4, 5]
    changing = bytearray(2)
    x = ms.frombuffer(changing, ms.uint8)
    changing[0] = 9
    assert x.asnumpy().tolist() == [0, 0]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((b"1234", ms.uint8, -1, 4), r"offset must be in \[0, 3\], got 4"),
        ((b"1234", ms.uint8, -1, -1), r"offset must be in \[0, 3\], got -1"),
        ((b"1234", ms.uint8, 5), "is not enough for 5 elements of 1 bytes"),
        ((b"1234", ms.uint8, 0), r"both buffer length \(4\) and count \(0\) must not be 0"),
        ((b"", ms.uint8), r"both buffer length \(0\) and count \(-1\) must not be 0"),
        ((b"1234", ms.uint8, -2), "count must be -1 or positive, got -2"),
        ((b"12345", ms.int16), r"must be a multiple of element size \(2\)"),
        (([1, 2], ms.uint8), "does not implement Python buffer protocol"),
        ((np.arange(6).reshape(2, 3).T, ms.int64), "the bytes of the buffer must be contiguous"),
        ((b"1234", np.int32), "dtype must be a MindSpore dtype of numbers"),
        ((b"1234", ms.string), "dtype must be a MindSpore dtype of numbers"),
    ],
)
def test_wrong_buffers(arguments, text):
    with pytest.raises(RuntimeError, match=text):
        ms.frombuffer(*arguments)
