"""Resumed runs of `Model`: callbacks save and load them, and `Model` continues at the saved epoch and row.

Several processes agree on the place first: a process that resumed elsewhere would train other rows against other weights.
"""

from __future__ import annotations

import copy
import os
import secrets
from collections.abc import Sequence
from typing import Any, NamedTuple

from sporax._src.checkpoint.serialization import load_checkpoint, load_param_into_net
from sporax._src.dist.distributed import barrier
from sporax._src.dist.group import HCCL_WORLD_COMM_GROUP, ranks_of
from sporax._src.dist.objects import all_gather_object
from sporax._src.nn.cell.cell import Cell
from sporax._src.processes.world import is_joined
from sporax._src.train.callbacks.callback import Callback, InternalCallbackParam
from sporax._src.train.run_state import is_state, load_state, put_state, saved_values, write_state


def save_run(
    path: str | os.PathLike[str],
    args: InternalCallbackParam,
    *,
    between_epochs: bool,
    append_dict: dict[str, Any] | None = None,
) -> None:
    """Save the run of a callback, to resume it at this point.

    Args:
        path: The file, in the format of `save_state`.
        args: The parameters of the run.
        between_epochs: Whether the current epoch is over.
        append_dict: Values that `save_checkpoint` adds.
    """
    stateful = _stateful(args)
    states = {f"callback{k}": _state_of(callback) for k, callback in enumerate(stateful)}
    values = {
        "callbacks": [type(callback).__name__ for callback in stateful],
        "with_best_weights": [_best(callback) is not None for callback in stateful],
        "epoch": args.cur_epoch_num,
        "step": args.cur_step_num,
        "steps_of_epoch": args.steps_of_epoch,
        "between_epochs": between_epochs,
        "training": args.get("training", ""),
    }
    write_state(path, {**_parts(args), **states}, values, append_dict)


def save_together(
    path: str, args: InternalCallbackParam, *, between_epochs: bool, append_dict: dict[str, Any] | None = None
) -> None:
    """Save the run (see `save_run`); processes replace their old saves when all have the new one.

    If a process is killed before, all still have the old save; if it is killed after, all have the new one, some beside the old.
    """
    if not is_joined():
        save_run(path, args, between_epochs=between_epochs, append_dict=append_dict)
        return
    save_run(next_of(path), args, between_epochs=between_epochs, append_dict=append_dict)
    barrier()
    os.replace(next_of(path), path)


def next_of(path: str | os.PathLike[str]) -> str:
    """Return the file of a save that perhaps not all processes have."""
    stem, suffix = os.path.splitext(path)
    return f"{stem}_next{suffix}"


class _Place(NamedTuple):
    """What a file resumes.

    Attributes:
        epoch: The epoch of the save; 0 if the file has weights only.
        step: The number of steps before it.
        training: The training, by a number that its processes have drawn together and keep when they resume.
    """

    epoch: int
    step: int
    training: str

    def __str__(self) -> str:
        return f"step {self.step} of epoch {self.epoch}" if self.epoch else "weights"


def agreed(files: Sequence[str | os.PathLike[str]], args: InternalCallbackParam) -> str | os.PathLike[str] | None:
    """Return the newest of some saves, in a run of several processes the newest that all of them have; None: there is none.

    A save of the same training that another callback has loaded counts, too: if it is newer, the result is None.

    Args:
        files: Where the saves of this process are, the oldest first.
        args: The parameters of the run that begins.

    Raises:
        RuntimeError: If processes have saves, and none is at a place that all of them have.
    """
    there = [file for file in files if os.path.exists(file)]
    if not is_joined():
        return there[-1] if there else None
    held = {_place_of(file): file for file in there}
    coming = {_place_of(next_of(file)): file for file in files if os.path.exists(next_of(file))}
    everyone: list[Any] = [None] * len(ranks_of("train", HCCL_WORLD_COMM_GROUP))
    all_gather_object(everyone, (list(held), list(coming), secrets.token_hex(8)))
    loaded = args.get("resume_from")
    if loaded is None:
        args.training = everyone[0][2]
    places = [{*saved, *more} for saved, more, _ in everyone]
    common = set.intersection(*places)
    if not common:
        if loaded is not None or not any(saved for saved, _, _ in everyone):
            return None  # saves that not all processes have are left from an end between two of them
        lines = [
            f"  process {rank} has {', '.join(map(str, sorted(saved))) or 'none'}" for rank, saved in enumerate(places)
        ]
        raise RuntimeError(
            "\n".join(["the processes have no save of one training at one place, from which all could go on:", *lines])
        )
    newest = max(common)
    if loaded is not None and (known := _place_of(loaded)).training == newest.training and known >= newest:
        return None
    args.training = newest.training
    if newest not in held:
        os.replace(next_of(coming[newest]), coming[newest])
    return held.get(newest) or coming[newest]


def _place_of(file: str | os.PathLike[str]) -> _Place:
    values = saved_values(file)
    return _Place(0, 0, "") if values is None else _Place(values["epoch"], values["step"], values.get("training", ""))


def begin_from(path: str | os.PathLike[str], args: InternalCallbackParam, network: Cell | None = None) -> None:
    """Load the weights of a file; if it is the state of a run, `Model` resumes the rest when training begins.

    Args:
        path: The file.
        args: The parameters of the run that begins.
        network: The Cell of the weights; the trained one if None.
    """
    contents = load_checkpoint(path)
    target: Cell = network or args.train_network
    resumes = is_state(contents)
    if resumes and target is args.get("train_network"):
        put_state(path, contents, {"network": target})  # with the random numbers that belong to the weights
    else:
        load_param_into_net(target, contents)
    if resumes:
        args.resume_from = path


def resume_run(path: str | os.PathLike[str], args: InternalCallbackParam, epochs: int) -> tuple[int, int]:
    """Load a run into the one that begins, and print this; return the next epoch and the number of its finished steps.

    Of a run that had reached its end, epoch `epochs`, only weights and random numbers are used, and it is trained again
    from its first epoch.

    Args:
        path: The file.
        args: The parameters of the run that begins.
        epochs: The last epoch.
    """
    values = load_state(path, network=args.train_network)
    epoch = values["epoch"] + values["between_epochs"]
    if epoch > epochs:
        return 0, 0
    stateful = _stateful(args) if [type(c).__name__ for c in _stateful(args)] == values["callbacks"] else []
    states = {f"callback{k}": _state_of(callback) for k, callback in enumerate(stateful)}
    for state, held in zip(states.values(), values["with_best_weights"], strict=False):
        if held:
            state["best_weights_param_dict"] = copy.deepcopy(args.train_network.parameters_dict())
    load_state(path, **_parts(args), **states)
    for callback, state in zip(stateful, states.values(), strict=True):
        vars(callback).update(state)
    args.cur_step_num = values["step"]
    done = 0 if values["between_epochs"] else values["steps_of_epoch"]
    if values["between_epochs"]:
        _begin_next_epoch(args)
    place = f"step {done} of epoch {epoch}" if done else f"epoch {epoch - 1}"
    print(f"The run goes on after {place} of {epochs}, from {os.fspath(path)}.", flush=True)
    return epoch, done


def _begin_next_epoch(args: InternalCallbackParam) -> None:
    """Move the position of a run that stopped after the last row of an epoch to the first row of the next epoch."""
    rows, size = args.train_iterator, args.train_dataset.get_dataset_size()
    if hasattr(rows, "set_state") and (position := rows.get_state())["step"] == size:
        rows.set_state({**position, "epoch": position["epoch"] + 1, "step": 0})


def _parts(args: InternalCallbackParam) -> dict[str, Any]:
    rows = args.train_iterator
    parts = {"network": args.train_network, "loss_scale_manager": args.loss_scale_mananger, "rows": rows}
    return {
        name: part
        for name, part in parts.items()
        if part is not None and (name != "rows" or hasattr(rows, "set_state"))
    }


def _stateful(args: InternalCallbackParam) -> list[Callback]:
    given = args.list_callback
    return [c for c in (given if isinstance(given, (list, tuple)) else [given]) if getattr(c, "_resumed", ())]


def _state_of(callback: Callback) -> dict[str, Any]:
    return {name: vars(callback)[name] for name in callback._resumed}


def _best(callback: Callback) -> Any:
    return getattr(callback, "best_weights_param_dict", None)
