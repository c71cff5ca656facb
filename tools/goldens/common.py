"""What the sections share: dtype names, error text, and files."""

import contextlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore.common.api import _pynative_executor

DTYPES = {
    name: getattr(ms, name if name != "bool" else "bool_")
    for name in (
        "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 complex64 complex128"
    ).split()
}
NAMES = {str(dtype): name for name, dtype in DTYPES.items()}

MODES = {"pynative": ms.PYNATIVE_MODE, "graph": ms.GRAPH_MODE}


def set_mode(name: str) -> None:
    """Select ``pynative`` or ``graph`` mode on the CPU; what fails in PyNative mode says so in the call that failed."""
    ms.set_context(mode=MODES[name], device_target="CPU", pynative_synchronize=True)


def dtype_name(value: Any) -> str:
    """Return the name of a tensor's dtype, such as ``float32``."""
    return NAMES.get(str(value.dtype), str(value.dtype))


def sync() -> None:
    """Wait for asynchronous work, so that its errors appear here."""
    _pynative_executor.sync()


def error_text(error: BaseException) -> str:
    """Return ``Type: first line that says something`` of an error."""
    lines = [line.strip() for line in str(error).splitlines()]
    lines = [line for line in lines if line and not line.startswith("---") and line != "- Kernel select failed:"]
    text = lines[0] if lines else ""
    text = re.sub(r"0x[0-9a-f]+", "0x", text)
    text = re.sub(r"(/[\w.+-]+){2,}", "<path>", text)
    return f"{type(error).__name__}: {text[:500]}"


def attempt(thunk: Callable[[], Any]) -> tuple[Any, str | None]:
    """Run a function; return its value and None, or None and the text of its error."""
    try:
        value = thunk()
        sync()
    except Exception as error:
        with contextlib.suppress(Exception):  # what else the failed call began would be raised in the next one
            sync()
        return None, error_text(error)
    return value, None


def to_numpy(value: ms.Tensor) -> np.ndarray:
    """Return a tensor's values; bfloat16, which NumPy lacks, becomes float32."""
    if value.dtype == ms.bfloat16:
        value = value.astype(ms.float32)
    return np.array(value.asnumpy())


def write_json(path: Path, data: dict[str, Any]) -> None:
    """Write one top-level key per line (two levels deep for nested tables), sorted."""
    lines = []
    for key in sorted(data):
        value = data[key]
        if isinstance(value, dict) and any(isinstance(item, dict) for item in value.values()):
            inner = [f"  {json.dumps(name)}: {_compact(value[name])}" for name in sorted(value)]
            lines.append(f" {json.dumps(key)}: {{\n" + ",\n".join(inner) + "\n }")
        else:
            lines.append(f" {json.dumps(key)}: {_compact(value)}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def write_npz(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write arrays as a compressed archive, sorted by name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **{name: arrays[name] for name in sorted(arrays)})


def _compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
