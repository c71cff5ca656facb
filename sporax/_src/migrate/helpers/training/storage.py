"""Files of `torch.save` and `torch.load`."""

import pickle

import numpy as np

import sporax as mindspore
from sporax._src.migrate.helpers.training.pickles import _plain_values


def _packed(obj):
    """Return an object with its Tensors as arrays."""
    if isinstance(obj, mindspore.Tensor):
        dtype = str(obj.dtype).lower()
        array = obj.astype(mindspore.float32).asnumpy() if dtype == "bfloat16" else obj.asnumpy()
        name = obj.name if isinstance(obj, mindspore.Parameter) else None
        return {"__tensor__": array, "dtype": "bool_" if dtype == "bool" else dtype, "name": name}
    if isinstance(obj, dict):
        result = type(obj)()
        result.update({key: _packed(value) for key, value in obj.items()})
        return result
    if isinstance(obj, (list, tuple)) and not hasattr(obj, "_fields"):
        return type(obj)(_packed(value) for value in obj)
    return obj


def _unpacked(obj):
    """Return an object with the arrays of its Tensors as Tensors."""
    if isinstance(obj, dict) and "__tensor__" in obj:
        value = mindspore.Tensor(obj["__tensor__"], getattr(mindspore, obj["dtype"]))
        return value if obj["name"] is None else mindspore.Parameter(value, name=obj["name"])
    if isinstance(obj, dict):
        result = type(obj)()
        result.update({key: _unpacked(value) for key, value in obj.items()})
        return result
    if isinstance(obj, (list, tuple)) and not hasattr(obj, "_fields"):
        return type(obj)(_unpacked(value) for value in obj)
    return obj


def _save(obj, f):
    """Save an object to a file."""
    if not hasattr(f, "write"):
        with open(f, "wb") as file:
            _save(obj, file)
        return
    box = np.empty(1, object)
    box[0] = _packed(obj)
    np.save(f, box, allow_pickle=True)


def _load(f, weights_only=True):
    """Return the object that `_save` saved to a file: plain values and Tensors, or any object if `weights_only` is false."""
    if not hasattr(f, "read"):
        with open(f, "rb") as file:
            return _load(file, weights_only)
    name = getattr(f, "name", "the file")
    try:
        if np.lib.format.read_magic(f) != (1, 0):
            raise ValueError("it has another version")
        np.lib.format.read_array_header_1_0(f)
        box = pickle.load(f) if weights_only in (False, 0) else _plain_values(f)
    except ValueError as error:
        raise pickle.UnpicklingError(
            f"torch.load: {name} was not written by the converted torch.save ({error}); "
            "`sporax weights` converts files of torch."
        ) from None
    except pickle.UnpicklingError as error:
        raise pickle.UnpicklingError(
            f"torch.load: {name} contains other things than plain values and Tensors ({error}); "
            "if you trust the file, pass weights_only=False."
        ) from None
    return _unpacked(box[0])
