"""Checkpoints of several devices, cut in one way, and what MindSpore makes of them for another.

For each case: the ranks whose files each rank needs, and the Parameters of its new file. MindSpore writes the slices itself, out of
whole Parameters. Files that sporax wrote are read as well.
"""

import random
import tempfile
import zlib
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore.parallel._parallel_serialization import _convert_to_list
from mindspore.train.node_strategy_pb2 import ParallelLayouts, ParallelStrategyMap

from .common import to_numpy, write_json

SHAPES = {"w": (16, 8), "b": (16,), "t": (8, 4, 16)}
Cut = list[Any]  # device matrix, tensor map, step and size of the optimizer's cut
PLAIN = {"w": [[2, 4], [0, -1], 0, 0], "b": [[2, 4], [0], 0, 0], "t": [[4, 2], [-1, 1, 0], 0, 0]}
NAMED: dict[str, tuple[Any, Any]] = {
    "to whole": (PLAIN, None),
    "from whole": (None, PLAIN),
    "other axes": (PLAIN, {"w": [[4, 2], [0, 1], 0, 0], "b": [[8], [-1], 0, 0], "t": [[2, 2, 2], [2, 1, 0], 0, 0]}),
    "fewer devices": (PLAIN, {"w": [[2], [0, -1], 0, 0], "b": [[2], [0], 0, 0], "t": [[2], [-1, -1, 0], 0, 0]}),
    "more devices": ({"w": [[2], [-1, 0], 0, 0], "b": [[2], [-1], 0, 0], "t": [[2], [0, -1, -1], 0, 0]}, PLAIN),
    "optimizer": ({"w": [[2, 4], [0, -1], 4, 2], "b": [[4, 2], [-1], 1, 8], "t": [[4, 2], [0, -1, -1], 2, 4]}, None),
    "optimizer in part": (None, {"w": [[4, 2], [0, -1], 2, 2], "b": [[2, 4], [0], 4, -1], "t": PLAIN["t"]}),
    "optimizer, axes in turn": (
        {"w": [[2, 2, 2], [0, 1], 4, 2], "b": [[8], [0], 0, 0], "t": [[8], [0, -1, -1], 0, 0]},
        None,
    ),
    "optimizer, several axes": (
        None,
        {"w": [[2, 2, 2], [1, -1], 1, 4], "b": [[2, 2, 2], [1], 1, 2], "t": [[8], [0, -1, -1], 0, 0]},
    ),
    "nested": ({"w": [[2, 2, 2], [[2, 0], 1], 0, 0], "b": [[2, 2, 2], [[1, 0]], 0, 0], "t": PLAIN["t"]}, PLAIN),
    "nested with optimizer": (
        {"w": [[2, 2, 2], [[1, 0], -1], 4, 2], "b": [[2, 2, 2], [-1], 1, -1], "t": [[2, 2, 2], [-1, [2, 1], 0], 0, 0]},
        None,
    ),
    "stages": ({"0-w": [[2, 2], [0, -1], 0, 0], "1-b": [[2, 2], [1], 0, 0], "1-t": [[2, 2], [1, 0, -1], 0, 0]}, None),
    "to stages": (PLAIN, {"0-w": [[4], [0, -1], 0, 0], "1-b": [[4], [0], 0, 0], "1-t": [[4], [-1, 0, -1], 0, 0]}),
    "shared by stages": (
        {
            "0-w": [[2], [0, -1], 0, 0],
            "0-b": [[2], [0], 0, 0],
            "1-w": [[2], [0, -1], 0, 0],
            "1-t": [[2], [-1, 0, -1], 0, 0],
        },
        None,
    ),
    "some unnamed": ({"w": [[2], [0, -1], 0, 0]}, {"w": [[2], [-1, 0], 0, 0]}),
}

MERGED: list[Any] = [  # device matrix, tensor map, sizes of unequal pieces, fields; shapes of pieces, which are equal
    ([2, 2], [1, 0], [], 0, [(2, 3)] * 4),
    ([2, 2], [-1, 1], [], 0, [(4, 3)] * 4, [0, 0, 1, 1]),
    ([2, 2], [0, 1], [3, 3, 1, 1], 0, [(3, 2), (1, 2), (3, 2), (1, 2)]),
    ([3], [0, -1], [1, 2, 3], 0, [(1, 2), (2, 2), (3, 2)]),
    ([2], [-1, 0], [], 2, [(4, 3), (4, 3)]),
]


def record(out: Path) -> None:
    """Write the cases with what MindSpore answers, the arrays, and what it reads from sporax's files."""
    folder = out / "slices"
    folder.mkdir(parents=True, exist_ok=True)
    cases = {**NAMED, **{f"random {seed}": _random(seed) for seed in range(40)}}
    told: dict[str, Any] = {"shapes": SHAPES, "cases": {}}
    for name, (source, target) in cases.items():
        with tempfile.TemporaryDirectory() as temporary:
            told["cases"][name] = _case(Path(temporary), source, target)
    write_json(folder / "cases.json", told)
    _files(folder)
    write_json(folder / "merged.json", {str(i): _merged(*case) for i, case in enumerate(MERGED)})
    write_json(folder / "read_by_mindspore.json", {p.name: _read(p) for p in sorted(folder.glob("sporax_*"))})


def whole() -> dict[str, np.ndarray]:
    """Return the Parameters."""
    return {name: np.arange(np.prod(shape), dtype=np.float32).reshape(shape) for name, shape in SHAPES.items()}


def _random(seed: int) -> tuple[Any, Any]:
    draw = random.Random(seed)

    def cut(axes: int, devices: int) -> Cut:
        matrix, rest = [], devices
        while rest > 1:
            matrix.append(draw.choice([n for n in (2, 4, 8) if rest % n == 0]))
            rest //= matrix[-1]
        matrix = matrix or [1]
        free = [i for i in range(len(matrix)) if draw.random() < 0.8]
        draw.shuffle(free)
        return [matrix, [free.pop() if free and draw.random() < 0.7 else -1 for _ in range(axes)], 0, 0]

    def cuts() -> Any:
        devices = draw.choice((1, 2, 4, 8))
        return {name: cut(len(shape), devices) for name, shape in SHAPES.items()} if draw.random() < 0.85 else None

    source, target = cuts(), cuts()
    return (source, target) if source or target else _random(seed + 1000)


def strategy_file(path: Path, cuts: Any) -> str | None:
    """Write a file of strategies."""
    if cuts is None:
        return None
    found = ParallelStrategyMap(current_stage=1)
    stages = sorted({name.split("-")[0] if "-" in name else "0" for name in cuts})
    for stage in stages:
        item = found.parallel_strategy_item.add(node_name=f"MatMul-op{stage}").parallel_strategys
        item.stage = int(stage)
        item.parallel_strategy.add(dim=[2, 1])
    for name, (matrix, tensor_map, step, size) in cuts.items():
        layout = found.parallel_layout_item.add(param_name=name).parallel_layouts
        layout.dev_matrix.add(dim=matrix)
        nested = any(isinstance(axes, list) for axes in tensor_map)
        for axes in tensor_map if nested else [tensor_map]:
            layout.tensor_map.add(dim=axes if isinstance(axes, list) else [axes])
        if nested:
            layout.tensor_map.add()
        layout.param_split_shape.add()
        layout.indices_offset.add()
        layout.field, layout.opt_weight_shard_step, layout.opt_weight_shard_size = 0, step, size
    path.write_bytes(found.SerializeToString())
    return str(path)


def _ranks(cuts: Any) -> int:
    stages = {name.split("-")[0] for name in cuts or () if "-" in name}
    return max(1, len(stages)) * (int(np.prod(next(iter(cuts.values()))[0])) if cuts else 1)


def _case(folder: Path, source: Any, target: Any) -> dict[str, Any]:
    before, after = strategy_file(folder / "before.ckpt", source), strategy_file(folder / "after.ckpt", target)
    _save(folder / "whole" / "rank_0" / "net0.ckpt", {**whole(), "global_step": np.int32(7)})
    found: dict[str, Any] = {"source": source, "target": target}
    try:
        if before is None:
            sliced = folder / "whole"
        else:
            sliced = folder / "sliced"
            ms.transform_checkpoints(str(folder / "whole"), str(sliced), "net", None, before)
        found["before"] = [_shown(sliced / f"rank_{rank}" / f"net{rank}.ckpt") for rank in range(_ranks(source))]
        found["ranks"] = [list(map(int, ms.rank_list_for_transform(r, before, after))) for r in range(_ranks(target))]
        ms.transform_checkpoints(str(sliced), str(folder / "new"), "net", before, after)
        found["after"] = [_shown(folder / "new" / f"rank_{rank}" / f"net{rank}.ckpt") for rank in range(_ranks(target))]
    except Exception as error:
        found["error"] = type(error).__name__
    return found


def _merged(matrix: Any, tensor_map: Any, split: Any, field: int, shapes: Any, seeds: Any = range(9)) -> dict[str, Any]:
    draws = [np.random.RandomState(seed) for seed in seeds]
    pieces = [draw.randint(0, 100, shape).astype(np.float32) for draw, shape in zip(draws, shapes, strict=False)]
    layout = ParallelLayouts(field=field, opt_weight_shard_step=0, opt_weight_shard_size=0)
    layout.dev_matrix.add(dim=matrix)
    layout.tensor_map.add(dim=tensor_map)
    layout.param_split_shape.add(dim=split)
    whole = ms.merge_sliced_parameter([ms.Parameter(ms.Tensor(p), "w") for p in pieces], {"w": layout}).asnumpy()
    told = {"matrix": matrix, "tensor_map": tensor_map, "split": split, "field": field}
    return {**told, "pieces": [p.tolist() for p in pieces], "whole": whole.tolist()}


def _files(folder: Path) -> None:
    strategy_file(folder / "plain.ckpt", PLAIN)
    strategy_file(folder / "nested.ckpt", NAMED["nested"][0])


def _save(path: Path, values: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    ms.save_checkpoint([{"name": name, "data": ms.Tensor(value)} for name, value in values.items()], str(path))


def _shown(path: Path) -> dict[str, str]:
    """Return of each array in a file its shape and the checksum of its bytes."""
    arrays = {name: to_numpy(value) for name, value in ms.load_checkpoint(str(path)).items()}
    return {name: f"{'x'.join(map(str, a.shape))}:{zlib.crc32(a.tobytes()):08x}" for name, a in arrays.items()}


def _read(path: Path) -> Any:
    return _convert_to_list(ms.parallel.build_searched_strategy(str(path)))
