"""File formats: bytes on disk to named arrays and back; a format knows nothing of Cells and Parameters.

Reading order: `mindspore_ckpt` (with `checkpoint_proto`), `safetensors_file`, `graph_file` (with `graph_code`), `onnx_file`.

Every format module offers `read(path) -> dict[str, np.ndarray]` and `write(path, arrays)`; `FORMATS` finds it by the
name that `save_checkpoint(format=...)` uses. Writing goes through `atomic`: a file is there whole or not at all.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from types import ModuleType

_MODULES = {"ckpt": "mindspore_ckpt", "safetensors": "safetensors_file"}


class Formats(Mapping[str, ModuleType]):
    """The format modules by name; each is loaded, with the package it needs, when it is first asked for."""

    def __getitem__(self, name: str) -> ModuleType:
        """Return a format module."""
        return importlib.import_module(f"{__name__}.{_MODULES[name]}")

    def __iter__(self) -> Iterator[str]:
        """Give the names of the formats."""
        return iter(_MODULES)

    def __len__(self) -> int:
        """Return how many formats there are."""
        return len(_MODULES)


FORMATS: Mapping[str, ModuleType] = Formats()
