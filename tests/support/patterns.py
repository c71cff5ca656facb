"""Small programs for torch, each of one construct, and what their answers are compared as.

The files of ``tests/migrate/programs/patterns`` contain them, one kind in each file. A line ``## title`` begins a program. It
stores its results in the list `answers`, and may use what `PRELUDE` defines.
"""

from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
PATTERNS = TESTS / "migrate" / "programs" / "patterns"
RECORDED = TESTS / "goldens" / "patterns.json"
PRELUDE = """\
import torch
import torch.nn.functional as F
from torch import nn

x = torch.tensor([-1.0, -0.25, 0.5, 1.25, 2.0])


def fill(net):
    with torch.no_grad():
        for p in net.parameters():
            p.copy_(torch.linspace(-1, 1, p.numel()).view(p.shape))
    return net


"""


def patterns() -> dict[str, str]:
    """Return every program by its kind and title, such as ``losses: the loss of ctc``."""
    found = {}
    for path in sorted(PATTERNS.glob("*.txt")):
        for section in path.read_text().split("## ")[1:]:
            title, _, text = section.partition("\n")
            found[f"{path.stem}: {title}"] = PRELUDE + text.rstrip() + "\n"
    return found


def plain(value: Any) -> Any:
    """Return an answer as JSON stores it: a Tensor is a dict of its dtype's name and its values."""
    if hasattr(value, "asnumpy"):
        return _array(value.asnumpy())
    if hasattr(value, "resolve_conj"):
        return _array(value.detach().resolve_conj().resolve_neg().numpy())
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    assert value is None or isinstance(value, (bool, int, float, str)), f"an answer is a {type(value)}"
    return value


def _array(array: Any) -> dict[str, Any]:
    if array.dtype.kind == "c":
        return {array.dtype.name: [array.real.tolist(), array.imag.tolist()]}
    return {array.dtype.name: array.tolist()}
