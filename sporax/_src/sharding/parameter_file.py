"""Files of strategies in MindSpore's formats: how operators and Parameters are sharded over the devices of a run."""

from __future__ import annotations

import importlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sporax._src.base.atomic import replacing
from sporax._src.base.errors import describe, shown
from sporax._src.base.json_text import parse_json
from sporax._src.sharding.parameter_layout import Cut, cut_of

_OF_STAGE = re.compile(r"(\d{1,6})-(.+)", re.DOTALL)


@dataclass
class Strategies:
    """The content of a file of strategies.

    Attributes:
        cuts: The layouts of Parameters, by name; in a file of all pipeline stages a name begins with the number of a stage.
        operators: The numbers of pieces along the axes of the inputs of operators, by name.
        stage: The pipeline stage that the file describes.
    """

    cuts: dict[str, Cut] = field(default_factory=dict)
    operators: dict[str, list[list[int]]] = field(default_factory=dict)
    stage: int = 0

    def by_stage(self) -> dict[str, dict[int, Cut]]:
        """Return the layouts of Parameters by name and stage."""
        cuts: dict[str, dict[int, Cut]] = {}
        for name, cut in self.cuts.items():
            prefixed = _OF_STAGE.fullmatch(name)
            stage, own = (int(prefixed[1]), prefixed[2]) if prefixed else (0, name)
            cuts.setdefault(own, {})[stage] = cut
        return cuts


def read_strategies(path: object, caller: str) -> Strategies:
    """Read a file of strategies: JSON if its name ends with `.json`, protobuf otherwise.

    Args:
        path: The file.
        caller: The prefix of an error.

    Raises:
        TypeError: If `path` is not a path, or the file is of another kind.
        ValueError: If there is no such file, or it is empty or damaged.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{caller}: a file of strategies must be given by its name, got {describe(path)}.")
    file = Path(path)
    if not file.is_file():
        raise ValueError(f"{caller}: there is no file of strategies {shown(file)}.")
    content = file.read_bytes()
    if not content:
        raise ValueError(f"{caller}: the file of strategies {shown(file)} is empty.")
    try:
        return _of_json(content) if file.suffix == ".json" else _of_protobuf(content)
    except _Foreign:
        raise TypeError(
            f"{caller}: {shown(file)} is no file of strategies: it must be protobuf, or JSON with a name '*.json'."
        ) from None
    except ValueError as error:
        raise ValueError(f"{caller}: the file of strategies {shown(file)} is damaged: {shown(error)}.") from None


class _Foreign(Exception):
    """The bytes are not those of a file of strategies."""


def _of_protobuf(content: bytes) -> Strategies:
    kind = importlib.import_module("sporax._src.sharding.parameter_proto").CLASSES["ParallelStrategyMap"]
    try:
        message = kind.FromString(content)
    except Exception as error:  # the error class of the optional protobuf package
        raise _Foreign from error
    if not all(isinstance(i.param_name, str) for i in message.parallel_layout_item):
        raise ValueError("the name of a Parameter is no UTF-8")  # protobuf gives it as bytes
    cuts = {
        item.param_name: cut_of_message(item.param_name, item.parallel_layouts) for item in message.parallel_layout_item
    }
    items = [(i.node_name, i.parallel_strategys) for i in message.parallel_strategy_item]
    operators = {name: [list(s.dim) for s in strategies.parallel_strategy] for name, strategies in items}
    return Strategies(cuts, operators, items[0][1].stage if items else 0)


def cut_of_message(name: str, layout: Any) -> Cut:
    """Return the layout of a Parameter from a message of MindSpore's (`ParallelLayouts`).

    Raises:
        ValueError: If it describes no valid layout.
    """
    if len(layout.dev_matrix) != 1 or not layout.tensor_map:
        raise ValueError(f"'{shown(name)}' has no dev_matrix or no tensor_map")
    maps = [list(m.dim) for m in layout.tensor_map]
    return _checked(
        name,
        list(layout.dev_matrix[0].dim),
        [m for m in maps if m] if len(maps) > 1 else maps[0],
        layout.opt_weight_shard_step,
        layout.opt_weight_shard_size,
        list(layout.param_split_shape[0].dim) if layout.param_split_shape else [],
        layout.field,
    )


def message_of(cut: Cut) -> Any:
    """Return MindSpore's message (`ParallelLayouts`) for the layout of a Parameter."""
    layout = importlib.import_module("sporax._src.sharding.parameter_proto").CLASSES["ParallelLayouts"]()
    layout.dev_matrix.add(dim=cut.matrix)
    for axes in _messages_of(cut):
        layout.tensor_map.add(dim=axes)
    layout.param_split_shape.add(dim=cut.split)
    layout.indices_offset.add()
    layout.field, layout.opt_weight_shard_step, layout.opt_weight_shard_size = cut.field, cut.step, cut.parts
    return layout


def _of_json(content: bytes) -> Strategies:
    document = parse_json(content)
    layouts, items = (_dict(document).get(f"parallel_{key}_item") or {} for key in ("layout", "strategy"))
    keys = ("dev_matrix", "tensor_map", "opt_weight_shard_step", "opt_weight_shard_size")
    cuts = {}
    for name, layout in _dict(layouts).items():
        split = _dict(layout).get("param_split_shape") or []
        cuts[name] = _checked(name, *[layout.get(key) for key in keys], split, layout.get("field", 0))
    operators, stages = {}, []
    for name, item in _dict(items).items():
        operators[name] = _lists(_dict(item).get("parallel_strategy") or [])
        stages.append(item.get("stage", 0))
    if not all(isinstance(stage, int) for stage in stages):
        raise ValueError("the stages of operators must be ints")
    return Strategies(cuts, operators, stages[0] if stages else 0)


def _dict(value: object) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"expected an object of JSON, got {describe(value)}")
    return value


def _lists(value: object) -> list[list[int]]:
    rows: list[Any] = value if isinstance(value, list) else [None]
    if not all(isinstance(row, list) and all(isinstance(n, int) for n in row) for row in rows):
        raise ValueError(f"a strategy must be a list of lists of ints, got {value!r:.60}")
    return rows


def _checked(name: str, *numbers: object) -> Cut:
    try:
        return cut_of(*numbers)
    except ValueError as error:
        raise ValueError(f"'{shown(name)}': {error}") from None


def write_strategies(path: str | os.PathLike[str], strategies: Strategies) -> None:
    """Write a file of strategies, whole or not at all: JSON if its name ends with `.json`, protobuf otherwise.

    Raises:
        OSError: If it cannot be written.
    """
    file = Path(path)
    file.parent.mkdir(parents=True, exist_ok=True)
    content = _json_of(strategies) if file.suffix == ".json" else _protobuf_of(strategies)
    with replacing(file) as temporary:
        temporary.write_bytes(content)


def write_group(path: str | os.PathLike[str], ranks: Sequence[int]) -> None:
    """Write a file of groups, which lists the processes with equal checkpoints.

    Raises:
        OSError: If it cannot be written.
    """
    message = importlib.import_module("sporax._src.sharding.parameter_proto").CLASSES["ParallelGroupMap"]()
    message.parallel_group_item.add(group_name="-".join(map(str, ranks))).parallel_group_ranks.dim.extend(ranks)
    message.ckpt_restore_rank_list.dim.extend(ranks)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as temporary:
        temporary.write_bytes(message.SerializeToString())


def _json_of(strategies: Strategies) -> bytes:
    layouts = {
        name: {
            "dev_matrix": list(cut.matrix),
            "field": cut.field,
            "opt_weight_shard_size": cut.parts,
            "opt_weight_shard_step": cut.step,
            "param_split_shape": list(cut.split),
            "tensor_map": cut.as_list()[1],
        }
        for name, cut in strategies.cuts.items()
    }
    items = {
        name: {"parallel_strategy": rows, "stage": strategies.stage} for name, rows in strategies.operators.items()
    }
    document = {"current_stage": 1, "parallel_layout_item": layouts, "parallel_strategy_item": items}
    return json.dumps(document, indent=1).encode()


def _protobuf_of(strategies: Strategies) -> bytes:
    kind = importlib.import_module("sporax._src.sharding.parameter_proto").CLASSES["ParallelStrategyMap"]
    message = kind(current_stage=1)
    for name, rows in strategies.operators.items():
        item = message.parallel_strategy_item.add(node_name=name).parallel_strategys
        item.stage = strategies.stage
        for row in rows:
            item.parallel_strategy.add(dim=row)
    for name, cut in strategies.cuts.items():
        message.parallel_layout_item.add(param_name=name).parallel_layouts.CopyFrom(message_of(cut))
    return message.SerializeToString()


def _messages_of(cut: Cut) -> Iterator[Sequence[int]]:
    """Yield the messages of a tensor map: one; or one for each axis, if several device axes shard one axis of the Parameter.

    MindSpore distinguishes the two by the number of messages, and skips empty ones.
    """
    if all(len(axes) < 2 for axes in cut.tensor_map):
        yield [(axes or (-1,))[0] for axes in cut.tensor_map]
        return
    for axes in cut.tensor_map:
        yield axes or (-1,)
    yield ()
