"""The key that `mindspore.common.parameter` gives Parameters of embeddings; a repository of the census imports it."""

from __future__ import annotations

import itertools

_get_unique_parameter_key = itertools.count().__next__
