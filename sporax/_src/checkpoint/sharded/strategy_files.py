"""Files of strategies, which say how MindSpore cut the Parameters of a network over devices."""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

from sporax._src.base.atomic import replacing
from sporax._src.base.errors import shown
from sporax._src.base.json_text import parse_json


def merge_pipeline_strategys(src_strategy_dirs: str, dst_strategy_file: str) -> None:
    """Merge the files of strategies of all stages of a pipeline into one.

    In the merged file, the name of each Parameter begins with the number of its stage; of several files of one stage
    the first is used.

    Args:
        src_strategy_dirs: The folder of the files, all `.ckpt` (protobuf) or all `.json`.
        dst_strategy_file: The file to write.

    Raises:
        NotADirectoryError: If `src_strategy_dirs` is no folder.
        ValueError: If the folder holds files of both kinds, or a file holds no strategy.
        TypeError: If a `.ckpt` file is no file of strategies.
    """
    folder, target = Path(src_strategy_dirs), Path(dst_strategy_file)
    if not folder.is_dir():
        raise NotADirectoryError(f"merge_pipeline_strategys: {src_strategy_dirs!r} is no folder.")
    messages, texts = sorted(folder.glob("*.ckpt")), sorted(folder.glob("*.json"))
    if messages and texts:
        raise ValueError("merge_pipeline_strategys: the files must be all '.ckpt' or all '.json'.")
    merged = _merged_messages(messages) if messages else _merged_texts(texts)
    target.parent.mkdir(parents=True, exist_ok=True)
    with replacing(target) as temporary:
        temporary.write_bytes(merged)


def _merged_messages(files: list[Path]) -> bytes:
    kind = importlib.import_module("sporax._src.sharding.parameter_proto").CLASSES["ParallelStrategyMap"]
    merged, stages = kind(current_stage=1), set()
    for file in files:
        found = _parsed(kind, file)
        _check_filled(file, found.parallel_strategy_item, found.parallel_layout_item)
        stage = found.parallel_strategy_item[0].parallel_strategys.stage
        if stage in stages:
            continue
        stages.add(stage)
        for item in found.parallel_layout_item:
            item.param_name = f"{stage}-{item.param_name}"
        merged.parallel_strategy_item.extend(found.parallel_strategy_item)
        merged.parallel_layout_item.extend(found.parallel_layout_item)
    return merged.SerializeToString()


def _parsed(kind: Any, file: Path) -> Any:
    try:
        return kind.FromString(file.read_bytes())
    except Exception as error:  # the protobuf package has no type of its own that is there before it is loaded
        raise TypeError(f"merge_pipeline_strategys: {shown(file)} is no file of strategies.") from error


def _merged_texts(files: list[Path]) -> bytes:
    merged: dict[str, Any] = {"current_stage": 1, "parallel_strategy_item": {}, "parallel_layout_item": {}}
    stages = set()
    for file in files:
        strategies, layouts, stage = _items_of(file)
        if stage in stages:
            continue
        stages.add(stage)
        merged["parallel_strategy_item"].update(strategies)
        merged["parallel_layout_item"].update({f"{stage}-{name}": layout for name, layout in layouts.items()})
    return json.dumps(merged).encode()


def _items_of(file: Path) -> tuple[dict[str, Any], dict[str, Any], Any]:
    try:
        found = parse_json(file.read_bytes())
        strategies, layouts = found.get("parallel_strategy_item"), found.get("parallel_layout_item")
        stage = next((item.get("stage") for item in strategies.values()), None)
        items = {**strategies}, {**layouts}, stage
    except (ValueError, AttributeError, TypeError) as error:
        raise ValueError(f"merge_pipeline_strategys: {shown(file)} holds no strategy: {shown(error)}.") from None
    _check_filled(file, strategies, layouts)
    return items


def _check_filled(file: Path, strategies: object, layouts: object) -> None:
    if not strategies or not layouts:
        raise ValueError(f"merge_pipeline_strategys: {shown(file)} holds no strategy.")
