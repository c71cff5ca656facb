"""save_checkpoint, load_checkpoint, load_param_into_net: between Cells and files, reporting by dotted names."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from difflib import get_close_matches
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.base import encryption
from sporax._src.base.atomic import settle
from sporax._src.base.errors import describe, shown, warn_user
from sporax._src.base.signals import uninterrupted
from sporax._src.checkpoint import background
from sporax._src.checkpoint.formats import FORMATS
from sporax._src.checkpoint.sharded.redundancy import share_loaded
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.processes.spmd import of_piece, piece_shape, whole_here

Choice = Callable[[str], bool] | None


# --- saving ---------------------------------------------------------------------------------------------------------


def save_checkpoint(
    save_obj: object,
    ckpt_file_name: str | os.PathLike[str],
    integrated_save: bool = True,
    async_save: bool | str = False,
    append_dict: dict[str, Any] | None = None,
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    choice_func: Choice = None,
    crc_check: bool = False,
    format: str = "ckpt",
    **kwargs: object,
) -> None:
    """Save Parameters to a file that MindSpore loads too; the file appears whole or not at all.

    Args:
        save_obj: A Cell, a dict of name to Parameter or Tensor, or a list of `{"name": ..., "data": ...}` or Parameters.
        ckpt_file_name: The file; the suffix of the format is appended where it is missing.
        append_dict: Further values (numbers, bools, strings, Tensors, or a Cell's Parameters) to save under their names.
        choice_func: Returns, for a name, whether its Parameter is saved.
        crc_check: Append a checksum.
        format: `"ckpt"` (MindSpore's protobuf) or `"safetensors"`, which a file name that ends in `.safetensors` says too.
        integrated_save: Whether Parameters of a Cell that strategies shard over processes are saved whole. All
            processes must then save. Otherwise each process saves its pieces. Parameters in a dict or a list are saved
            as pieces.
        async_save: Whether a thread writes the file while the program continues (`"process"` does the same). The values
            are those at the call. The next save and the next load wait for the file and raise its error, and the
            program does not end before the file is written.
        enc_key, enc_mode: A key of 16, 24 or 32 bytes to encrypt a `.ckpt` with, by `"AES-GCM"`, `"AES-CBC"` or (16
            bytes) `"SM4-CBC"`, as MindSpore does; needs the package `cryptography`.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `format` or `async_save` is unknown, or the key does not fit the mode or the format.
        RuntimeError: If a key is given and the package `cryptography` is not there.

    Examples:
        >>> import sporax as ms, tempfile, os
        >>> folder = tempfile.mkdtemp()
        >>> ms.save_checkpoint([{"name": "w", "data": ms.Tensor([1.0])}], os.path.join(folder, "net.ckpt"))
        >>> list(ms.load_checkpoint(os.path.join(folder, "net.ckpt")))
        ['w']
    """
    format = _by_name(ckpt_file_name, format)
    path = _path_of(ckpt_file_name, format, "save_checkpoint")
    secret = _secret("save_checkpoint", enc_key, enc_mode, format)
    arrays = _named_arrays(save_obj, choice_func, _check_bool("integrated_save", integrated_save))
    for name, value in (_check_append(append_dict) or {}).items():
        arrays.update(_appended(name, value))
    for extra in kwargs:
        if extra not in ("incremental", "global_step_num", "remove_redundancy"):
            raise TypeError(f"save_checkpoint: unknown argument '{extra}'.")
    path.parent.mkdir(parents=True, exist_ok=True)
    module = FORMATS[format]
    given = {"crc_check": crc_check, "remove_redundancy": kwargs.get("remove_redundancy"), **secret}
    options = _taken(given, module.WRITE_OPTIONS)
    if _check_async(async_save):
        arrays = {name: value if isinstance(value, str) else np.array(value) for name, value in arrays.items()}
        background.write_later(partial(module.write, path, arrays, **options))
    else:
        background.finish()
        module.write(path, arrays, **options)


def _taken(given: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Return the options that a format takes."""
    return {name: value for name, value in given.items() if name in names}


def _check_bool(name: str, value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"save_checkpoint: {name} must be a bool, got {describe(value)}.")
    return value


def _check_async(async_save: object) -> bool:
    if not isinstance(async_save, (bool, str)):
        raise TypeError(f"save_checkpoint: async_save must be a bool or a string, got {describe(async_save)}.")
    if async_save not in (True, False, "thread", "process"):
        raise ValueError(f"save_checkpoint: async_save must be 'thread' or 'process', got {async_save!r}.")
    return bool(async_save)


def _secret(caller: str, key: object, mode: object, format: str) -> dict[str, Any]:
    if key is None:
        return {}
    if "key" not in FORMATS[format].WRITE_OPTIONS:
        raise ValueError(f"{caller}: only files of the format {FORMATS.writing('key')} are encrypted, got {format!r}.")
    encryption.check(caller, key, mode)
    return {"key": key, "mode": mode}


def _by_name(file: object, format: str) -> str:
    """Return the format of a file: the name of a safetensors file, or of the index of several, says it."""
    endings = (".safetensors", ".safetensors.index.json")
    named = isinstance(file, (str, os.PathLike)) and os.fspath(file).endswith(endings)
    return "safetensors" if named and format == "ckpt" else format


def _path_of(name: object, format: str, caller: str) -> Path:
    if not isinstance(name, (str, os.PathLike)) or not str(name):
        raise TypeError(f"{caller}: ckpt_file_name must be a non-empty string, got {describe(name)}.")
    if format not in FORMATS:
        raise ValueError(f"{caller}: format must be one of {', '.join(FORMATS)}, got {format!r}.")
    path = Path(name)
    if path.is_dir():
        raise IsADirectoryError(f"{caller}: {path} is a folder, expected a file.")
    return path if path.name.endswith(f".{format}") else path.with_name(f"{path.name}.{format}")


def _named_arrays(save_obj: object, choice: Choice, integrated: bool) -> dict[str, Any]:
    found: dict[str, Any] = {}
    whole = integrated and isinstance(save_obj, Cell)
    for name, value in _pairs(save_obj):
        if not isinstance(name, str):
            raise TypeError(f"save_checkpoint: names must be strings, got {describe(name)}.")
        if choice is not None and not choice(name):
            continue
        if not isinstance(value, (Tensor, np.ndarray, str)):
            raise TypeError(
                f"save_checkpoint: the value of '{name}' must be a Parameter, Tensor or string, got {describe(value)}."
            )
        found[name] = (
            value if isinstance(value, str) else np.asarray(_held(value, whole) if isinstance(value, Tensor) else value)
        )
    return found


def _held(tensor: Tensor, whole: bool) -> Any:
    """Return the array of a Tensor, or this process's shard of it, without a copy."""
    if tensor.has_init:
        tensor.init_data()
    known = tensor._known()
    return whole_here(tensor._data) if whole else known


def _pairs(save_obj: object) -> Iterable[tuple[Any, Any]]:
    if isinstance(save_obj, Cell):
        return [(p.name, p) for p in save_obj.get_parameters()]
    if isinstance(save_obj, dict):
        return list(save_obj.items())
    if isinstance(save_obj, (list, tuple)):
        return [_pair(item) for item in save_obj]
    raise TypeError(f"save_checkpoint: save_obj must be a Cell, dict or list, got {describe(save_obj)}.")


def _pair(item: object) -> tuple[Any, Any]:
    if isinstance(item, Parameter):
        return item.name, item
    if isinstance(item, dict) and set(item) >= {"name", "data"}:
        return item["name"], item["data"]
    raise TypeError(f"save_checkpoint: items must be Parameters or dicts with 'name' and 'data', got {describe(item)}.")


def _check_append(append: object) -> Any:
    if append is not None and not isinstance(append, dict):
        raise TypeError(f"save_checkpoint: append_dict must be a dict, got {describe(append)}.")
    return append


def _appended(name: object, value: object) -> dict[str, Any]:
    if not isinstance(name, str):
        raise TypeError(f"save_checkpoint: keys of append_dict must be strings, got {describe(name)}.")
    if isinstance(value, Cell):
        return {p.name: p.asnumpy() for p in value.get_parameters()}
    if isinstance(value, float):
        return {name: np.float32(value)}
    if isinstance(value, (bool, int, str)):
        return {name: value if isinstance(value, str) else np.asarray(value)}
    if isinstance(value, (Tensor, np.ndarray)):
        return {name: np.asarray(value)}
    kinds = "a number, bool, string, Tensor or Cell"
    raise TypeError(f"save_checkpoint: append_dict['{shown(name)}'] must be {kinds}, got {describe(value)}.")


# --- loading --------------------------------------------------------------------------------------------------------


def load_checkpoint(
    ckpt_file_name: str | os.PathLike[str],
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: str | list[str] | tuple[str, ...] | None = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: str | list[str] | tuple[str, ...] | None = None,
    choice_func: Choice = None,
    crc_check: bool = False,
    remove_redundancy: bool = False,
    format: str = "ckpt",
) -> dict[str, Parameter]:
    """Load a file into a dict of name to Parameter and, if `net` is given, into its Parameters.

    Args:
        ckpt_file_name: The file, or the index (`model.safetensors.index.json`) of the files that hold a large model.
        net: A Cell to load into.
        strict_load: See `load_param_into_net`.
        filter_prefix: Leave out names with this prefix.
        specify_prefix: Load only names with this prefix.
        choice_func: Returns, for a name, whether its Parameter is loaded.
        crc_check: Compare the file's checksum.
        format: `"ckpt"` or `"safetensors"`, which the file name says too.
        dec_key, dec_mode: The key and the mode of the encryption (see `save_checkpoint`).
        remove_redundancy: See `load_param_into_net`; a file of the format `"safetensors"` records this itself.

    Raises:
        ValueError: If the file does not exist, is damaged, is encrypted with another key, or holds no Parameter that was
            asked for.

    Examples:
        >>> import sporax as ms, tempfile, os
        >>> name = os.path.join(tempfile.mkdtemp(), "w.ckpt")
        >>> ms.save_checkpoint({"w": ms.Tensor([1.0, 2.0])}, name)
        >>> ms.load_checkpoint(name)["w"].asnumpy()
        array([1., 2.], dtype=float32)
    """
    background.finish()
    format = _by_name(ckpt_file_name, format)
    path = _existing(ckpt_file_name, format)
    module, secret = FORMATS[format], _secret("load_checkpoint", dec_key, dec_mode, format)
    arrays = module.read(path, **_taken({"crc_check": crc_check, **secret}, module.READ_OPTIONS))
    wanted = _wanted(filter_prefix, specify_prefix, choice_func)
    found = {name: of_file(name, array) for name, array in arrays.items() if wanted(name)}
    if not found:
        raise ValueError(
            f"load_checkpoint: {shown(path)} holds no Parameter that was asked for (it has {len(arrays)})."
        )
    if net is not None:
        told = module.is_deduplicated(path)
        parameters = {n: p for n, p in found.items() if isinstance(p, Parameter)}
        load_param_into_net(net, parameters, strict_load, remove_redundancy if told is None else told)
    return found


def _existing(name: object, format: str) -> Path:
    if not isinstance(name, (str, os.PathLike)):
        raise TypeError(f"load_checkpoint: ckpt_file_name must be a string, got {describe(name)}.")
    path = Path(name)
    settle(path)
    if not path.is_file():
        raise ValueError(f"load_checkpoint: the checkpoint file {shown(path)} does not exist.")
    if format not in FORMATS:
        raise ValueError(f"load_checkpoint: format must be one of {', '.join(FORMATS)}, got {format!r}.")
    if FORMATS[format].NEEDS_SUFFIX and path.suffix != f".{format}":
        others = " or ".join(repr(name) for name in FORMATS if name != format)
        raise ValueError(f"load_checkpoint: {shown(path)} must end in '.{format}' (or give format={others}).")
    return path


def _wanted(without: object, only: object, choice: Choice) -> Callable[[str], bool]:
    without, only = _prefixes("filter_prefix", without), _prefixes("specify_prefix", only)

    def wanted(name: str) -> bool:
        if without and name.startswith(without):
            return False
        return (not only or name.startswith(only)) and (choice is None or bool(choice(name)))

    return wanted


def _prefixes(what: str, value: Any) -> tuple[str, ...]:
    given = (value,) if isinstance(value, str) else tuple(value or ())
    if not all(isinstance(v, str) for v in given):
        raise TypeError(f"load_checkpoint: {what} must be a string or a list of strings, got {describe(value)}.")
    return given


def of_file(name: str, array: np.ndarray) -> Any:
    """Return the value under a name in a file: a Parameter, or text (by `item`: NumPy's `str` loses an interrupt)."""
    is_text = array.dtype.kind in "US" and array.ndim == 0
    return array.item() if is_text else Parameter(Tensor(array), name=name)


def load_param_into_net(
    net: Cell, parameter_dict: Mapping[str, Any], strict_load: bool = False, remove_redundancy: bool = False
) -> tuple[list[str], list[str]]:
    """Load Parameters into a Cell by name: all of those that match, or (on an error) none.

    Args:
        net: The Cell (a network or an optimizer).
        parameter_dict: Parameters by name.
        strict_load: Whether dtypes must be equal, and names in the dict must not have an additional prefix.
        remove_redundancy: Whether each process has only the Parameters, or pieces of them, that it has saved itself;
            all processes load together and exchange their Parameters.

    Returns:
        The names of the net that were not loaded, and the names of the dict that the net does not have.

    Raises:
        TypeError: If an argument has an unexpected type; if `remove_redundancy` is asked for in a run of one process.
        RuntimeError: If a shape or dtype does not fit; one error lists every missing, unexpected and mismatched name.

    Examples:
        >>> import sporax as ms
        >>> net = ms.nn.Dense(2, 1)
        >>> ms.load_param_into_net(net, {"weight": ms.Parameter(ms.Tensor([[1.0, 2.0]]))})[0]
        ['bias']
    """
    if not isinstance(net, Cell):
        raise TypeError(f"load_param_into_net: net must be a Cell, got {describe(net)}.")
    if not isinstance(parameter_dict, Mapping):
        raise TypeError(f"load_param_into_net: parameter_dict must be a dict, got {describe(parameter_dict)}.")
    if not isinstance(strict_load, bool):
        raise TypeError(f"load_param_into_net: strict_load must be a bool, got {describe(strict_load)}.")
    given = {
        name: value for name, value in parameter_dict.items() if not isinstance(value, (str, list))
    }  # appended values
    for name, value in given.items():
        if not isinstance(name, str) or not isinstance(value, Parameter):
            raise TypeError(f"load_param_into_net: '{name}' must be a Parameter by name, got {describe(value)}.")
    targets = {p.name: p for p in net.get_parameters()}
    pairs = {name: name for name in targets if name in given}
    if not strict_load:
        pairs |= _by_prefix(targets, given, pairs)
    missing = [n for n in targets if n not in pairs]
    unexpected = [n for n in parameter_dict if n not in targets]
    _check_fit(type(net).__name__, targets, given, pairs, missing, unexpected, strict_load)
    with uninterrupted():
        for name, source in pairs.items():
            target, value = targets[name], given[source]._data
            value = value.astype(target._data.dtype)
            if _is_piece(target, value.shape):
                target.adopt(of_piece(target.param_info.sharding, target.shape, value))
            else:
                target.adopt(value.reshape(target.shape))
    if remove_redundancy:
        share_loaded(net)
        missing = []
    if missing:
        _report(type(net).__name__, missing, unexpected)
    return missing, unexpected


def _is_piece(target: Any, shape: tuple[int, ...]) -> bool:
    """Return whether a shape is that of this process's piece of a Parameter, and not of the whole."""
    return shape != target._data.shape and shape == _piece_shape(target)


def _piece_shape(target: Any) -> tuple[int, ...] | None:
    sharding = target.param_info.sharding
    if sharding is None or sharding.is_fully_addressable:
        return None
    return piece_shape(sharding, target._data.shape)


def _by_prefix(targets: dict[str, Any], given: dict[str, Any], pairs: dict[str, str]) -> dict[str, str]:
    """Pair the remaining names with names of the dict that have an additional prefix, one prefix after the other."""
    found: dict[str, str] = {}
    left = [n for n in targets if n not in pairs]
    while prefix := next((name[: -len(n)] for n in left for name in given if name.endswith(n)), ""):
        found |= {n: prefix + n for n in left if prefix + n in given}
        left = [n for n in left if n not in found]
    return found


_KINDS = {"b": 0, "u": 1, "i": 1, "V": 2, "f": 2, "c": 3}


def _check_fit(
    label: str,
    targets: dict[str, Any],
    given: dict[str, Any],
    pairs: dict[str, str],
    missing: list[str],
    unexpected: list[str],
    strict: bool,
) -> None:
    wrong = []
    for name, source in pairs.items():
        have, got = targets[name]._data, given[source]._data
        kinds_differ = _KINDS[have.dtype.kind] != _KINDS[got.dtype.kind]
        if have.shape != got.shape and not (have.size == got.size == 1) and not _is_piece(targets[name], got.shape):
            piece = _piece_shape(targets[name])
            cut = "" if piece in (None, have.shape) else f" (pieces {list(piece)})"
            wrong.append(f"{shown(name)}: shape {list(have.shape)}{cut}, the checkpoint has {list(got.shape)}")
        elif have.dtype != got.dtype and (strict or kinds_differ):
            names = mstype.from_numpy(have.dtype), mstype.from_numpy(got.dtype)
            wrong.append(f"{shown(name)}: dtype {names[0]}, the checkpoint has {names[1]}")
    if wrong:
        rest = [f"missing in the checkpoint: {_listed(missing)}"] if missing else []
        rest += [f"unexpected in the checkpoint: {_listed(unexpected)}"] if unexpected else []
        told = "; ".join(["mismatched: " + "; ".join(wrong), *rest])
        raise RuntimeError(f"load_param_into_net({label}): nothing was loaded. {told}.")


_COMPARED = 8  # names that are missing: one is compared with all that the checkpoint has


def _report(label: str, missing: list[str], unexpected: list[str]) -> None:
    text = f"load_param_into_net({label}): not loaded, missing in the checkpoint: {_listed(missing)}."
    if unexpected:
        text += f" In the checkpoint but not in the net: {_listed(unexpected)}."
        near = [(name, found) for name in missing[:_COMPARED] for found in get_close_matches(name, unexpected, 1, 0.8)]
        text += f" Perhaps {', '.join(f'{shown(found)} is {shown(name)}' for name, found in near)}." if near else ""
        text += " If the names differ by a prefix only, load the checkpoint into the Cell that it was saved from, or rename."
    warn_user(text)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(shown(name) for name in names)
