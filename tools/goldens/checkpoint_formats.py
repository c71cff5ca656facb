"""Checkpoint files as MindSpore writes them, and what MindSpore reads from the files that sporax writes."""

from pathlib import Path
from typing import Any

import mindspore as ms
import mindspore.train.serialization as serialization
import numpy as np

from .common import to_numpy, write_json, write_npz

KEY = b"0123456789abcdef"
DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()


def record(out: Path) -> None:
    """Write one file for each property of the formats, the values they hold, and what sporax's own files give."""
    folder = out / "checkpoint_formats"
    folder.mkdir(parents=True, exist_ok=True)
    values = _types()
    _save(folder / "types.ckpt", values)
    _save(folder / "types.safetensors", values)
    _save(folder / "crc.ckpt", values, crc_check=True)
    without = {name: value for name, value in values.items() if name != "bfloat16"}  # its checksum fails on these
    _save(folder / "crc.safetensors", without, crc_check=True)
    _save(folder / "text.ckpt", {}, append_dict={"epoch": 3, "lr": 0.1, "flag": True, "note": "héllo"})
    _save(folder / "complex.ckpt", {"z": ms.Tensor(np.array([1 + 2j, 3 - 4j], np.complex64))})
    for mode in ("AES-GCM", "AES-CBC", "SM4-CBC"):
        _save(folder / f"encrypted_{mode}.ckpt", values, enc_key=KEY, enc_mode=mode)
    _record_split(folder)
    write_npz(folder / "types.npz", {name: to_numpy(value) for name, value in values.items()})
    write_json(folder / "read_by_mindspore.json", {path.name: _read(path) for path in sorted(folder.glob("sporax*"))})


def _types() -> dict[str, ms.Tensor]:
    rng = np.random.default_rng(0)
    values = {name: ms.Tensor((rng.normal(size=(2, 3)) * 40).astype(name)) for name in DTYPES}
    values["bfloat16"] = ms.Tensor(rng.normal(size=(2, 2)).astype(np.float32)).astype(ms.bfloat16)
    values["scalar"] = ms.Tensor(np.float32(1.5))
    values["rank4"] = ms.Tensor(rng.normal(size=(1, 2, 1, 2)).astype(np.float32))
    return values


def _record_split(folder: Path) -> None:
    whole, serialization.SLICE_SIZE = serialization.SLICE_SIZE, 1  # KiB
    _save(folder / "split.ckpt", {"a": ms.Tensor(np.arange(600, dtype=np.float32)), "b": ms.Tensor(np.int32(7))})
    serialization.SLICE_SIZE = whole


def _save(path: Path, values: dict[str, ms.Tensor], **options: Any) -> None:
    path.unlink(missing_ok=True)
    data = [{"name": name, "data": value} for name, value in values.items()]
    ms.save_checkpoint(data, str(path), format=path.suffix[1:], **options)
    path.chmod(0o644)


def _read(path: Path) -> dict[str, Any]:
    options = {"dec_key": KEY, "dec_mode": path.stem.rsplit("_")[-1]} if "encrypted" in path.name else {}
    loaded = ms.load_checkpoint(str(path), format=path.suffix[1:], crc_check="crc" in path.name, **options)
    return {
        name: value if isinstance(value, str) else [str(value.dtype), list(value.shape), to_numpy(value).tolist()]
        for name, value in loaded.items()
    }
