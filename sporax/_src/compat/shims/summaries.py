"""What programs import from `mindspore.train.summary`: the values that a network gave last, and what summaries are of."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from sporax import Tensor
from sporax._src.api.primitives.summary import latest_summaries
from sporax._src.compat.shims.checks.checkparam import check_value_type

_latest = latest_summaries()
_put: dict[str, Any] = {}


def _get_summary_tensor_data() -> dict[str, Any]:
    """Return the last value of each summary since the call before, named as in `"conv1[:Tensor]"`."""
    found = {f"{tag}[:{kind}]": Tensor(np.asarray(value)) for (tag, kind), value in _latest().items()} | _put
    _put.clear()
    return found


def _cache_summary_tensor_data(summary: Iterable[Mapping[str, Any]]) -> bool:
    """Put values, given as `{"name": ..., "data": ...}`, among the last ones, and return True."""
    _put.update((item["name"], item["data"]) for item in summary)
    return True


_FORMATS = {"tensor_format": ("npy", None)}


def process_export_options(export_options: Any) -> Any:
    """Return the options of exported values after a check; None as it is.

    Args:
        export_options: `{"tensor_format": "npy"}`.

    Raises:
        TypeError: If it is no dict of strings.
        ValueError: If an option or its value is unknown.
    """
    if export_options is None:
        return None
    check_value_type("export_options", export_options, [dict])
    for option, form in export_options.items():
        check_value_type("export_option", option, [str])
        check_value_type("export_format", form, [str, type(None)])
        if option not in _FORMATS or form not in _FORMATS[option]:
            raise ValueError(
                f'For "SummaryRecord", export_options must be of {_FORMATS}, but got {option!r}: {form!r}.'
            )
    return export_options


class BaseEnum(enum.Enum):
    """Names that can be listed."""

    @classmethod
    def to_list(cls) -> list[str]:
        """Return the values of all members."""
        return [member.value for member in cls]


class PluginEnum(BaseEnum):
    """What a summary is of."""

    GRAPH = "graph"
    SCALAR = "scalar"
    IMAGE = "image"
    TENSOR = "tensor"
    HISTOGRAM = "histogram"
    TRAIN_LINEAGE = "train_lineage"
    EVAL_LINEAGE = "eval_lineage"
    CUSTOM_LINEAGE_DATA = "custom_lineage_data"
    DATASET_GRAPH = "dataset_graph"
    EXPLAINER = "explainer"
    LANDSCAPE = "landscape"


class WriterPluginEnum(enum.Enum):
    """What a writer of summaries is of."""

    EXPORTER = "exporter"
    EXPLAINER = "explainer"
    SUMMARY = "summary"
    LINEAGE = "lineage"


class ModeEnum(BaseEnum):
    """What a run does whose summaries are written."""

    TRAIN = "train"
    EVAL = "eval"
