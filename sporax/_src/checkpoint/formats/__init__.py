"""File formats: bytes on disk to named arrays and back; a format knows nothing of Cells and Parameters.

Every format module offers `read(path) -> dict[str, np.ndarray]` and `write(path, arrays)`; `FORMATS` finds it by the
name that `save_checkpoint(format=...)` uses. Writing goes through `atomic`: a file is there whole or not at all.
"""

from __future__ import annotations

from types import ModuleType

from sporax._src.checkpoint.formats import mindspore_ckpt, safetensors_file

FORMATS: dict[str, ModuleType] = {"ckpt": mindspore_ckpt, "safetensors": safetensors_file}
