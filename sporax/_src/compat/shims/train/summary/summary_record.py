"""The last values of summaries, as `mindspore.train.summary.summary_record` gives them to a repository of the census."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax import Tensor
from sporax._src.api.primitives.summary import latest_summaries

_latest = latest_summaries()


def _get_summary_tensor_data() -> dict[str, Any]:
    """Return the last value of each summary since the call before, named as in `"conv1[:Tensor]"`."""
    return {f"{tag}[:{kind}]": Tensor(np.asarray(value)) for (tag, kind), value in _latest().items()}
