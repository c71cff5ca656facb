"""The state of a run in one file: weights, optimizer, schedule, scaler, random numbers, place in the data, and any numbers.

A run that loads this state continues as if it had never stopped, bit for bit, because all results are a function of the
state.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.signals import uninterrupted
from sporax._src.bindings.primitive import Primitive
from sporax._src.checkpoint import orbax_folder
from sporax._src.checkpoint.serialization import load_checkpoint, save_checkpoint
from sporax._src.core.generator import random_states, set_random_states, set_stream_states, stream_states
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.dist.group import HCCL_WORLD_COMM_GROUP, ranks_of
from sporax._src.dist.objects import all_gather_object
from sporax._src.nn.cell.cell import Cell
from sporax._src.processes.spmd import whole_here
from sporax._src.processes.world import world

_ENTRY = "run_state"  # of a file: what is no array, as JSON
_PLAIN = (bool, int, float, str, type(None))


@dataclass(frozen=True)
class _StateSlot:
    """A value to save: its name, the value, and the function that replaces it."""

    name: str
    value: Any  # a Tensor, or what JSON can hold
    put: Callable[[Any], object]
    nothing: Any = None  # what needs no saving, and what a file means that does not name it


def save_state(path: str | os.PathLike[str], /, *, format: str = "ckpt", **parts: object) -> None:
    """Save everything that a run needs to resume exactly: its parts, and the state of all random numbers.

    The file is written completely or not at all: an interrupted save leaves the previous one. It is a `.ckpt` file,
        whose Parameters `load_checkpoint` reads too. Each process of a run needs its own file. In the format `"orbax"`
        there is one folder for all processes, into which each writes its pieces. Any number of processes can resume
        from the folder, with any strategies.

    Args:
        path: The file, or the folder.
        format: `"ckpt"`, or `"orbax"`, which needs the package `orbax-checkpoint`.
        **parts: The parts by name. Of a Cell (network, optimizer, training step) the Parameters and the random state of
            its operators are saved; of objects with `get_state` and `set_state` (iterators of datasets, Generators) the
            result of `get_state`; of other objects (loss scalers, their managers, schedulers of learning rates,
            callbacks) the attributes that are numbers, strings, Tensors, Parameters, or lists and dicts of them.
            Numbers, strings, and lists and dicts of them are saved as they are, for `load_state` to return. The global
            seed, the random state of the framework and of each seeded operator, and the global generators of NumPy and
            of Python's `random` are saved too.

    Raises:
        OSError: If the file cannot be written.
        ValueError: If `format` is something else.
        RuntimeError: If the format is `"orbax"`, and its package is not there.

    Examples:
        >>> import os, tempfile, sporax as ms
        >>> net = ms.nn.Dense(2, 1)
        >>> optimizer = ms.nn.Adam(net.trainable_params())
        >>> rows = ms.dataset.NumpySlicesDataset([1, 2, 3]).create_tuple_iterator()
        >>> path = os.path.join(tempfile.mkdtemp(), "run.ckpt")
        >>> ms.train.save_state(path, net=net, optimizer=optimizer, rows=rows, epoch=3)
        >>> ms.train.load_state(path, net=net, optimizer=optimizer, rows=rows)
        {'epoch': 3}
    """
    if format not in ("ckpt", "orbax"):
        raise ValueError(f"save_state: format must be 'ckpt' or 'orbax', got {format!r}.")
    values = {name: part for name, part in parts.items() if _is_plain(part)}
    rest = {name: part for name, part in parts.items() if name not in values}
    if format == "ckpt":
        write_state(path, rest, values)
        return
    arrays, saved = _read_off(rest, values)
    everyone: list[Any] = [None] * len(ranks_of("save_state", HCCL_WORLD_COMM_GROUP))
    all_gather_object(everyone, saved)
    orbax_folder.write(path, {name: tensor._data for name, tensor in arrays.items()}, everyone)


def write_state(
    path: str | os.PathLike[str],
    parts: dict[str, Any],
    values: dict[str, Any],
    append_dict: dict[str, Any] | None = None,
) -> None:
    """Do the same as `save_state`, with values that `save_checkpoint` adds."""
    arrays, saved = _read_off(parts, values)
    data = [{"name": name, "data": wrap(whole_here(tensor._data))} for name, tensor in arrays.items()]
    save_checkpoint(data, path, append_dict={**(append_dict or {}), _ENTRY: json.dumps(saved)})


def _read_off(parts: dict[str, Any], values: dict[str, Any]) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the values of parts: Tensors by name, and JSON values."""
    arrays, states = {}, {}
    for slot in _slots(parts):
        if isinstance(slot.value, Tensor):
            if slot.value.has_init:
                slot.value.init_data()
            arrays[slot.name] = slot.value
        elif slot.nothing is None or slot.value != slot.nothing:
            states[slot.name] = slot.value
    return arrays, {"values": values, "states": states, "random": _all_random_states()}


def is_state(contents: dict[str, Any]) -> bool:
    """Return whether a result of `load_checkpoint` is the state of a run."""
    return isinstance(contents.get(_ENTRY), str)


def saved_values(path: str | os.PathLike[str]) -> dict[str, Any] | None:
    """Return the numbers, strings, lists and dicts in a file of `save_state`; None if it is no such file."""
    contents: dict[str, Any] = dict(load_checkpoint(path))
    return json.loads(contents[_ENTRY])["values"] if is_state(contents) else None


def load_state(path: str | os.PathLike[str], /, **parts: object) -> dict[str, Any]:
    """Resume from a file of `save_state`: restore the state of each part and of the random numbers.

    From a folder of all processes, each process reads its pieces of the Parameters that a graph has already cut
    (`Model.build`), and the other Parameters whole. If the number of processes is the same as in the save, each gets
    its own random numbers and positions in datasets; otherwise all get those of the first process.

    Args:
        path: The file, or the folder.
        **parts: The parts, under the names and in the order in which they were saved; all or some of them.

    Returns:
        The numbers, strings, lists and dicts that were saved, by name.

    Raises:
        ValueError: If the file is no state of a run, lacks what a part needs, or has it with another shape. Nothing is
            loaded then.
        OSError: If the file cannot be read.
        RuntimeError: If it is a folder, and the package `orbax-checkpoint` is not there.

    Examples:
        See `save_state`.
    """
    if os.path.isdir(path):
        return _load_folder(path, parts)
    contents = load_checkpoint(path)
    if not is_state(contents):
        raise ValueError(f"load_state: {os.fspath(path)} is no state of a run: save_state has not written it.")
    return put_state(path, contents, parts)


def put_state(path: str | os.PathLike[str], contents: dict[str, Any], parts: dict[str, Any]) -> dict[str, Any]:
    """Do the same as `load_state`, with the result of `load_checkpoint` for a file that `is_state`."""
    saved = json.loads(contents[_ENTRY])
    slots = list(_slots(parts))
    _check_fit(os.fspath(path), slots, contents, saved["states"])
    with uninterrupted():
        for slot in slots:
            slot.put((contents if isinstance(slot.value, Tensor) else saved["states"]).get(slot.name, slot.nothing))
        _set_all_random_states(saved["random"])
    return saved["values"]


def _load_folder(path: str | os.PathLike[str], parts: dict[str, Any]) -> dict[str, Any]:
    folder = orbax_folder.Reading(path)
    size = len(ranks_of("load_state", HCCL_WORLD_COMM_GROUP))
    saved = folder.told[world().rank if len(folder.told) == size else 0]
    slots = list(_slots(parts))
    _check_fit(os.fspath(path), slots, folder.shapes, saved["states"])
    tensors = {slot.name: slot.value for slot in slots if isinstance(slot.value, Tensor)}
    arrays = folder.arrays({name: _cut_of(tensor) for name, tensor in tensors.items()})
    with uninterrupted():
        for slot in slots:
            if isinstance(slot.value, Parameter):
                slot.value.adopt(arrays[slot.name])
            elif isinstance(slot.value, Tensor):
                slot.put(wrap(arrays[slot.name]))
            else:
                slot.put(saved["states"].get(slot.name, slot.nothing))
        _set_all_random_states(saved["random"])
    return saved["values"]


def _cut_of(tensor: Tensor) -> Any:
    """Return the sharding of a Tensor in the graphs of this run; None: it is whole in each process."""
    sharding = tensor.param_info.sharding if isinstance(tensor, Parameter) else None
    return None if sharding is None or sharding.is_fully_replicated else sharding


def _kind(entry: Any) -> tuple[Any, str]:
    """Return the shape and the dtype of the value under a name in a file."""
    return entry if isinstance(entry, tuple) else (entry.shape, str(entry._data.dtype))


def _check_fit(path: str, slots: list[_StateSlot], arrays: dict[str, Any], states: dict[str, Any]) -> None:
    wrong = []
    for slot in slots:
        if not isinstance(slot.value, Tensor):
            if slot.name not in states and slot.nothing is None:
                wrong.append(f"'{slot.name}' is not in the file")
        elif slot.name not in arrays:
            wrong.append(f"'{slot.name}' {describe(slot.value)} is not in the file")
        elif (shape_and_dtype := _kind(arrays[slot.name])) != _kind(slot.value):
            stored = f"Tensor {shape_and_dtype[1]}{list(shape_and_dtype[0])}"
            wrong.append(f"'{slot.name}' is {stored} in the file, {describe(slot.value)} here")
    if wrong:
        more = f" (and {len(wrong) - 5} more)" if len(wrong) > 5 else ""
        raise ValueError(f"load_state: {path} does not fit: {'; '.join(wrong[:5])}{more}. Nothing was loaded.")


# --- what there is to save ------------------------------------------------------------------------------------------


def _slots(parts: dict[str, Any]) -> Iterator[_StateSlot]:
    """Yield the values of the parts; a Parameter of several parts comes once, under its own name if that is free."""
    seen: set[int] = set()
    used_names: set[str] = set()
    for part, value in parts.items():
        for slot in _slots_of(part, value):
            if isinstance(slot.value, Parameter):
                if id(slot.value) in seen:
                    continue
                seen.add(id(slot.value))
                if slot.value.name not in used_names:
                    slot = _StateSlot(slot.value.name, slot.value, slot.put)
            used_names.add(slot.name)
            yield slot


def _slots_of(name: str, value: Any) -> Iterator[_StateSlot]:
    if isinstance(value, Cell):
        for key, parameter in value.parameters_and_names():
            yield _StateSlot(f"{name}.{key}", parameter, parameter.set_data)
        for path, cell in value.cells_and_names(name_prefix=name):
            yield from _draws_of(path, vars(cell))
    elif hasattr(value, "get_state") and hasattr(value, "set_state"):
        yield _StateSlot(name, value.get_state(), value.set_state)
    else:
        yield from _held_by(name, _attributes(value))


def _draws_of(path: str, attributes: dict[str, Any]) -> Iterator[_StateSlot]:
    """Yield the random states that a Cell's own operators and Generators draw from."""
    for attribute, value in attributes.items():
        name = f"{path}.{attribute}"
        if isinstance(value, Primitive):
            own = value._streams
            yield _StateSlot(
                name, stream_states(own), lambda states, own=own: set_stream_states(own, states), nothing=[]
            )
        elif hasattr(value, "get_state") and hasattr(value, "set_state"):
            yield _StateSlot(name, value.get_state(), value.set_state)


def _attributes(value: object) -> Any:
    return value if isinstance(value, (list, dict)) else vars(value) if hasattr(value, "__dict__") else {}


def _held_by(name: str, holder: Any) -> Iterator[_StateSlot]:
    """Yield the values in a list, or in a dict of attributes or entries, that are state."""
    for key, value in list(enumerate(holder) if isinstance(holder, list) else holder.items()):
        inner = f"{name}.{key}"
        if isinstance(value, Parameter):
            yield _StateSlot(inner, value, value.set_data)
        elif isinstance(value, Tensor):
            yield _StateSlot(inner, value, lambda new, key=key: holder.__setitem__(key, Tensor(new)))
        elif _is_plain(value):
            kind = type(value) if isinstance(value, tuple) else _itself
            yield _StateSlot(inner, value, lambda new, key=key, kind=kind: holder.__setitem__(key, kind(new)))
        elif isinstance(value, np.generic):
            yield _StateSlot(
                inner, value.item(), lambda new, key=key, like=value: holder.__setitem__(key, type(like)(new))
            )
        elif isinstance(value, (list, dict)):
            yield from _held_by(inner, value)


def _itself(value: object) -> Any:
    return value


def _is_plain(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(held) for key, held in value.items())
    return isinstance(value, _PLAIN)


# --- random numbers that are nobody's part --------------------------------------------------------------------------


def _all_random_states() -> dict[str, Any]:
    numpy = np.random.get_state(legacy=False)
    numpy["state"] = {
        key: value.tolist() if isinstance(value, np.ndarray) else value for key, value in numpy["state"].items()
    }
    return {"framework": random_states(), "numpy": numpy, "python": random.getstate()}


def _set_all_random_states(states: dict[str, Any]) -> None:
    set_random_states(states["framework"])
    np.random.set_state(states["numpy"])
    version, words, rest = states["python"]
    random.setstate((version, tuple(words), rest))
