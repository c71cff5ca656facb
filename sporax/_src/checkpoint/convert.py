"""Conversion of checkpoint files to another format, their check, and loading in the background."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.checkpoint import background
from sporax._src.checkpoint.formats import FORMATS
from sporax._src.checkpoint.serialization import load_checkpoint, load_param_into_net
from sporax._src.nn.cell.cell import Cell


def ckpt_to_safetensors(
    file_path: str | os.PathLike[str],
    save_path: str | os.PathLike[str] | None = None,
    name_map: dict[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Convert `.ckpt` files to `.safetensors`; the old files stay.

    Args:
        file_path: A file, or a folder whose files below are converted.
        save_path: The folder to write to, with the same subfolders; if None, the new files are beside the old ones.
        name_map: New names of Parameters by old ones.
        file_name_regex: A pattern that the names of the files in a folder must contain.
        processes_num: Accepted for MindSpore programs.

    Raises:
        TypeError: If `name_map` is not a dict.
        ValueError: If there is no such file or folder, or the folder has no such files.

    Examples:
        >>> import sporax as ms, os, tempfile
        >>> folder = tempfile.mkdtemp()
        >>> ms.save_checkpoint({"w": ms.Tensor([1.0])}, os.path.join(folder, "net.ckpt"))
        >>> ms.ckpt_to_safetensors(os.path.join(folder, "net.ckpt"))
        >>> list(ms.load_checkpoint(os.path.join(folder, "net.safetensors"), format="safetensors"))
        ['w']
    """
    _convert("ckpt_to_safetensors", ("ckpt", "safetensors"), file_path, save_path, name_map, file_name_regex)


def safetensors_to_ckpt(
    file_path: str | os.PathLike[str],
    save_path: str | os.PathLike[str] | None = None,
    name_map: dict[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Convert `.safetensors` files to `.ckpt` (see `ckpt_to_safetensors`)."""
    _convert("safetensors_to_ckpt", ("safetensors", "ckpt"), file_path, save_path, name_map, file_name_regex)


def _convert(
    caller: str, formats: tuple[str, str], file_path: Any, save_path: Any, names: object, pattern: Any
) -> None:
    old, new = formats
    if names is not None and not isinstance(names, dict):
        raise TypeError(f"{caller}: name_map must be a dict, got {describe(names)}.")
    root = Path(file_path)
    files = [root] if root.is_file() else sorted(root.rglob(f"*.{old}"))
    files = [f for f in files if f == root or pattern is None or re.search(pattern, f.name)]
    if not files or files[0].suffix != f".{old}":
        raise ValueError(f"{caller}: {root} is no '.{old}' file, and no folder that has one.")
    base = root.parent if root.is_file() else root
    for file in files:
        folder = file.parent if save_path is None else Path(save_path) / file.parent.relative_to(base)
        folder.mkdir(parents=True, exist_ok=True)
        arrays = FORMATS[old].read(file)
        renamed = {(names or {}).get(name, name): array for name, array in arrays.items()}
        FORMATS[new].write(folder / f"{file.stem}.{new}", renamed)


def check_checkpoint(ckpt_file_name: str | os.PathLike[str]) -> bool:
    """Return whether a `.ckpt` file is complete and readable; False for a file with another suffix.

    Raises:
        FileNotFoundError: If there is no such file.
    """
    path = Path(ckpt_file_name)
    path.stat()
    if path.suffix != ".ckpt":
        return False
    try:
        FORMATS["ckpt"].read(path)
    except ValueError:
        return False
    return True


class ParamDictFuture:
    """Parameters that are being loaded: `result()` waits for them."""

    def __init__(self, future: Future[dict[str, Any]], net: Cell | None, strict: bool) -> None:
        self._future, self._net, self._strict = future, net, strict

    def result(self) -> dict[str, Any]:
        """Return the Parameters by name, loaded into the net if one was given."""
        found = self._future.result()
        if self._net is not None:
            load_param_into_net(self._net, found, self._strict)
            self._net = None
        return found


def load_checkpoint_async(
    ckpt_file_name: str | os.PathLike[str],
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: str | list[str] | tuple[str, ...] | None = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: str | list[str] | tuple[str, ...] | None = None,
    choice_func: Callable[[str], bool] | None = None,
) -> ParamDictFuture:
    """Start loading a checkpoint in the background (see `load_checkpoint`); `result()` raises errors.

    The suffix determines the format: `.safetensors`, or any other suffix for MindSpore's format.

    Returns:
        An object whose `result()` waits and returns the Parameters by name, loaded into `net` if one is given.

    Examples:
        >>> import sporax as ms, os, tempfile
        >>> name = os.path.join(tempfile.mkdtemp(), "w.ckpt")
        >>> ms.save_checkpoint({"w": ms.Tensor([1.0])}, name)
        >>> list(ms.load_checkpoint_async(name).result())
        ['w']
    """
    options = {
        "format": "safetensors" if str(ckpt_file_name).endswith(".safetensors") else "ckpt",
        "filter_prefix": filter_prefix,
        "dec_key": dec_key,
        "dec_mode": dec_mode,
        "specify_prefix": specify_prefix,
    }
    thread = ThreadPoolExecutor(1, "sporax-load")
    future = thread.submit(load_checkpoint, ckpt_file_name, None, strict_load, choice_func=choice_func, **options)
    thread.shutdown(wait=False)  # it ends when the file is read
    return ParamDictFuture(future, net, strict_load)


def async_ckpt_thread_status() -> bool:
    """Return whether a checkpoint is still being written in the background, see `save_checkpoint`."""
    return background.is_writing()
