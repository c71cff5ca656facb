"""What of a test is a law of CPUs."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest


def of_cpus(cases: Iterable[str], reasons: Mapping[str, str]) -> list[Any]:
    """Return the cases of a test, those that have a reason marked to be skipped where JAX has another device."""
    return [pytest.param(c, marks=pytest.mark.of_cpus(reasons[c])) if c in reasons else c for c in cases]
