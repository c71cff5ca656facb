"""to_json: a pipeline as a tree of plain values."""

from __future__ import annotations

import json
from typing import Any

from sporax._src.data.dataset import Dataset, as_method
from sporax._src.data.pipeline_json import tree


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
    described = tree(self)
    if filename:
        with open(filename, "w", encoding="utf-8") as file:
            json.dump(described, file, indent=4)
    return described
