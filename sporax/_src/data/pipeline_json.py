"""Pipelines as plain values: each dataset by its kind and the arguments that made it, operations and samplers by their settings.

What is written is a number, a text, a list, or one of these forms: ``{"dataset": 0}`` (a child), ``{"array": ...}``,
``{"dtype": ...}``, ``{"member": ...}`` of an enumeration, ``{"tuple": ...}``, ``{"items": ...}`` of a dictionary,
``{"object": ...}`` of sporax, and ``{"python": ...}``: a function or object of the program, which is never made again, so that
a file runs no code.
"""

from __future__ import annotations

import enum
import inspect
import json
import logging
from collections.abc import Mapping
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.base.json_text import parse_json
from sporax._src.base.public_names import defined_in
from sporax._src.data import checks
from sporax._src.data.dataset import Dataset
from sporax._src.data.samplers import BuiltinSampler
from sporax._src.data.tensor_bridge import as_dtype
from sporax._src.data.transforms.base import TensorOperation

_log = logging.getLogger("sporax.dataset")
_OURS = "sporax._src.data."
_MOST = 10_000  # elements of an array that is written


# Writing.


def tree(node: Dataset) -> dict[str, Any]:
    """Return a pipeline as plain values."""
    name = type(node).__name__
    written = {key: _written(value, node) for key, value in _arguments(node).items()}
    sampler = getattr(node, "sampler", None)
    if isinstance(sampler, BuiltinSampler):
        written["sampler"] = _object(sampler, node)
    return {
        **written,
        "children": [tree(child) for child in node.children],
        "num_parallel_workers": node.num_parallel_workers,
        "op_type": name.removesuffix("Dataset") if node.children else name,
    }


def _arguments(node: Dataset) -> dict[str, Any]:
    """Return the arguments that made a dataset, by name."""
    args, kwargs = node._made_by
    bound = inspect.signature(type(node).__init__).bind(node, *args, **kwargs)
    bound.apply_defaults()
    given = dict(list(bound.arguments.items())[1:])
    return {name: value for name, value in given.items() if name not in ("num_parallel_workers", "cache")}


def _written(value: object, node: Dataset) -> Any:
    if type(value) in (type(None), bool, int, float, str):  # not an enumeration's
        return value
    for kind, form in _FORMS:
        if isinstance(value, kind):
            return form(value, node)
    return {"python": checks.called(value)} if inspect.isroutine(value) else _of_framework(value)


def _of_framework(value: object) -> dict[str, Any]:
    try:
        return {"dtype": str(as_dtype(value))}
    except TypeError:
        return {"python": type(value).__name__}


def _array(value: np.ndarray, node: Dataset) -> dict[str, Any]:
    if value.size > _MOST or value.dtype.kind not in "biufUS":
        return {"python": describe(value)}
    return {"array": value.tolist(), "dtype": str(value.dtype)}


def _object(value: object, node: Dataset) -> dict[str, Any]:
    settings = {name: _written(item, node) for name, item in vars(value).items()}
    ours = defined_in(type(value)).startswith(_OURS)
    return {"object": type(value).__name__, **settings} if ours else {"python": type(value).__name__}


def _child(value: Dataset, node: Dataset) -> dict[str, Any]:
    return {"dataset": next(k for k, child in enumerate(node.children) if child is value)}


_FORMS: list[tuple[Any, Any]] = [
    (Dataset, _child),
    (enum.Enum, lambda value, node: {"member": f"{type(value).__name__}.{value.name}"}),
    (np.ndarray, _array),
    (np.generic, lambda value, node: _array(np.asarray(value), node)),
    (np.dtype, lambda value, node: {"dtype": str(value)}),
    (list, lambda value, node: [_written(item, node) for item in value]),
    (tuple, lambda value, node: {"tuple": [_written(item, node) for item in value]}),
    (Mapping, lambda value, node: {"items": [[_written(key, node), _written(value[key], node)] for key in value]}),
    ((TensorOperation, BuiltinSampler), _object),
]


# Reading.


def dataset_of(described: object) -> Dataset:
    """Return the pipeline of a description.

    Raises:
        RuntimeError: If it is no description, or holds what cannot be read again.
    """
    if not isinstance(described, dict) or not isinstance(described.get("children"), list) or "op_type" not in described:
        raise RuntimeError(f"deserialize: expected a dataset with op_type and children, got {describe(described)}.")
    children = [dataset_of(child) for child in described["children"]]
    name = f"{described['op_type']}{'Dataset' if children else ''}"
    kind = _classes(Dataset).get(name)
    if kind is None:
        raise RuntimeError(f"deserialize: there is no dataset {shown(name)!r}.")
    parameters = list(inspect.signature(kind.__init__).parameters.values())[1:]
    given = {p.name: _read(f"{name}({p.name})", described[p.name], children) for p in parameters if p.name in described}
    sampler = given.pop("sampler", None)
    positional = [given.pop(p.name) for p in parameters if p.kind is p.POSITIONAL_ONLY and p.name in given]
    spread = next((given.pop(p.name) for p in parameters if p.kind is p.VAR_POSITIONAL and p.name in given), ())
    made = kind(*positional, *spread, **given)
    made.num_parallel_workers = described.get("num_parallel_workers", made.num_parallel_workers)
    if sampler is not None:
        vars(made)["sampler"] = sampler
    return made


def _read(where: str, value: Any, children: list[Dataset]) -> Any:
    if isinstance(value, list):
        return [_read(where, item, children) for item in value]
    if not isinstance(value, dict):
        return value
    form = next(iter(value), None)
    if form not in _READS:
        raise RuntimeError(f"deserialize: {where} cannot be read: {shown(describe(value))}.")
    return _READS[form](where, value, children)


def _read_object(where: str, value: dict[str, Any], children: list[Dataset]) -> Any:
    known = _classes(TensorOperation) | _classes(BuiltinSampler)
    if value["object"] not in known:
        raise RuntimeError(f"deserialize: {where}: there is no operation or sampler {shown(value['object'])!r}.")
    made = object.__new__(known[value["object"]])
    vars(made).update({name: _read(where, item, children) for name, item in value.items() if name != "object"})
    return made


def _read_member(where: str, value: dict[str, Any], children: list[Dataset]) -> Any:
    kind, _, name = value["member"].partition(".")
    found = _classes(enum.Enum).get(kind)
    if found is None or name not in found.__members__:
        raise RuntimeError(f"deserialize: {where}: there is no {shown(value['member'])}.")
    return found[name]


def _refused(where: str, value: dict[str, Any], children: list[Dataset]) -> Any:
    raise RuntimeError(
        f"deserialize: {where} was {shown(value['python'])}, an object of the program, which cannot be read again."
    )


_READS: dict[str | None, Any] = {
    "dataset": lambda where, value, children: children[value["dataset"]],
    "array": lambda where, value, children: np.array(value["array"], value["dtype"]),
    "dtype": lambda where, value, children: np.dtype(value["dtype"]),
    "tuple": lambda where, value, children: tuple(_read(where, value["tuple"], children)),
    "items": lambda where, value, children: {
        _read(where, key, children): _read(where, item, children) for key, item in value["items"]
    },
    "member": _read_member,
    "object": _read_object,
    "python": _refused,
}


def _classes(base: type) -> dict[str, Any]:
    """Return the classes of the pipeline that derive from a base, by name."""
    found = {base.__name__: base} if defined_in(base).startswith(_OURS) else {}
    for below in base.__subclasses__():
        found |= _classes(below)
    return {name: kind for name, kind in found.items() if defined_in(kind).startswith(_OURS)}


# The public functions.


def serialize(dataset: Dataset, json_filepath: str = "") -> dict[str, Any]:
    """Return a pipeline as plain values, from which `deserialize` makes it again.

    Functions cannot be read again, and data in memory is written only if there is little of it. Neither MindSpore nor
    sporax reads the files of the other.

    Args:
        dataset (Dataset): The pipeline.
        json_filepath (str): A file to write it to, as JSON. Default: ``''``, none.

    Raises:
        TypeError: If `dataset` is not a dataset.
        OSError: If the file cannot be written.

    Examples:
        >>> import sporax.dataset as ds
        >>> data = ds.NumpySlicesDataset([1, 2, 3], ["a"], shuffle=False).batch(2)
        >>> again = ds.deserialize(ds.serialize(data))
        >>> [row["a"].tolist() for row in again.create_dict_iterator(num_epochs=1, output_numpy=True)]
        [[1, 2], [3]]
    """
    return _dataset("serialize", "dataset", dataset).to_json(json_filepath)


def deserialize(input_dict: dict[str, Any] | None = None, json_filepath: str | None = None) -> Dataset | None:
    """Return the pipeline that `serialize` described; None without a description.

    Args:
        input_dict (dict, optional): The description.
        json_filepath (str, optional): Or the file with it, also one of `config.set_enable_autotune`.

    Raises:
        OSError: If the file cannot be read.
        RuntimeError: If it is no description, or it holds a function or data that could not be written.

    Examples:
        >>> import sporax.dataset as ds
        >>> ds.deserialize(ds.serialize(ds.NumpySlicesDataset([1, 2]).map(lambda x: x)))
        Traceback (most recent call last):
            ...
        RuntimeError: deserialize: MapDataset(operations) was <lambda> ..., an object of the program, which cannot be read again.
    """
    if input_dict:
        return dataset_of(input_dict)
    if not json_filepath:
        return None
    with open(json_filepath, "rb") as file:
        raw = file.read()
    try:
        described = parse_json(raw)
    except ValueError as error:
        raise RuntimeError(f"deserialize: {shown(json_filepath)} is no JSON: {shown(error)}.") from error
    is_tuned = isinstance(described, dict) and "tree" in described and "op_type" not in described
    return dataset_of(described["tree"] if is_tuned else described)


def compare(pipeline1: Dataset, pipeline2: Dataset) -> bool:
    """Return whether two pipelines have the same description.

    Args:
        pipeline1 (Dataset): A pipeline.
        pipeline2 (Dataset): Another.

    Raises:
        TypeError: If one is not a dataset.

    Examples:
        >>> import sporax.dataset as ds
        >>> rows = ds.NumpySlicesDataset([1, 2])
        >>> ds.compare(rows.batch(2), rows.batch(2)), ds.compare(rows, rows.batch(2))
        (True, False)
    """
    pair = _dataset("compare", "pipeline1", pipeline1), _dataset("compare", "pipeline2", pipeline2)
    return pair[0].to_json() == pair[1].to_json()


def show(dataset: Dataset, indentation: int | None = 2) -> None:
    """Write the description of a pipeline to the log ``sporax.dataset``, at level INFO.

    Args:
        dataset (Dataset): The pipeline.
        indentation (int, optional): The spaces before each level; None writes one line. Default: ``2``.

    Raises:
        TypeError: If `dataset` is not a dataset.

    Examples:
        >>> import sporax.dataset as ds
        >>> ds.show(ds.NumpySlicesDataset([1, 2]))
    """
    described = _dataset("show", "dataset", dataset).to_json()
    _log.info(json.dumps(described, indent=indentation))


def _dataset(where: str, name: str, value: object) -> Dataset:
    if not isinstance(value, Dataset):
        raise TypeError(f"{where}: {name} must be a dataset, got {describe(value)}.")
    return value
