"""to_json: a pipeline as a tree of plain values."""

from __future__ import annotations

import json
from typing import Any

from sporax._src.data.checks import called
from sporax._src.data.dataset import Dataset, as_method

_HIDDEN = ("children", "parent", "num_parallel_workers")


@as_method
def to_json(self: Dataset, filename: str = "") -> dict[str, Any]:
    """Return a description of the pipeline: per dataset its kind, its arguments and the datasets it reads from.

    Args:
        filename (str): A file to write it to, as JSON. Default: ``''``, none.

    Examples:
        >>> import sporax.dataset as ds
        >>> tree = ds.NumpySlicesDataset([1, 2]).repeat(2).to_json()
        >>> tree["op_type"], tree["count"], tree["children"][0]["op_type"]
        ('Repeat', 2, 'NumpySlicesDataset')
    """
    tree = _tree(self)
    if filename:
        with open(filename, "w", encoding="utf-8") as file:
            json.dump(tree, file, indent=4, sort_keys=True)
    return tree


def _tree(node: Dataset) -> dict[str, Any]:
    name = type(node).__name__
    arguments = {k: _plain(v) for k, v in vars(node).items() if not k.startswith("_") and k not in _HIDDEN}
    return {
        "children": [_tree(child) for child in node.children],
        "num_parallel_workers": node.num_parallel_workers,
        "op_type": name.removesuffix("Dataset") if node.children else name,
        **arguments,
    }


def _plain(value: object) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if callable(value) and hasattr(value, "__name__"):
        return called(value)
    return type(value).__name__
