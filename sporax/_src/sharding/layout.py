"""Layout: how a Tensor is sharded over a device matrix with named axes."""

from __future__ import annotations

import math
from typing import Any


class Layout:
    """A device matrix with named axes; a call with names returns the layout of a Tensor.

    Args:
        device_matrix: How many devices there are along each axis.
        alias_name: The names of the axes.
        rank_list: The numbers of the devices; all of them in order if None.

    Raises:
        TypeError: If an argument is of another type.
        ValueError: If lengths differ, names repeat, or a number is not positive; on a call, if a name is unknown or
            used twice.

    Examples:
        >>> from sporax.parallel import Layout
        >>> Layout((2, 4), ("dp", "mp"))("dp", "None").to_dict()["tensor_map"]
        (1, -1)
    """

    def __init__(
        self, device_matrix: tuple[int, ...], alias_name: tuple[str, ...], rank_list: list[int] | None = None
    ) -> None:
        for name, value, kind in (("device_matrix", device_matrix, int), ("alias_name", alias_name, str)):
            if not isinstance(value, tuple) or not all(type(v) is kind for v in value):
                raise TypeError(f"Layout: {name} must be a tuple of {kind.__name__}, got {value!r}.")
        if len(device_matrix) != len(alias_name):
            raise ValueError(f"Layout: device_matrix {device_matrix} and alias_name {alias_name} must have one length.")
        if len(set(alias_name)) != len(alias_name) or "" in alias_name or "None" in alias_name:
            raise ValueError(f"Layout: names must differ, and be neither empty nor 'None', got {alias_name}.")
        if not all(n > 0 for n in device_matrix):
            raise ValueError(f"Layout: numbers of devices must be > 0, got {device_matrix}.")
        count = math.prod(device_matrix)
        if rank_list is not None and (not isinstance(rank_list, list) or len(set(rank_list)) != count):
            raise ValueError(f"Layout: rank_list must be a list of {count} different numbers, got {rank_list!r}.")
        self.device_matrix, self.alias_name = device_matrix, alias_name
        self.rank_list = list(range(count)) if rank_list is None else rank_list
        self.tensor_map: tuple[Any, ...] | None = None

    def __call__(self, *tensor_map: str | tuple[str, ...]) -> Layout:
        """Return the layout of a Tensor: for each axis the name(s) of device axes that cut it, or `"None"`."""
        flat = [
            name for part in tensor_map for name in (part if isinstance(part, tuple) else (part,)) if name != "None"
        ]
        for name in flat:
            if name not in self.alias_name:
                raise ValueError(f"Layout: the axis {name!r} is not among {self.alias_name}.")
            if flat.count(name) > 1:
                raise ValueError(f"Layout: the axis {name!r} cuts more than one axis of the Tensor.")
        new = Layout(self.device_matrix, self.alias_name, self.rank_list)
        new.tensor_map = tuple([self._axis_number(part) for part in tensor_map])
        return new

    def _axis_number(self, part: object) -> Any:
        if isinstance(part, tuple):
            return tuple([self._axis_number(name) for name in part])
        return -1 if part == "None" else len(self.alias_name) - 1 - self.alias_name.index(part)

    def to_dict(self) -> dict[str, Any]:
        """Return the layout as a dict: `device_matrix`, `tensor_map` (axes counted from the last), `alias_name`, ...

        Raises:
            ValueError: If the layout was not called with names.
        """
        if self.tensor_map is None:
            raise ValueError("Layout.to_dict: call the layout with the names of axes first.")
        return {
            "device_matrix": self.device_matrix,
            "tensor_map": self.tensor_map,
            "interleaved_parallel": "interleaved_parallel" in self.alias_name,
            "alias_name": self.alias_name,
            "rank_list": self.rank_list,
        }
