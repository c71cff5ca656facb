"""Checkpoints of runs on several devices: put together in a folder of safetensors files, and loaded from it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sporax._src.base.atomic import replacing
from sporax._src.base.errors import describe, shown
from sporax._src.base.json_text import parse_json
from sporax._src.checkpoint.formats import FORMATS
from sporax._src.checkpoint.serialization import load_checkpoint, load_param_into_net
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell

_MAP = "param_name_map.json"


def unified_safetensors(
    src_dir: str | os.PathLike[str],
    src_strategy_file: str | None,
    dst_dir: str | os.PathLike[str],
    merge_with_redundancy: bool = True,
    file_suffix: str | None = None,
    max_process_num: int = 64,
    choice_func: Callable[[str], Any] | None = None,
    split_dst_file: tuple[int, ...] = (),
) -> None:
    """Put the `.safetensors` files of a run's processes, where each has whole Parameters, together in one folder.

    The folder holds `part0.safetensors` and `param_name_map.json`, which says where each Parameter is.

    Args:
        src_dir: The folder with `rank_0`, `rank_1`, ..., each with files of its process.
        src_strategy_file: None: Parameters are whole; files of strategies are not read.
        dst_dir: The folder to write.
        file_suffix: Takes only files whose name ends with it, before `.safetensors`.
        choice_func: Tells by name whether a Parameter is taken: a bool, or a string that becomes its name.
        merge_with_redundancy, max_process_num, split_dst_file: Accepted for MindSpore programs.

    Raises:
        ValueError: If a file of strategies is given, or no files are found.
    """
    _no_strategy("unified_safetensors", src_strategy_file)
    ending = f"{file_suffix or ''}.safetensors"
    files = [f for folder in sorted(Path(src_dir).glob("rank_*")) for f in sorted(folder.glob(f"*{ending}"))]
    if not files:
        raise ValueError(f"unified_safetensors: {src_dir} has no folders rank_0, rank_1, ... with files '*{ending}'.")
    found: dict[str, Any] = {}
    for file in files:
        for name, array in FORMATS["safetensors"].read(file).items():
            chosen = True if choice_func is None else choice_func(name)
            if chosen:
                found.setdefault(chosen if isinstance(chosen, str) else name, array)
    folder = Path(dst_dir)
    folder.mkdir(parents=True, exist_ok=True)
    FORMATS["safetensors"].write(folder / "part0.safetensors", found)
    with replacing(folder / _MAP) as temporary:
        temporary.write_text(json.dumps(dict.fromkeys(found, "part0.safetensors"), indent=1))


def load_distributed_checkpoint(
    network: Cell | None,
    checkpoint_filenames: Sequence[str] | None = None,
    predict_strategy: Any = None,
    train_strategy_filename: str | None = None,
    strict_load: bool = False,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    format: str = "ckpt",
    unified_safetensors_dir: str | os.PathLike[str] | None = None,
    dst_safetensors_dir: str | os.PathLike[str] | None = None,
    rank_id: int | None = None,
    output_format: str = "safetensors",
    name_map: dict[str, str] | None = None,
    max_process_num: int = 64,
    return_param_dict: bool = False,
) -> Any:
    """Load the checkpoint of a run on several devices, in which each Parameter is whole, into a network on one.

    Args:
        network: The network; None to write or return the Parameters only.
        checkpoint_filenames: The files of the processes; the first that has a Parameter counts.
        predict_strategy, train_strategy_filename: None: Parameters are whole; files of strategies are not read.
        strict_load: See `load_param_into_net`.
        format: `"ckpt"` or `"safetensors"`.
        unified_safetensors_dir: A folder that `unified_safetensors` wrote, instead of files.
        dst_safetensors_dir: A folder to write the Parameters to, as `rank_0/net.<output_format>`.
        output_format: `"safetensors"` or `"ckpt"`.
        name_map: New names of Parameters by old ones.
        return_param_dict: Whether to return the Parameters by name.
        dec_key, dec_mode: What the files are encrypted with (see `save_checkpoint`).
        rank_id, max_process_num: Accepted for MindSpore programs.

    Raises:
        ValueError: If a strategy is given, or neither files nor a folder is; if what they hold is damaged, or names files
            outside of the folder.

    Returns:
        What `load_param_into_net` returns, or the Parameters by name.
    """
    _no_strategy("load_distributed_checkpoint", predict_strategy, train_strategy_filename)
    if unified_safetensors_dir is not None:
        found = _of_folder(Path(unified_safetensors_dir))
    elif checkpoint_filenames:
        found = {}
        for name in checkpoint_filenames:
            found = {**load_checkpoint(name, format=format, dec_key=dec_key, dec_mode=dec_mode), **found}
    else:
        raise ValueError("load_distributed_checkpoint: give checkpoint_filenames or unified_safetensors_dir.")
    found = {(name_map or {}).get(name, name): param for name, param in found.items()}
    if dst_safetensors_dir is not None:
        _write(Path(dst_safetensors_dir) / "rank_0" / f"net.{output_format}", found, output_format)
    if return_param_dict or network is None:
        return found
    return load_param_into_net(network, found, strict_load)


def _of_folder(folder: Path) -> dict[str, Any]:
    if not (folder / _MAP).is_file():
        raise ValueError(f"load_distributed_checkpoint: {folder} has no {_MAP}, as unified_safetensors writes it.")
    places = _places(folder / _MAP)
    parts = {part: FORMATS["safetensors"].read(folder / part) for part in sorted(set(places.values()))}
    if lacking := [name for name, part in places.items() if name not in parts[part]]:
        names = ", ".join(shown(name) for name in lacking[:5])
        raise ValueError(f"load_distributed_checkpoint: {_MAP} names what its files do not hold: {names}.")
    return {name: Parameter(Tensor(parts[part][name]), name=name) for name, part in places.items()}


def _places(path: Path) -> dict[str, str]:
    try:
        places = parse_json(path.read_bytes())
        beside = all(isinstance(part, str) and Path(part).name == part for part in places.values())
    except (ValueError, AttributeError):
        places, beside = {}, False
    if not places or not beside:
        raise ValueError(
            f'load_distributed_checkpoint: {shown(path)} must be JSON like {{"NAME": "FILE BESIDE IT"}}, as '
            "unified_safetensors writes it."
        )
    if absent := [part for part in dict.fromkeys(places.values()) if not os.path.isfile(path.parent / part)]:
        names = ", ".join(shown(part) for part in absent[:5])
        raise ValueError(f"load_distributed_checkpoint: {_MAP} names files that are not there: {names}.")
    return places


def _write(path: Path, found: dict[str, Any], format: str) -> None:
    if format not in FORMATS:
        raise ValueError(
            f"load_distributed_checkpoint: output_format must be one of {', '.join(FORMATS)}, got {format!r}."
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    FORMATS[format].write(path, {name: param.asnumpy() for name, param in found.items()})


def _no_strategy(caller: str, *given: Any) -> None:
    for value in given:
        if value is not None:
            raise ValueError(
                f"{caller}: strategies are not read here; Parameters must be whole, got {describe(value)}."
            )
