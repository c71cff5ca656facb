"""Items of Tensors that are written into: in PyNative mode `y = x[0]; y[1] = 2` changes x, as does `x[0][1] = 2`.

JAX's arrays are values, so a Tensor that was read from another remembers where; writing into it reads it anew from the first
Tensor, writes, and puts what came out back, item by item. A graph's items are its own, as in MindSpore; there only
`x[0][1] = 2`, in one statement, changes x, which rewritten code sees (`controlflow.operators.set_item`).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, NamedTuple

from sporax._src.core.execution import current
from sporax._src.core.tensor import Tensor


class Place(NamedTuple):
    """Where a Tensor was read from.

    Attributes:
        source: The Tensor that it is an item of.
        shape: The shape of that one.
        index: Which item.
        above: Where `source` was read from, if that is an item too.
    """

    source: weakref.ref[Tensor]
    shape: tuple[int, ...]
    index: Any
    above: Place | None


def remember(item: Tensor, source: Tensor, index: Any) -> Tensor:
    """Note where an item was read, unless rewritten code knows, and return it."""
    scope = current.get().scope
    if scope is None or scope.rewrite is None:
        above = source._place if _path(source)[0] is not None else None
        item._place = Place(weakref.ref(source), source.shape, index, above)
    return item


def _path(item: Tensor) -> tuple[Tensor | None, list[Place]]:
    """Return the first Tensor of which one is an item, and the places on the way; None if it is gone or of another shape."""
    places: list[Place] = []
    place = item._place
    while place is not None:
        places.insert(0, place)
        place = place.above
    first = places[0].source() if places else None
    return (None if first is None or first.shape != places[0].shape else first), places


def write(
    item: Tensor, read: Callable[[Tensor, Any], Tensor], put: Callable[[Tensor, Any, Any], None], index: Any, value: Any
) -> bool:
    """Write into an item and into what it was read from; False if it is no item of a Tensor that is still there.

    Args:
        item: The Tensor that is written into.
        read: Reads an item of a Tensor.
        put: Writes into a Tensor alone.
        index: Where in `item`.
        value: What is written.
    """
    first, places = _path(item)
    if first is None:
        return False
    if (scope := current.get().scope) is not None:
        scope.request_value()  # the program is traced again, rewritten
        return False
    owners = [first]
    for place in places:
        owners.append(read(owners[-1], place.index))
    put(owners[-1], index, value)
    for i in reversed(range(len(places))):
        put(owners[i], places[i].index, owners[i + 1])
    for place, now in zip(places[1:], owners[1:-1], strict=True):
        if (source := place.source()) is not None:
            source._rebind(now)
    item._rebind(owners[-1])
    return True
