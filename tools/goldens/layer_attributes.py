"""What objects of layers, optimizers, schedules, wraps and metrics hold: subclasses of programs use it."""

import importlib.util
import re
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

from .attribute_text import attributes
from .common import attempt, set_mode, write_json
from .layer_cases_mint import MINT
from .layer_wraps import WRAPS
from .lr import SCHEDULES
from .metrics import CASES as METRICS
from .optimizers import CASES as OPTIMIZERS
from .sampling import lines

LAYOUT = (
    "by expression, then by public attribute beside those of nn.Cell: plain values and Tensors of few elements as "
    "themselves, other objects by their type, functions as `function`, a Primitive as its kind and the arguments it was "
    "made with. What cannot be made on the CPU is left out."
)
LAYER_CASES = Path(__file__).resolve().parents[2] / "tests" / "support" / "layer_cases.py"


def layer_cases() -> ModuleType:
    """Return the module of the tests that names the layers."""
    spec = importlib.util.spec_from_file_location("tested_layers", LAYER_CASES)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def expressions() -> dict[str, list[str]]:
    """Return how each object is made, by section, each once."""
    wraps = [made for made, _ in lines(WRAPS) if re.match(r"nn\.\w+\((?!\[|\{)", made) and ")." not in made]
    sections = {
        "layers": [f"nn.{made}" for made, _ in layer_cases().ALL],
        "mint_layers": [made for made, _ in lines(MINT)],
        "optimizers": [line for line in OPTIMIZERS.splitlines() if line.startswith("nn.")],
        "schedules": [line for line in SCHEDULES.splitlines() if line],
        "wraps": [made.replace("scale)", "Parameter(Tensor(64.0, ms.float32), name='scale'))") for made in wraps],
        "metrics": [f"train.{made}" for made, batches, _ in METRICS if batches is not None],
    }
    return {section: list(dict.fromkeys(made)) for section, made in sections.items()}


def record(out: Path) -> None:
    """Write ``layer_attributes.json``."""
    warnings.simplefilter("ignore")
    set_mode("pynative")
    data: dict[str, Any] = {"layout": LAYOUT}
    for section, made in expressions().items():
        found = {text: attempt(lambda: attributes(text, "mindspore")) for text in made}  # noqa: B023
        data[section] = {text: told for text, (told, error) in found.items() if error is None}
    write_json(out / "layer_attributes.json", data)
