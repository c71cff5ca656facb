"""Parameters in lists, tuples and dicts of a Cell: they are not registered, and no optimizer trains them."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from sporax._src.core.parameter import Parameter
from sporax._src.core.stateful import Stateful

_log = logging.getLogger("sporax.nn")


def tell_untrained(cell: Any) -> None:
    """Warn of trainable Parameters below a Cell that are only in a list, tuple or dict."""
    own = {id(p) for p in cell.get_parameters()}
    for path, child in cell.cells_and_names():
        for name, value in vars(child).items():
            if not name.startswith("_") and any(
                p.requires_grad and id(p) not in own for p in _nested_parameters(value)
            ):
                _log.warning(
                    "%s: the Parameters in '%s' are not among its Parameters and are not trained, as a %s registers none: use "
                    "CellList, SequentialCell or ParameterTuple.",
                    *(type(cell).__name__, f"{path}.{name}".lstrip("."), type(value).__name__),
                )


def _nested_parameters(value: object) -> Iterator[Parameter]:
    items = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    for item in items:
        if isinstance(item, Parameter):
            yield item
        elif isinstance(item, Stateful):
            yield from (p for p in item._sporax_states() if isinstance(p, Parameter))
