"""File formats: conversion between bytes on disk and named arrays, without Cells and Parameters.

A checkpoint format is a module and its line in `_MODULES`. `FORMATS` finds it by the name that `save_checkpoint(format=...)`
uses. The module has:

- `read(path, **options)` and `write(path, arrays, **options)`. Writing goes through `atomic`: a file appears whole or not at all.
- `READ_OPTIONS` and `WRITE_OPTIONS`: the options of `load_checkpoint` and `save_checkpoint` that the two functions take.
- `is_deduplicated(path)`: whether the file contains only values that other processes do not save; None if the file does
  not record this.
- `NEEDS_SUFFIX`: whether `load_checkpoint` requires that the name of a file ends in the name of the format.

Reading order: `mindspore_ckpt` (with `checkpoint_proto`), `safetensors_file`, `graph_file` (with `graph_code`), `onnx_file`.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from types import ModuleType

_MODULES = {
    "ckpt": "mindspore_ckpt",
    "safetensors": "safetensors_file",
}


class Formats(Mapping[str, ModuleType]):
    """The format modules by name; each is loaded at its first use, with the package that it needs."""

    def __getitem__(self, name: str) -> ModuleType:
        """Return a format module."""
        return importlib.import_module(f"{__name__}.{_MODULES[name]}")

    def __iter__(self) -> Iterator[str]:
        """Yield the names of the formats."""
        return iter(_MODULES)

    def __len__(self) -> int:
        """Return how many formats there are."""
        return len(_MODULES)

    def writing(self, option: str) -> str:
        """Return the quoted names of the formats whose writers take an option."""
        return " or ".join(repr(name) for name, module in self.items() if option in module.WRITE_OPTIONS)


FORMATS = Formats()
