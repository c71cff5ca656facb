"""Files of safetensors, as `safetensors.torch` and `safetensors.safe_open` read and write them.

The package itself checks a file, and lists its names; its function for torch would make Tensors of torch.
"""

import json
import math
import mmap
import os

import numpy as np
import safetensors

import sporax as mindspore
from sporax._src.migrate.helpers.training.storage import _replacing
from sporax._src.migrate.helpers.training.torch_pickles import _bits, _dtype, _dtype_name

_KINDS = {
    "F64": "float64", "F32": "float32", "F16": "float16", "BF16": "bfloat16", "I64": "int64", "I32": "int32", "I16": "int16",
    "I8": "int8", "U64": "uint64", "U32": "uint32", "U16": "uint16", "U8": "uint8", "BOOL": "bool", "C64": "complex64",
}  # fmt: skip
# How arrays are sorted in a file, before their names: the package's own order, in which each is aligned.
_ORDER = "BOOL U8 I8 I16 U16 F16 BF16 I32 U32 F32 C64 F64 I64 U64".split()


def _encoded(tensors, metadata=None):
    """Return the header of a file and the arrays that follow it."""
    if not isinstance(tensors, dict):
        raise ValueError(f"Expected a dict of [str, torch.Tensor] but received {type(tensors)}")
    found = []
    for name, tensor in tensors.items():
        if not isinstance(tensor, mindspore.Tensor):
            raise ValueError(f"Key `{name}` is invalid, expected torch.Tensor but received {type(tensor)}")
        dtype = _dtype_name(tensor.dtype)
        kind = next((kind for kind, of in _KINDS.items() if of == dtype), None)
        if kind is None:
            raise safetensors.SafetensorError(
                f"the tensor `{name}` is {dtype}, which a file of safetensors cannot hold"
            )
        found.append((kind, name, tuple(tensor.shape), _bits(tensor, dtype)))
    found.sort(key=lambda one: (-_ORDER.index(one[0]), one[1]))
    header, end = ({"__metadata__": dict(metadata)} if metadata else {}), 0
    for kind, name, shape, array in found:
        header[name] = {"dtype": kind, "shape": shape, "data_offsets": [end, end + array.nbytes]}
        end += array.nbytes
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text, [array for *_, array in found]


def _refuse_shared(tensors):
    """Raise if some names are of one Tensor, which a file would hold more than once."""
    names = {}
    for name, tensor in tensors.items() if isinstance(tensors, dict) else ():
        names.setdefault(id(tensor), set()).add(name)
    if shared := [of for of in names.values() if len(of) > 1]:
        raise RuntimeError(f"Some tensors share memory: {shared}. Use `save_model`, or give each a copy of its own.")


def _save_safetensors(tensors, filename, metadata=None):
    """Write Tensors by name into a file, which appears whole or not at all."""
    _refuse_shared(tensors)
    header, arrays = _encoded(tensors, metadata)
    with _replacing(os.fspath(filename)) as file:
        file.write(header)
        for array in arrays:
            file.write(array.tobytes())


def _safetensors_bytes(tensors, metadata=None):
    """Return the content of a file of Tensors by name."""
    _refuse_shared(tensors)
    header, arrays = _encoded(tensors, metadata)
    return header + b"".join(array.tobytes() for array in arrays)


def _load_safetensors(filename):
    """Return the Tensors of a file by name."""
    with _SafeOpen(filename, "pt") as file:
        return file.get_tensors()


def _from_safetensors_bytes(data):
    """Return the Tensors of the content of a file, by name."""
    safetensors.deserialize(data)  # raises if it is damaged
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    header.pop("__metadata__", None)
    return {name: _tensor_of(*_array_of(data, 8 + size, entry)) for name, entry in header.items()}


def _each_once(state):
    """Return the Tensors of a state that are no other's, and for each further name of one the name that is kept."""
    names = {}
    for name, tensor in state.items():
        names.setdefault(id(tensor), []).append(name)
    kept = {min(of): of for of in names.values()}
    others = {name: first for first, of in kept.items() for name in of if name != first}
    return {name: tensor for name, tensor in state.items() if name not in others}, others


def _save_model(model, filename, metadata=None):
    """Write the state of a network into a file, each Tensor once."""
    state, others = _each_once(model.state_dict())
    _save_safetensors(state, filename, {**others, **(metadata or {})})


def _load_model(model, filename, strict=True):
    """Give a network the state in a file, and return the names that are missing and those that are unexpected."""
    _, others = _each_once(model.state_dict())
    missing, unexpected = model.load_state_dict(_load_safetensors(filename), strict=False)
    missing = {name for name in missing if name not in others and name not in others.values()} | {
        name for name in missing if name in others.values() and not [n for n in others if n not in missing]
    }
    if strict and (missing or unexpected):
        parts = [("Missing", sorted(missing)), ("Unexpected", sorted(unexpected))]
        said = [f"\n    {kind} key(s) in state_dict: " + ", ".join(f'"{n}"' for n in of) for kind, of in parts if of]
        raise RuntimeError(f"Error(s) in loading state_dict for {type(model).__name__}:{''.join(said)}")
    return missing, unexpected


def _array_of(data, begin, entry):
    """Return the values of an entry of a header, bfloat16 as integers of its bits, and the name of the dtype."""
    dtype = _KINDS.get(entry["dtype"])
    if dtype is None:
        raise safetensors.SafetensorError(f"MindSpore has no dtype for {entry['dtype']}")
    kind = np.dtype(np.uint16 if dtype == "bfloat16" else dtype)
    values = np.frombuffer(data, kind, math.prod(entry["shape"]), begin + entry["data_offsets"][0])
    return values.reshape(entry["shape"]), dtype


def _tensor_of(array, dtype):
    """Return the Tensor of an array of `_array_of`."""
    array = np.array(array)
    if dtype == "bfloat16":
        array = (array.astype(np.uint32) << 16).view(np.float32)
    return mindspore.Tensor(array, _dtype(dtype))


class _Slice:
    """A Tensor in a file, of which a part is read by an index."""

    def __init__(self, read, entry):
        self._read, self._entry = read, entry

    def get_shape(self):
        """Return the shape."""
        return list(self._entry["shape"])

    def get_dtype(self):
        """Return the name of the dtype in the file."""
        return self._entry["dtype"]

    def __getitem__(self, index):
        return self._read(self._entry, index)


class _SafeOpen:
    """A file of safetensors that is open; `framework` says whether it gives Tensors ("pt") or arrays ("np")."""

    def __init__(self, filename, framework):
        if framework in ("pt", "torch", "pytorch"):
            self._made = _tensor_of
        elif framework in ("np", "numpy"):
            self._made = lambda array, dtype: np.array(array)
        else:
            raise safetensors.SafetensorError(f'framework {framework!r} is not converted; give "pt" or "np"')
        self._file = safetensors.safe_open(filename, framework="np")
        with open(filename, "rb") as file:
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        size = int.from_bytes(self._data[:8], "little")
        self._begin, self._header = 8 + size, json.loads(self._data[8 : 8 + size])

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self._file = self._data = self._header = None

    def keys(self):
        """Return the names."""
        return self._file.keys()

    def offset_keys(self):
        """Return the names in the order of the file."""
        return self._file.offset_keys()

    def metadata(self):
        """Return the texts that were saved beside the Tensors, or None."""
        return self._file.metadata()

    def get_tensor(self, name):
        """Return a Tensor by its name."""
        return self.get_slice(name)[...]

    def get_tensors(self):
        """Return all Tensors by their names."""
        return {name: self.get_tensor(name) for name in self.offset_keys()}

    def get_slice(self, name):
        """Return an object whose index reads a part of a Tensor."""
        if name not in self.keys():
            raise safetensors.SafetensorError(f"File does not contain tensor {name}")
        return _Slice(self._part, self._header[name])

    def _part(self, entry, index):
        array, dtype = _array_of(self._data, self._begin, entry)
        return self._made(array[index], dtype)
