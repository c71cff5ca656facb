"""What `torch.save` keeps in a file."""

import mindspore
import numpy as np


def _packed(obj):
    """Return an object with arrays in the place of its Tensors."""
    if isinstance(obj, mindspore.Tensor):
        dtype = str(obj.dtype).lower()
        array = obj.astype(mindspore.float32).asnumpy() if dtype == "bfloat16" else obj.asnumpy()
        name = obj.name if isinstance(obj, mindspore.Parameter) else None
        return {"__tensor__": array, "dtype": "bool_" if dtype == "bool" else dtype, "name": name}
    if isinstance(obj, dict):
        made = type(obj)()
        made.update({key: _packed(value) for key, value in obj.items()})
        return made
    if isinstance(obj, (list, tuple)) and not hasattr(obj, "_fields"):
        return type(obj)(_packed(value) for value in obj)
    return obj


def _unpacked(obj):
    """Return an object with Tensors in the place of their arrays."""
    if isinstance(obj, dict) and "__tensor__" in obj:
        value = mindspore.Tensor(obj["__tensor__"], getattr(mindspore, obj["dtype"]))
        return value if obj["name"] is None else mindspore.Parameter(value, name=obj["name"])
    if isinstance(obj, dict):
        made = type(obj)()
        made.update({key: _unpacked(value) for key, value in obj.items()})
        return made
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


def _load(f):
    """Return the object that `_save` saved to a file."""
    return _unpacked(np.load(f, allow_pickle=True)[0])
