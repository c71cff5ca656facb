"""MindSpore's records of slices, and files of slices."""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np

import sporax as ms
from sporax import nn
from sporax._src.checkpoint.formats import FORMATS
from sporax._src.sharding.parameter_file import Strategies, write_strategies
from sporax._src.sharding.parameter_layout import cut_of

GOLDENS = Path(__file__).parents[1] / "goldens" / "slices"
RECORDED = json.loads((GOLDENS / "cases.json").read_text())
WHOLE = {n: np.arange(np.prod(s), dtype=np.float32).reshape(s) for n, s in RECORDED["shapes"].items()}


def strategies(path: Path, cuts: Any) -> str | None:
    if cuts is None:
        return None
    write_strategies(path, Strategies({name: cut_of(*cut) for name, cut in cuts.items()}, {"MatMul_w": [[2, 1]]}))
    return str(path)


def save(path: Path, arrays: dict[str, Any]) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    FORMATS[path.suffix[1:]].write(path, arrays)
    return str(path)


def shown(path: Path) -> dict[str, str]:
    arrays = FORMATS[path.suffix[1:]].read(path)
    return {
        name: f"{'x'.join(map(str, a.shape))}:{zlib.crc32(np.ascontiguousarray(a).tobytes()):08x}"
        for name, a in arrays.items()
    }


def sliced(folder: Path, cuts: Any, format: str = "ckpt") -> tuple[str, str]:
    """Write the whole Parameters as slices; return their folder and their file of strategies."""
    save(folder / "whole" / "rank_0" / f"net0.{format}", {**WHOLE, "global_step": np.int32(7)})
    file = strategies(folder / "before.ckpt", cuts)
    assert file is not None
    ms.transform_checkpoints(str(folder / "whole"), str(folder / "cut"), "net", None, file, output_format=format)
    return str(folder / "cut"), file


PLAIN = RECORDED["cases"]["to whole"]["source"]


def held(net: nn.Cell) -> dict[str, np.ndarray]:
    return {p.name: p.asnumpy() for p in net.get_parameters()}
