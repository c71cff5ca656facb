"""What programs import from `mindspore.train.summary`: the values that a network gave last, and what summaries are of."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax import Tensor
from sporax._src.api.primitives.summary import latest_summaries

_latest = latest_summaries()
_put: dict[str, Any] = {}


def _get_summary_tensor_data() -> dict[str, Any]:
    """Return the last value of each summary since the call before, named as in `"conv1[:Tensor]"`."""
    found = {f"{tag}[:{kind}]": Tensor(np.asarray(value)) for (tag, kind), value in _latest().items()} | _put
    _put.clear()
    return found
