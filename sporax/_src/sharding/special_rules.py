"""Operators with special rules for strategies, beyond the correspondence of axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sporax._src.sharding.axis_links import Axis, Links
from sporax._src.sharding.layout import Layout

Shape = Sequence[int]


def gathered(name: str, attrs: Mapping[str, Any], shape: Shape, links: Links) -> set[Axis]:
    """Return the axis classes for which a strategy may have any number, and along which the operand is gathered.

    Args:
        name: The operator.
        attrs: Its attributes.
        shape: That of its first operand.
        links: The classes.
    """
    if name in ("Argmax", "Argmin") or (name in _SPLITS and attrs.get("skip_redistribution")):
        return links.whole
    if name in ("MaxPool", "AvgPool"):  # windows with gaps: a piece of the image has whole windows
        result = links.shapes[0]
        sides = [i for i in (2, 3) if i < len(shape) and links.operands[0][i] in links.whole]
        links.windows += [(links.operands[0][i], result[i]) for i in sides]
        return {links.operands[0][i] for i in sides if not shape[i] % result[i]}
    return set()


_SPLITS = ("Split", "SplitTensor", "SplitWithSize")


def by_themselves(name: str, attrs: Mapping[str, Any], strategies: Sequence[Any], links: Links, devices: int) -> bool:
    """Return whether each operand is sharded by its own strategy, even if corresponding axes differ.

    This holds for matrices that are sharded equally over all devices, for products in two and three dimensions (`enable_nd_tp`),
    and for attention heads with Layouts, where keys may have fewer heads than queries.

    Raises:
        RuntimeError: If the names in the Layouts of a product in several dimensions do not fit.
    """
    by_names = all(isinstance(s, Layout) for s in strategies)
    if name == "FlashAttentionScore":
        return by_names
    if attrs.get("enable_nd_tp") and by_names and len(strategies) == 2 and links.contracts:
        _check_product(name, [_names(s) for s in strategies], links)
        return True
    if (
        name != "MatMul"
        or by_names
        or len(strategies) != 2
        or tuple(strategies[0]) != tuple(strategies[1])
        or len(strategies[0]) != 2
    ):
        return False
    return links.operands[0][1] == links.operands[1][0] and strategies[0][0] * strategies[0][1] == devices


def _names(layout: Layout) -> list[tuple[int, ...]]:
    return [part if isinstance(part, tuple) else (part,) for part in layout.to_dict()["tensor_map"]]


def _check_product(name: str, names: Sequence[Sequence[tuple[int, ...]]], links: Links) -> None:
    """Check that matrices are sharded along x, y in two dimensions, or x, y, z in three."""
    left, right = links.operands
    inner = next(one for one in left if one in links.summed)
    along, rows = names[0][left.index(inner)], names[1][right.index(inner)]
    (columns,) = [cut for one, cut in zip(right[-2:], names[1][-2:], strict=True) if one != inner]
    in_two = len(rows) == len(columns) == 1 and along in (rows, rows + columns)
    in_three = len(rows) == 2 and len(columns) == len(along) == 1 and along[0] == rows[0]
    if not in_two and not in_three:
        raise RuntimeError(
            f"{name}: products in several dimensions (enable_nd_tp) are cut like (..., ('x', 'y')), ('x', 'y') or "
            f"(('z', 'y'), 'x'), (('x', 'z'), 'y'), got {tuple(names[0])} and {tuple(names[1])}."
        )


def tiled(strategy: Any, multiples: Sequence[int], shape: Shape) -> tuple[Any, Any, Shape]:
    """Return the strategies of the operand and the result of a Tile, and the sizes that they divide.

    Along a repeated axis, the repetitions are sharded.

    Args:
        strategy: The numbers, one for each of `multiples`.
        multiples: How often each axis is repeated; the first ones may be new axes.
        shape: That of the operand.
    """
    new = len(multiples) - len(shape)
    sizes = [m if m > 1 else 1 if i < new else shape[i - new] for i, m in enumerate(multiples)]
    operand = tuple(1 if m > 1 else n for n, m in zip(strategy, multiples, strict=True))[new:]
    return operand, tuple(strategy), sizes
