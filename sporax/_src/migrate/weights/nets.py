"""Nets: torch modules and Cells with one interface, as named arrays; and the functions that make them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.migrate.loading import bound, load_program
from sporax._src.migrate.weights import torch_files
from sporax._src.migrate.weights.carry import Arrays
from sporax._src.migrate.weights.entries import Entries, entries_of_cell, entries_of_torch
from sporax.common import Tensor
from sporax.nn import Cell


@dataclass
class Net:
    """A net, and its optimizer if there is one.

    Attributes:
        side: `"torch"` or `"cell"`.
        net: The torch module or Cell.
        optimizer: Its optimizer, None if it has none.
    """

    side: str
    net: Any
    optimizer: Any = None

    @cached_property
    def entries(self) -> Entries:
        """The entries of the net."""
        return entries_of_torch(self.net) if self.side == "torch" else entries_of_cell(self.net)

    @property
    def arrays(self) -> Arrays:
        """Its arrays by name."""
        if self.side == "torch":
            state = self.net.state_dict()
            held = {entry.name: state[entry.name] for entry in self.entries.items}
            return torch_files.arrays_of(held, type(self.net).__name__)[0]
        return {name: value.asnumpy() for name, value in self._tensors().items()}

    @property
    def parameters(self) -> list[str]:
        """The names of the Parameters that an optimizer of the net has, in its order."""
        if self.side == "torch":
            return [name for name, _ in self.net.named_parameters()]
        return [p.name for p in self.net.trainable_params()]

    @property
    def optimizer_arrays(self) -> Arrays | None:
        """The Parameters of a Cell's optimizer that are not the net's; None without one."""
        if self.optimizer is None:
            return None
        own = self._tensors()
        return {p.name: p.asnumpy() for p in self.optimizer.get_parameters() if p.name not in own}

    def set(self, arrays: Mapping[str, np.ndarray]) -> None:
        """Set arrays of the net, in its own dtypes.

        Args:
            arrays: Arrays by name, of the shapes that the net has.
        """
        if self.side == "torch":
            state = self.net.state_dict()
            for name, array in arrays.items():
                state[name].copy_(torch_files.tensor_of(array))
            return
        own = self._tensors()
        buffers = {e.name: e for e in self.entries.items if e.buffer}
        for name, array in arrays.items():
            value = Tensor(np.asarray(array), own[name].dtype)
            if entry := buffers.get(name):
                setattr(self.net.get_sub_cell(entry.layer), entry.leaf, value)
            else:
                own[name].set_data(value)

    def _tensors(self) -> dict[str, Any]:
        buffers = {e.name: self.net.get_buffer(e.path) for e in self.entries.items if e.buffer}
        return {p.name: p for p in self.net.get_parameters()} | buffers


def net_of(value: object, what: str) -> Net | None:
    """Return the `Net` of an argument, None for None.

    Args:
        value: A torch module or a Cell, or a tuple of it and its optimizer.
        what: The name in errors.

    Raises:
        TypeError: If it is something else.
    """
    if value is None:
        return None
    net, optimizer = value if isinstance(value, (tuple, list)) and len(value) == 2 else (value, None)
    if isinstance(net, Cell):
        return Net("cell", net, optimizer)
    if any(base.__module__.partition(".")[0] == "torch" and base.__name__ == "Module" for base in type(net).__mro__):
        return Net("torch", net, optimizer)
    raise TypeError(
        f"{what} must be a torch module or a Cell, or a tuple of it and its optimizer, got {describe(value)}."
    )


def build(spec: str, option: str) -> Net:
    """Return the net that a function of a file makes.

    Args:
        spec: `FILE.py:FUNCTION`; the function takes no arguments.
        option: The option that names it.

    Raises:
        ValueError: If there is no such file or function, or it fails.
        TypeError: If it returns no net.
    """
    file, _, name = spec.rpartition(":")
    if not file.endswith(".py") or not name.isidentifier():
        raise ValueError(f"{option} {spec}: expected FILE.py:FUNCTION, such as model.py:build.")
    if not os.path.isfile(file):
        raise ValueError(f"{option} {spec}: there is no file {file}.")
    try:
        program, module = load_program(file)
    except Exception as error:  # the user's code may raise anything
        raise ValueError(f"{option} {spec}: {file} does not run: {type(error).__name__}: {error}") from error
    function = getattr(module, name, None)
    if not callable(function):
        known = [n for n, v in vars(module).items() if callable(v) and getattr(v, "__module__", "") == module.__name__]
        raise ValueError(f"{option} {spec}: {file} has no function {name}; it has {', '.join(known) or 'none'}.")
    try:
        built = bound(program, function)()
    except Exception as error:
        raise ValueError(f"{option} {spec}: {name}() fails: {type(error).__name__}: {error}") from error
    if built is None:
        raise TypeError(f"{option} {spec}: {name}() must return a torch module or a Cell, got None.")
    net = net_of(built, f"{option} {spec}: what {name}() returns")
    assert net is not None
    return net
