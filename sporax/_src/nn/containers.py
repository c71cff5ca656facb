"""Containers of Cells: SequentialCell, CellList, CellDict."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
from itertools import islice
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.core.execution import current
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import is_int, label

__all__ = ["CellDict", "CellList", "SequentialCell"]  # fmt: skip


class _Container(Cell):
    """A base of containers: children have keys, not attributes, and Parameters are named after the key."""

    def __getattr__(self, name: str) -> Any:
        cells = self.__dict__.get("_cells")
        if cells is not None and name in cells:
            return cells[name]
        raise AttributeError(f"The '{type(self).__name__}' object has no attribute '{name}'.")

    def _put(self, key: str, cell: Cell, prefix: str | None = None) -> None:
        if self._auto_prefix:
            cell.update_parameters_name(f"{_own_prefix(self._cells.items())[0] if prefix is None else prefix}{key}.")
        self._cells[key] = cell
        self._sporax_invalidate("its Cells changed")

    def _read(self) -> OrderedDict[str, Cell]:
        """Return the children by key; a graph being built depends on this set of children."""
        scope = current.get().scope
        if scope is not None:
            scope.note_cell(self)
        return self._cells

    def _check_cell(self, cell: object) -> Cell:
        if not isinstance(cell, Cell):
            raise TypeError(f"{label(self)}: each element must be a Cell, got {describe(cell)}.")
        return cell

    def _index(self, index: Any, *, end: bool = False) -> int:
        """Return an index as a non-negative position; `end` allows the position after the last."""
        count = len(self._cells)
        if not is_int(index):
            raise TypeError(f"{label(self)}: the index must be an integer, got {describe(index)}.")
        if not -count <= index < count + end:
            raise IndexError(
                f"{label(self)}: the index must be in [{-count}, {count}{']' if end else ')'}, got {index}."
            )
        return index + count if index < 0 else index

    def _positions(self, index: object) -> list[int]:
        if isinstance(index, slice):
            return list(range(len(self._cells)))[index]
        return [self._index(index)]

    def _rekey(self, children: Iterable[tuple[str, Cell, bool]], prefix: str, depth: int) -> None:
        """Set the children: key, Cell, and whether the key replaces the old key in the names of the Parameters."""
        self._cells.clear()
        for key, cell, named in children:
            for _, param in cell.parameters_and_names() if named else ():
                param.name = ".".join([prefix + key, *param.name.split(".")[depth + 1 :]])
            self._cells[key] = cell
        self._sporax_invalidate("its Cells changed")

    def __len__(self) -> int:
        return len(self._cells)

    def __bool__(self) -> bool:
        return len(self._cells) != 0

    def set_grad(self, flag: bool = True) -> None:
        """Mark the container and its Cells for gradients; gradients need no such mark here."""
        super().set_grad(flag)
        for cell in self._cells.values():
            cell.set_grad(flag)


def _own_prefix(children: Iterable[tuple[str, Cell]]) -> tuple[str, int]:
    """Return the prefix of a container in the names of its Parameters (`"block."` inside a network), and its number of words.

    The prefix is that of MindSpore's checkpoints: the words before the key in the first Parameter's name. If the key
    occurs several times, its position is the one at which the second child has its own key or, without a second child,
    the last one. For example, a Cell that is appended to the single block `0.conv.0.weight` is called `0.conv.1.…`.
    """
    firsts = ((key, next(cell.parameters_and_names(), None)) for key, cell in children)
    named = list(islice(((key, first[1].name.split(".")) for key, first in firsts if first is not None), 2))
    if not named:
        return "", 0
    key, words = named[0]
    indices = [i for i, word in enumerate(words) if word == key]
    agreed = [i for i in indices if len(named) > 1 and named[1][1][i : i + 1] == [named[1][0]]]
    depth = (agreed[:1] or indices[-1:] or [0])[0]
    return "".join(f"{word}." for word in words[:depth]), depth


class SequentialCell(_Container):
    """Runs Cells one after the other.

    Args:
        args: Cells; or a list of Cells; or an OrderedDict of Cells by name.

    Inputs:
        - **input_data** (Tensor) - The input of the first Cell.

    Outputs:
        The result of the last Cell.

    Raises:
        TypeError: If an argument is no Cell (or list or OrderedDict of Cells).

    Examples:
        >>> import numpy as np
        >>> import sporax as ms
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(3, 4), ms.nn.ReLU(), ms.nn.Dense(4, 2))
        >>> net(ms.Tensor(np.ones((5, 3), np.float32))).shape
        (5, 2)
        >>> [p.name for p in net.trainable_params()]
        ['0.weight', '0.bias', '2.weight', '2.bias']
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        children = args[0] if len(args) == 1 and not isinstance(args[0], Cell) else args
        if not isinstance(children, (list, OrderedDict)) and children is not args:
            raise TypeError(
                f"{label(self)}: expected Cells, a list of Cells or an OrderedDict, got {describe(children)}."
            )
        named = (
            children.items()
            if isinstance(children, OrderedDict)
            else ((str(i), cell) for i, cell in enumerate(children))
        )
        self._sporax_quietly("_is_dynamic_name", [])
        for name, cell in named:
            self._put(name, self._check_cell(cell), "")
            self._is_dynamic_name.append(not isinstance(children, OrderedDict))
        self._relist()

    def _relist(self) -> None:
        self._sporax_quietly("cell_list", list(self._cells.values()))

    def __getitem__(self, index: int | slice | str) -> Any:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._cells.items())[index]))
        return list(self._cells.values())[self._index(index)]

    def __setitem__(self, index: int, cell: Cell) -> None:
        key = list(self._cells)[self._index(index)]
        self._put(key, self._check_cell(cell))
        self._relist()

    def __delitem__(self, index: int | slice | str) -> None:
        gone = set(self._positions(index))
        rows = zip(self._cells.items(), self._is_dynamic_name, strict=True)
        remaining = [row for i, row in enumerate(rows) if i not in gone]
        own = _own_prefix([child for child, _ in remaining])
        self._is_dynamic_name[:] = [dynamic for _, dynamic in remaining]
        self._rekey([(str(i) if new else key, cell, new) for i, ((key, cell), new) in enumerate(remaining)], *own)
        self._relist()

    def append(self, cell: Cell) -> None:
        """Add a Cell at the end."""
        self._put(str(len(self)), self._check_cell(cell))
        self._is_dynamic_name.append(True)
        self._relist()

    def construct(self, input_data: Any) -> Any:
        for cell in self.cell_list:
            input_data = cell(input_data)
        return input_data


class CellList(_Container):
    """A list of Cells, indexed and changed like a Python list; it has no `construct` of its own.

    Args:
        args: A list of Cells, or nothing.
        auto_prefix: Whether the names of Parameters begin with the index. Default: True.

    Raises:
        TypeError: If an element is no Cell.

    Examples:
        >>> import sporax as ms
        >>> cells = ms.nn.CellList([ms.nn.Dense(3, 4)])
        >>> cells.append(ms.nn.Dense(4, 2))
        >>> [p.name for p in cells.trainable_params()]
        ['0.weight', '0.bias', '1.weight', '1.bias']
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(kwargs.get("auto_prefix", True))
        if len(args) == 1:
            self.extend(args[0])

    def __getitem__(self, index: int | slice | str) -> Any:
        if isinstance(index, slice):
            return CellList(list(self._read().values())[index])
        return self._read()[str(self._index(index))]

    def __setitem__(self, index: int, cell: Cell) -> None:
        self._put(str(self._index(index)), self._check_cell(cell))

    def __delitem__(self, index: int | slice | str) -> None:
        gone = set(self._positions(index))
        remaining = [child for i, child in enumerate(self._cells.items()) if i not in gone]
        own = _own_prefix(remaining)
        self._rekey([(str(i), cell, self._auto_prefix) for i, (_, cell) in enumerate(remaining)], *own)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._read().values())

    def __iadd__(self, cells: list[Cell]) -> CellList:
        return self.extend(cells)

    def append(self, cell: Cell) -> None:
        """Add a Cell at the end."""
        self._put(str(len(self)), self._check_cell(cell))

    def insert(self, index: int, cell: Cell) -> None:
        """Add a Cell before the one at `index`."""
        at = self._index(index, end=True)
        cells = list(self)
        cells.insert(at, self._check_cell(cell))
        prefix, depth = _own_prefix(self._cells.items())
        self._rekey([(str(i), c, self._auto_prefix and i > at) for i, c in enumerate(cells)], prefix, depth)
        self._put(str(at), cell, prefix)

    def extend(self, cells: list[Cell]) -> CellList:
        """Add the Cells of a list at the end and return the CellList."""
        if not isinstance(cells, list):
            raise TypeError(f"{label(self)}: the Cells to add must be given as a list, got {describe(cells)}.")
        prefix, _ = _own_prefix(self._cells.items())
        for cell in cells:
            if isinstance(cell, CellDict):
                raise TypeError(f"{label(self)}: an element must not be a CellDict.")
            self._put(str(len(self)), self._check_cell(cell), prefix)
        return self

    def construct(self, *inputs: Any) -> Any:
        raise NotImplementedError(f"{label(self)} has no construct: call its Cells one by one.")

    def ensemble(self) -> list[Cell]:
        """Return the Cells that `vmap` of this list runs side by side."""
        return list(self)


class CellDict(_Container):
    """A dictionary of Cells by name, in the order they were added; it has no `construct` of its own.

    Args:
        args: A mapping, or an iterable of `(name, Cell)` pairs, or nothing.

    Raises:
        TypeError: If a value is no Cell, or a container.
        KeyError: If a name is empty, contains a dot or is an attribute of Cell.

    Examples:
        >>> import sporax as ms
        >>> cells = ms.nn.CellDict({"fc": ms.nn.Dense(3, 4)})
        >>> [p.name for p in cells.trainable_params()]
        ['fc.weight', 'fc.bias']
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(kwargs.get("auto_prefix", True))
        if len(args) == 1:
            self.update(args[0])

    def __getitem__(self, key: str) -> Cell:
        return self._read()[key]

    def __setitem__(self, key: str, cell: Cell) -> None:
        if not isinstance(key, str):
            raise TypeError(f"{label(self)}: a key must be a string, got {describe(key)}.")
        if not key or "." in key:
            raise KeyError(f"{label(self)}: a key must not be empty or contain '.', got '{key}'.")
        if key not in self._cells and hasattr(self, key):
            raise KeyError(f"{label(self)}: a key must not be an attribute of Cell, got '{key}'.")
        if isinstance(self._check_cell(cell), _Container):
            raise TypeError(f"{label(self)}: an element must not be a CellDict, CellList or SequentialCell.")
        self._put(key, cell)

    def __delitem__(self, key: str) -> None:
        del self._cells[key]
        self._sporax_invalidate("its Cells changed")

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __contains__(self, key: str) -> bool:
        return key in self._cells

    def clear(self) -> None:
        """Remove all Cells."""
        self._cells.clear()
        self._sporax_invalidate("its Cells changed")

    def pop(self, key: str) -> Cell:
        """Remove a Cell and return it."""
        cell = self[key]
        del self[key]
        return cell

    def keys(self) -> KeysView[str]:
        """Return the names."""
        return self._read().keys()

    def values(self) -> ValuesView[Cell]:
        """Return the Cells."""
        return self._read().values()

    def items(self) -> ItemsView[str, Cell]:
        """Return the pairs of name and Cell."""
        return self._read().items()

    def update(self, cells: object) -> None:
        """Add the Cells of a mapping, or of an iterable of pairs."""
        if not isinstance(cells, Iterable):
            raise TypeError(
                f"{label(self)}.update: expected a mapping or pairs of name and Cell, got {describe(cells)}."
            )
        pairs = cells.items() if isinstance(cells, (Mapping, CellDict)) else cells
        for number, pair in enumerate(pairs):
            if not isinstance(pair, Iterable):
                raise TypeError(
                    f"{label(self)}.update: element {number} must be a pair of name and Cell, got {describe(pair)}."
                )
            items: tuple[Any, ...] = tuple(pair)
            if len(items) != 2:
                raise ValueError(f"{label(self)}.update: element {number} must be a pair, got {len(items)} items.")
            self[items[0]] = items[1]

    def construct(self, *inputs: Any) -> Any:
        raise NotImplementedError(f"{label(self)} has no construct: call its Cells one by one.")
