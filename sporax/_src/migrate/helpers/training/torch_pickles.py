"""Pickles of torch's tensors, written and read without torch.

A pickle names the functions of torch that make a tensor, and the number of a storage: the values, which lie beside the pickle.
"""

import collections
import copy
import io
import pickle

import numpy as np

import sporax as mindspore
from sporax._src.migrate.helpers.training.pickles import _PlainUnpickler

_STORAGES = {
    "float64": "DoubleStorage",
    "float32": "FloatStorage",
    "float16": "HalfStorage",
    "bfloat16": "BFloat16Storage",
    "int64": "LongStorage",
    "int32": "IntStorage",
    "int16": "ShortStorage",
    "int8": "CharStorage",
    "uint8": "ByteStorage",
    "bool": "BoolStorage",
    "complex64": "ComplexFloatStorage",
    "complex128": "ComplexDoubleStorage",
}
_WITHOUT_STORAGE = ("uint16", "uint32", "uint64")  # dtypes that torch keeps in a storage of bytes


_NAMES = (*_STORAGES, *_WITHOUT_STORAGE)


def _dtype(name):
    """Return a dtype of MindSpore by torch's name."""
    return getattr(mindspore, "bool_" if name == "bool" else name)


def _dtype_name(dtype):
    """Return torch's name of a dtype of MindSpore."""
    for name in _NAMES:
        if _dtype(name) == dtype:
            return name
    raise TypeError(f"torch.save: a file of torch has no dtype {dtype}; save it as another one, such as float32.")


_DTYPES = tuple({type(_dtype(name)) for name in _NAMES})

# --- writing --------------------------------------------------------------------------------------------------------


class _TorchName:
    """A class, function or dtype of torch."""

    def __init__(self, module, name):
        self.module, self.name = module, name

    def __call__(self, *args):
        raise TypeError("a name of torch is only written")


class _Storage:
    """The values of a tensor; a pickle has its number."""

    def __init__(self, number, kind, size):
        self.reference = "storage", kind, str(number), "cpu", size


class _Written:
    """A Tensor that is written as a tensor of torch, or a Parameter as a Parameter."""

    def __init__(self, tensor, is_parameter):
        self.tensor, self.is_parameter = tensor, is_parameter


def _with_written(obj):
    """Return an object with a `_Written` in the place of each Tensor of its dicts, lists and tuples."""
    if isinstance(obj, mindspore.Tensor):
        return _Written(obj, isinstance(obj, mindspore.Parameter))
    if isinstance(obj, dict):
        result = copy.copy(obj)
        for key, value in obj.items():
            result[key] = _with_written(value)
        return result
    if isinstance(obj, (list, tuple)):
        values = [_with_written(value) for value in obj]
        return type(obj)(*values) if hasattr(obj, "_fields") else type(obj)(values)
    return _TorchName("torch", _dtype_name(obj)) if isinstance(obj, _DTYPES) else obj


class _TorchPickler(pickle._Pickler):
    """Writes an object with its Tensors as torch's.

    Attributes:
        arrays: The values, by number of the storage.
        names: The names of the Parameters, in order.
    """

    def __init__(self, file):
        super().__init__(file, protocol=2)
        self.arrays, self.names, self._numbers = [], [], {}

    def persistent_id(self, obj):
        return obj.reference if isinstance(obj, _Storage) else None

    def reducer_override(self, obj):
        if isinstance(obj, _TorchName):
            return obj.name
        if not isinstance(obj, _Written):
            return NotImplemented
        if obj.is_parameter:
            self.names.append(obj.tensor.name)
            arguments = _Written(obj.tensor, False), obj.tensor.requires_grad, collections.OrderedDict()
            return _TorchName("torch._utils", "_rebuild_parameter"), arguments
        return self._tensor(obj.tensor)

    def _tensor(self, tensor):
        dtype = _dtype_name(tensor.dtype)
        size = int(np.prod(tensor.shape, dtype=np.int64))
        strides = tuple(int(np.prod(tensor.shape[i + 1 :], dtype=np.int64)) for i in range(tensor.ndim))
        if id(tensor) not in self._numbers:
            self._numbers[id(tensor)] = len(self.arrays)
            self.arrays.append(_bits(tensor, dtype))
        number = self._numbers[id(tensor)]
        rest = 0, tuple(tensor.shape), strides, False, collections.OrderedDict()
        if dtype in _STORAGES:
            storage = _Storage(number, _TorchName("torch", _STORAGES[dtype]), size)
            return _TorchName("torch._utils", "_rebuild_tensor_v2"), (storage, *rest)
        storage = _Storage(number, _TorchName("torch.storage", "UntypedStorage"), self.arrays[number].nbytes)
        return _TorchName("torch._utils", "_rebuild_tensor_v3"), (storage, *rest, _TorchName("torch", dtype))

    def save_global(self, obj, name=None):
        if not isinstance(obj, _TorchName):
            return super().save_global(obj, name)
        self.write(pickle.GLOBAL + f"{obj.module}\n{obj.name}\n".encode())
        self.memoize(obj)


def _bits(tensor, dtype):
    """Return the values of a Tensor as an array, the upper half of float32 for bfloat16."""
    if dtype != "bfloat16":
        return np.ascontiguousarray(tensor.asnumpy())
    bits = np.ascontiguousarray(tensor.astype(mindspore.float32).asnumpy()).view(np.uint32)
    return (bits >> 16).astype(np.uint16)


def _torch_pickle(obj):
    """Return the pickle of an object, the arrays of its storages, and the names of its Parameters."""
    file = io.BytesIO()
    pickler = _TorchPickler(file)
    pickler.dump(_with_written(obj))
    return file.getvalue(), pickler.arrays, pickler.names


# --- reading --------------------------------------------------------------------------------------------------------


class _TorchUnpickler(_PlainUnpickler):
    """Reads a pickle with tensors of torch, and other objects only if `weights_only` is false.

    `storage` returns the bytes of a storage by its number; `names` are the names of the Parameters, in order.
    """

    def __init__(self, file, storage, names=(), weights_only=True):
        super().__init__(file)
        self._storage, self._names, self._weights_only = storage, iter(names), weights_only

    def other(self, module, name):
        if module in ("torch", "torch.storage") and (dtype := _dtype_of_storage(name)):
            return dtype
        if module == "torch" and name in _NAMES:
            return _dtype(name)
        if (module, name) in (("torch._utils", "_rebuild_parameter"), ("torch.nn.parameter", "Parameter")):
            return self._parameter
        known = {
            ("torch._utils", "_rebuild_tensor_v2"): _rebuilt,
            ("torch._utils", "_rebuild_tensor_v3"): _rebuilt,
            ("torch", "Size"): tuple,
        }
        if (module, name) in known:
            return known[module, name]
        return super().other(module, name) if self._weights_only else pickle.Unpickler.find_class(self, module, name)

    def persistent_load(self, pid):
        kind, dtype, number = pid[:3]
        if kind != "storage" or not isinstance(dtype, str):
            raise pickle.UnpicklingError(f"it has a reference {kind!r}, which is no storage")
        return dtype, self._storage(number)

    def _parameter(self, data, requires_grad=True, hooks=None):
        name = next(self._names, None)
        named = {} if name is None else {"name": name}
        return mindspore.Parameter(data, requires_grad=requires_grad, **named)


def _dtype_of_storage(name):
    return "bytes" if name == "UntypedStorage" else next((d for d, kind in _STORAGES.items() if kind == name), "")


def _rebuilt(storage, offset, size, strides, requires_grad=False, hooks=None, dtype=None, metadata=None):
    """Return the Tensor of a part of a storage."""
    name, content = storage
    name = name if dtype is None else _dtype_name(dtype)
    values = np.frombuffer(content, np.uint16 if name == "bfloat16" else name)
    last = offset + sum((n - 1) * stride for n, stride in zip(size, strides, strict=True))
    if min((offset, *size, *strides)) < 0 or (0 not in size and last >= values.size):
        raise pickle.UnpicklingError(f"it has a tensor of shape {size} in a storage of {values.size} values")
    parts = [stride * values.itemsize for stride in strides]
    array = np.lib.stride_tricks.as_strided(values[offset:], size, parts).copy()
    if name == "bfloat16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return mindspore.Tensor(array, _dtype(name))
