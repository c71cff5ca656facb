"""Named arrays in a folder, through Orbax: each process of a run writes its pieces, and reads the pieces that it needs.

A folder contains one save, in a subfolder that gets its name when the save is complete; then the previous save is
deleted. A kill leaves the old save or the new one. Other files that it leaves are ignored, and deleted by the next
save.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

from sporax._src.base.errors import shown
from sporax._src.base.jax_compat import array_on
from sporax._src.base.pieces import piece_here
from sporax._src.processes.world import is_joined, mesh


def write(path: str | os.PathLike[str], arrays: Mapping[str, Any], told: object) -> None:
    """Write arrays and JSON values into a folder; all processes of a run call it together.

    Args:
        path: The folder.
        arrays: Arrays by name: global arrays of all processes, or arrays that are equal in each.
        told: JSON values; those of the first process are written.

    Raises:
        RuntimeError: If the package `orbax-checkpoint` is not there.
        OSError: If the folder cannot be written.
    """
    if Path(path).is_file():
        raise NotADirectoryError(f"{shown(path)} is a file, and a state in Orbax's format is a folder.")
    tree = {str(i): _of_all(array) for i, array in enumerate(arrays.values())}
    about = [[name, list(a.shape), str(a.dtype)] for name, a in zip(arrays, tree.values(), strict=True)]
    with _manager(path) as (orbax, manager):
        parts = orbax.args.Composite(
            arrays=orbax.args.PyTreeSave(tree), told=orbax.args.JsonSave({"arrays": about, "told": told})
        )
        manager.save((manager.latest_step() or 0) + 1, args=parts, force=True)


class Reading:
    """A folder that `write` has written.

    Attributes:
        told: The JSON values.
        shapes: The shape and the name of the dtype of each array, by name.

    Args:
        path: The folder.

    Raises:
        RuntimeError: If the package `orbax-checkpoint` is not there.
        ValueError: If the folder has no complete save, or a damaged one.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        with _manager(path, reads=True) as (orbax, manager):
            self._step = manager.latest_step()
            if self._step is None:
                raise ValueError(f"{shown(path)} holds no whole state in Orbax's format.")
            with self._undamaged():
                found = manager.restore(self._step, args=orbax.args.Composite(told=orbax.args.JsonRestore()))["told"]
                self.told: Any = found["told"]
                self.shapes = {name: (tuple(shape), dtype) for name, shape, dtype in found["arrays"]}
                self._keys = {name: str(i) for i, name in enumerate(self.shapes)}

    def arrays(self, shardings: Mapping[str, Any]) -> dict[str, Any]:
        """Return arrays by name; all processes of a run call it together, and each reads its pieces.

        Args:
            shardings: The JAX Sharding of each; None: it is whole in each process.

        Raises:
            ValueError: If the save is damaged.
        """
        wanted = {}
        for name, sharding in shardings.items():
            shape, dtype = self.shapes[name]
            wanted[self._keys[name]] = jax.ShapeDtypeStruct(shape, jnp.dtype(dtype), sharding=sharding or _everywhere())
        if not wanted:
            return {}
        with _manager(self._path, reads=True) as (orbax, manager), self._undamaged():
            how = orbax.checkpoint_utils.construct_restore_args(wanted)
            asked = orbax.args.PyTreeRestore(wanted, restore_args=how, partial_restore=True)
            restored = manager.restore(self._step, args=orbax.args.Composite(arrays=asked))["arrays"]
        return {
            name: restored[self._keys[name]] if sharding is not None else piece_here(restored[self._keys[name]])
            for name, sharding in shardings.items()
        }

    @contextmanager
    def _undamaged(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # of Orbax, of its storage, of JSON, of what is not as it was written
            raise ValueError(
                f"{shown(self._path)} (save {self._step}) is no readable state in Orbax's format: {shown(error)}"
            ) from error


def _everywhere() -> Any:
    if is_joined():
        return NamedSharding(mesh(), PartitionSpec())
    return jax.sharding.SingleDeviceSharding(jax.local_devices()[0])


def _of_all(array: object) -> Any:
    """Return a global array of all processes; a local array must be equal in each process."""
    held = jnp.asarray(array)
    return array_on(_everywhere(), held) if is_joined() and held.is_fully_addressable else held


@contextmanager
def _manager(path: str | os.PathLike[str], reads: bool = False) -> Iterator[tuple[Any, Any]]:
    try:
        import orbax.checkpoint as orbax
    except ImportError:
        raise RuntimeError(
            "States in Orbax's format need the package orbax-checkpoint: pip install 'sporax[orbax]'."
        ) from None
    options = orbax.CheckpointManagerOptions(
        max_to_keep=None if reads else 1,
        enable_async_checkpointing=False,
        create=not reads,
        cleanup_tmp_directories=not reads,
    )
    manager = orbax.CheckpointManager(Path(path).absolute(), options=options)
    try:
        yield orbax, manager
    finally:
        manager.close()
