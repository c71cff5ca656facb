"""The state of optimizers: it is read on one side, converted with its weights, and written on the other side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sporax._src.migrate.weights import torch_files
from sporax._src.migrate.weights.carry import Arrays, assemble
from sporax._src.migrate.weights.entries import Pair
from sporax._src.migrate.weights.optimizer_rows import (
    SCALARS,
    WORDS,
    OptimizerRow,
    row_for_torch,
    row_for_words,
)
from sporax._src.migrate.weights.report import WeightsRow


@dataclass
class OptimizerState:
    """The state of an optimizer.

    Attributes:
        row: The row of the optimizer.
        step: The number of its steps.
        states: For each key of torch's: arrays by the names of the source's Parameters.
        settings: `lr`, `betas` and `momentum`, as far as they are known.
    """

    row: OptimizerRow
    step: int
    states: dict[str, Arrays]
    settings: dict[str, Any] = field(default_factory=dict)


# --- torch ----------------------------------------------------------------------------------------------------------


def from_torch(
    optimizer: Mapping[str, Any], order: Sequence[str], shapes: Mapping[str, tuple[int, ...]], words: set[str] | None
) -> OptimizerState | str:
    """Return the state in a `state_dict` of a torch optimizer, or the reason why it cannot be used.

    Args:
        optimizer: The `state_dict`.
        order: The names of the net's Parameters, as `parameters()` yields them.
        shapes: Their shapes.
        words: The words before names that the other side's optimizer has; None if that is not known.
    """
    groups, state = optimizer["param_groups"], optimizer["state"]
    names = _names_of(groups, order)
    if isinstance(names, str):
        return names
    keys = {key for own in state.values() for key, value in own.items() if value is not None}
    row = row_for_torch(keys, words)
    if row is None:
        return f"an optimizer that remembers {', '.join(sorted(keys)) or 'nothing'} is not in the table"
    states: dict[str, Arrays] = {}
    for at, own in state.items():
        for key in keys & set(own) - {"step"}:
            array = torch_files.array_of(own[key], f"optimizer.{names[at]}.{key}")
            if array.shape != tuple(shapes[names[at]]):
                return f"its {key} number {at} has shape {list(array.shape)}, {names[at]} has {list(shapes[names[at]])}"
            states.setdefault(key, {})[names[at]] = array
    step = max((int(own["step"]) for own in state.values() if "step" in own), default=0)
    settings = {key: np.asarray(groups[0][key]).tolist() for key in ("lr", "betas", "momentum") if key in groups[0]}
    return OptimizerState(row, step, states, settings)


def _names_of(groups: Sequence[Mapping[str, Any]], order: Sequence[str]) -> dict[int, str] | str:
    """Return the names of the Parameters by torch's number, or the reason why they are unknown."""
    numbers = [at for group in groups for at in group["params"]]
    if all("param_names" in group for group in groups):
        names = [name for group in groups for name in group["param_names"]]
        strange = [name for name in names if name not in order]
        return f"it names {strange[0]}, which the weights lack" if strange else dict(zip(numbers, names, strict=True))
    if len(groups) > 1 or len(numbers) != len(order):
        return (
            f"{len(groups)} groups of {len(numbers)} Parameters do not say which of the {len(order)} they are; "
            "make the optimizer of net.named_parameters(), or leave it out by the rule drop = ['optimizer']"
        )
    return dict(zip(numbers, order, strict=True))


def to_torch(
    state: OptimizerState, pairs: list[Pair], order: Sequence[str], arrays: Arrays
) -> tuple[dict[str, Any], list[WeightsRow]]:
    """Return the `state_dict` of the torch optimizer, and the rows of the report.

    Args:
        state: The state of the other side's.
        pairs: The pairs of the weights.
        order: The names of torch's Parameters in their order.
        arrays: torch's weights by name.
    """
    torch = torch_files.torch_for("optimizer")
    parameters = {name: torch.nn.Parameter(torch_files.tensor_of(arrays[name])) for name in order}
    optimizer = getattr(torch.optim, state.row.torch)(list(parameters.values()), **state.settings)
    rows = []
    for key, values in state.states.items():
        word = state.row.states[key]
        factor = 1 / (optimizer.param_groups[0]["lr"] or 1) if key in state.row.with_rate else 1
        for name, array in assemble(values, pairs).items():
            if name not in parameters:
                continue
            own = optimizer.state[parameters[name]]
            own[key] = torch_files.tensor_of((array * factor).astype(array.dtype))
            if state.row.torch != "SGD":
                own["step"] = torch.tensor(float(state.step))
            rows.append(_row(f"{word}.{_source_of(name, pairs)}", f"optimizer.{name}.{key}", array))
    return optimizer.state_dict(), rows


# --- Cells ----------------------------------------------------------------------------------------------------------


def split_cell(arrays: Mapping[str, np.ndarray], known: set[str]) -> tuple[Arrays, Arrays]:
    """Return the weights of a checkpoint, and separately the state of an optimizer of `nn`.

    Args:
        arrays: All of the checkpoint.
        known: The names of the net's own Parameters, empty if the net is not known.
    """

    counted = {"global_step", "learning_rate"} <= set(arrays) - known

    def remembered(name: str) -> bool:
        word, _, of = name.partition(".")
        return (counted or word in WORDS) and of in arrays and name not in known

    own = {name for name in arrays if remembered(name)}
    if own or counted:
        own |= {name for name in arrays if name in SCALARS and name not in known}
    return {n: a for n, a in arrays.items() if n not in own}, {n: a for n, a in arrays.items() if n in own}


def from_cell(arrays: Arrays) -> OptimizerState | str:
    """Return the state in a checkpoint, or the reason why it cannot be used.

    Args:
        arrays: The optimizer's part of the checkpoint.
    """
    words = {name.partition(".")[0] for name in arrays if name not in SCALARS}
    row = row_for_words(words, set(arrays))
    if row is None:
        return f"an optimizer that remembers {', '.join(sorted(words)) or 'nothing'} is not in the table"
    states: dict[str, Arrays] = {}
    for key, word in row.states.items():
        own = {n.partition(".")[2]: a for n, a in arrays.items() if n not in SCALARS and n.partition(".")[0] == word}
        if own:
            states[key] = own
    step = int(arrays[row.step].reshape(-1)[0]) if row.step in arrays else 0
    names = {"lr": "learning_rate"} | ({"momentum": "momentum"} if row.torch == "SGD" else {})
    settings = {key: float(_at(arrays[name], step)) for key, name in names.items() if name in arrays}
    return OptimizerState(row, step, states, settings)


def _at(array: np.ndarray, step: int) -> Any:
    """Return a number, or the number of this step from a list."""
    return array.reshape(-1)[min(step, array.size - 1)]


def to_cell(
    state: OptimizerState, pairs: list[Pair], target: Mapping[str, np.ndarray] | None
) -> tuple[Arrays, list[WeightsRow]]:
    """Return the Parameters of the optimizer of `nn`, and the rows of the report.

    Args:
        state: The state of torch's.
        pairs: The pairs of the weights.
        target: The Parameters that the optimizer has, None if it is not known.
    """
    arrays: Arrays = {}
    rows = []
    for key, values in state.states.items():
        factor = state.settings["lr"] if key in state.row.with_rate else 1
        for name, array in assemble(values, pairs).items():
            own = f"{state.row.states[key]}.{name}"
            arrays[own] = (array * factor).astype(array.dtype)
            rows.append(_row(f"optimizer.{_source_of(name, pairs)}.{key}", own, array))
    entries = _zeros(state, arrays, target) | _scalars(state, target)
    rows += [WeightsRow("", n, "derived", a.shape, str(a.dtype), f"of step {state.step}") for n, a in entries.items()]
    arrays |= entries
    lost = [(name, array) for name, array in (target or {}).items() if name not in arrays]
    rows += [WeightsRow("", n, "missing", a.shape, reason="torch's optimizer has no array for it") for n, a in lost]
    return arrays, rows


def _zeros(state: OptimizerState, arrays: Arrays, target: Mapping[str, np.ndarray] | None) -> Arrays:
    """Return state that only MindSpore's optimizer has, with its initial values."""
    if target is not None:
        left = [name for name in target if name not in arrays and name.partition(".")[0] in state.row.words()]
        return {name: np.zeros_like(target[name]) for name in left}
    words = {name.partition(".")[0] for name in arrays}
    lacking = [word for word in state.row.zeros if word not in words]
    first = next(iter(words), "")
    beside = {n.partition(".")[2]: a for n, a in arrays.items() if n.partition(".")[0] == first}
    return {f"{word}.{name}": np.zeros_like(array) for word in lacking for name, array in beside.items()}


def _scalars(state: OptimizerState, target: Mapping[str, np.ndarray] | None) -> Arrays:
    """Return the counts, rates and powers that the optimizer has, or has by default."""
    values: dict[str, float] = {"learning_rate": state.settings["lr"]}
    if state.row.torch == "SGD":
        values["momentum"] = state.settings["momentum"]
    for name, beta in zip(state.row.powers, state.settings.get("betas", ()), strict=False):
        values[name] = beta**state.step
    if target is None:
        floats = {name: np.float32(value) for name, value in values.items()}
        return {state.row.step: np.full(1, state.step, np.int32), **{n: np.asarray(v) for n, v in floats.items()}}
    values |= {"global_step": state.step, state.row.step: state.step}
    return {n: np.full(target[n].shape, v, target[n].dtype) for n, v in values.items() if n in target}


def _source_of(name: str, pairs: list[Pair]) -> str:
    return next(source.name for source, target in pairs if target.name == name)


def _row(source: str, target: str, array: np.ndarray) -> WeightsRow:
    return WeightsRow(source, target, "renamed", array.shape, str(array.dtype))
