"""The summaries that a network gave last, which programs read that look into its layers."""

from __future__ import annotations

import numpy as np

from sporax import Tensor
from sporax._src.api.primitives.summary import latest_summaries

__all__ = ["_get_summary_tensor_data"]

_latest = latest_summaries()


def _get_summary_tensor_data() -> dict[str, Tensor]:
    """Return the last value of each summary since the call before, named as in `"conv1[:Tensor]"`."""
    return {f"{tag}[:{kind}]": Tensor(np.asarray(value)) for (tag, kind), value in _latest().items()}
