"""Merging of pieces of Parameters, reading of strategies, and files that each contain a part of the Parameters."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.checkpoint.serialization import load_checkpoint
from sporax._src.checkpoint.sharded.slices import put_together
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.sharding.parameter_file import cut_of_message, message_of, read_strategies
from sporax._src.sharding.parameter_layout import Cut, whole_cut


def build_searched_strategy(strategy_filename: str | None) -> dict[str, Any] | None:
    """Return the strategy of each Parameter in a file, as messages with `dev_matrix`, `tensor_map`, ...

    Args:
        strategy_filename: The file, JSON if its name ends with `.json` and protobuf otherwise; None is returned for None.

    Raises:
        TypeError: If `strategy_filename` is not a string, or the file is of another format.
        ValueError: If there is no such file, or it is empty or damaged.
    """
    if strategy_filename is None:
        return None
    found = read_strategies(strategy_filename, "build_searched_strategy")
    return {name: message_of(cut) for name, cut in found.cuts.items()}


def restore_group_info_list(group_info_file_name: str) -> list[int]:
    """Return the ranks of the processes with equal checkpoints from a file of groups.

    Args:
        group_info_file_name: The file.

    Raises:
        TypeError: If the name is not a string.
        ValueError: If there is no such file, or it is empty, damaged, or names no processes.
    """
    caller = "restore_group_info_list"
    if not isinstance(group_info_file_name, str):
        raise TypeError(f"{caller}: group_info_file_name must be a string, got {describe(group_info_file_name)}.")
    if not os.path.isfile(group_info_file_name):
        raise ValueError(f"{caller}: there is no file of groups {shown(group_info_file_name)}.")
    kind = importlib.import_module("sporax._src.sharding.parameter_proto").CLASSES["ParallelGroupMap"]
    try:
        ranks = list(kind.FromString(Path(group_info_file_name).read_bytes()).ckpt_restore_rank_list.dim)
    except Exception:  # the protobuf package has no type of its own that is there before it is loaded
        ranks = []
    if not ranks:
        raise ValueError(f"{caller}: {shown(group_info_file_name)} is not a file of groups, or it names no processes.")
    return ranks


# --- merge_sliced_parameter ---------------------------------------------------------------------------------------------


def merge_sliced_parameter(sliced_parameters: list[Parameter], strategy: dict[str, Any] | None = None) -> Parameter:
    """Return a whole Parameter from its pieces.

    Args:
        sliced_parameters: The pieces, in the order of the processes.
        strategy: How each Parameter was cut, by its name, as `build_searched_strategy` returns it. None: the pieces are
            concatenated along the first axis.

    Raises:
        TypeError: If `sliced_parameters` is not a list of Parameters, or `strategy` is not a dict.
        KeyError: If `strategy` lacks the Parameter.
        ValueError: If there are no pieces, or they do not fit each other or the strategy.

    Examples:
        >>> import sporax as ms
        >>> pieces = [ms.Parameter(ms.Tensor([1.0, 2.0]), "w"), ms.Parameter(ms.Tensor([3.0, 4.0]), "w")]
        >>> ms.merge_sliced_parameter(pieces).asnumpy()
        array([1., 2., 3., 4.], dtype=float32)
    """
    caller = "merge_sliced_parameter"
    _check_slices(caller, sliced_parameters)
    if strategy and not isinstance(strategy, dict):
        raise TypeError(f"{caller}: strategy must be a dict, got {describe(strategy)}.")
    first = sliced_parameters[0]
    arrays = [p.asnumpy() for p in sliced_parameters]
    if not strategy:
        whole = np.concatenate(arrays)
    elif first.name not in strategy:
        raise KeyError(f"{caller}: the strategy has no '{shown(first.name)}', only {', '.join(map(shown, strategy))}.")
    else:
        whole = _merged(caller, first.name, arrays, _cut(caller, first.name, strategy[first.name]))
    return Parameter(Tensor(whole), first.name, first.requires_grad, first.layerwise_parallel)


def _check_slices(caller: str, pieces: object) -> None:
    if not isinstance(pieces, list):
        raise TypeError(f"{caller}: sliced_parameters must be a list, got {describe(pieces)}.")
    if not pieces:
        raise ValueError(f"{caller}: sliced_parameters must not be empty.")
    for i, piece in enumerate(pieces):
        if not isinstance(piece, Parameter):
            raise TypeError(f"{caller}: sliced_parameters must be Parameters, got {describe(piece)} at {i}.")
        if (piece.name, piece.ndim, piece.shape[1:]) != (pieces[0].name, pieces[0].ndim, pieces[0].shape[1:]):
            raise ValueError(
                f"{caller}: pieces must have the same name, and the same shape except on axis 0, got '{shown(pieces[0].name)}' "
                f"{list(pieces[0].shape)} at 0, '{shown(piece.name)}' {list(piece.shape)} at {i}."
            )


def _cut(caller: str, name: str, layout: object) -> Cut:
    try:
        return cut_of_message(name, layout)
    except (ValueError, AttributeError, TypeError) as error:
        raise ValueError(f"{caller}: the strategy of '{shown(name)}' is not valid: {shown(error)}.") from None


def _merged(caller: str, name: str, arrays: Sequence[np.ndarray], cut: Cut) -> np.ndarray:
    if len(arrays) != cut.devices:
        raise ValueError(
            f"{caller}: '{shown(name)}' is cut over {cut.devices} devices by its strategy, and {len(arrays)} pieces are given."
        )
    if cut.split:
        return _merged_unequal(caller, name, arrays, cut)
    if cut.field:  # each device has columns of every field
        columns = [a.reshape(cut.field, -1, *a.shape[1:]) for a in arrays]
        return np.concatenate(columns, axis=1).reshape(-1, *arrays[0].shape[1:])
    return put_together(name, cut, dict(enumerate(arrays)), whole_cut(arrays[0].ndim), 0, caller)


def _merged_unequal(caller: str, name: str, arrays: Sequence[np.ndarray], cut: Cut) -> np.ndarray:
    if len(cut.split) != np.prod(cut.counts):
        raise ValueError(
            f"{caller}: param_split_shape of '{shown(name)}' must have {np.prod(cut.counts)} sizes, got {list(cut.split)}."
        )
    blocks = np.empty(cut.counts, object)
    for device, array in enumerate(arrays):
        index = cut.index(device)
        size = cut.split[int(np.ravel_multi_index(index, cut.counts))]
        if array.shape[0] != size:
            raise ValueError(
                f"{caller}: the piece {device} of '{shown(name)}' must have {size} rows, it has {array.shape[0]}."
            )
        blocks[index] = array
    return np.block(blocks.tolist())


# --- files that hold a part each ----------------------------------------------------------------------------------------


def load_segmented_checkpoints(
    ckpt_file_dir: str,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: str | list[str] | tuple[str, ...] | None = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: str | list[str] | tuple[str, ...] | None = None,
    choice_func: Callable[[str], bool] | None = None,
) -> dict[str, Any]:
    """Load all `.ckpt` files of a folder; each contains a part of the Parameters.

    Args:
        ckpt_file_dir: The folder.
        net, strict_load, filter_prefix, dec_key, dec_mode, specify_prefix, choice_func: See `load_checkpoint`.

    Raises:
        TypeError: If `ckpt_file_dir` is not a string.
        ValueError: If there is no such folder, or a file cannot be loaded.
    """
    if not isinstance(ckpt_file_dir, str):
        raise TypeError(f"load_segmented_checkpoints: ckpt_file_dir must be a string, got {describe(ckpt_file_dir)}.")
    if not os.path.isdir(ckpt_file_dir):
        raise ValueError(f"load_segmented_checkpoints: {shown(ckpt_file_dir)} is no folder.")
    found: dict[str, Any] = {}
    for file in sorted(Path(ckpt_file_dir).glob("*.ckpt")):
        found |= load_checkpoint(file, net, strict_load, filter_prefix, dec_key, dec_mode, specify_prefix, choice_func)
    return found
