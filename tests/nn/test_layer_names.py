"""No public class of `nn` and `mint.nn` lacks a recorded case, or a reason for having none."""

import inspect
import re
from pathlib import Path

import pytest

from sporax import mint, nn
from sporax._src.base.public_names import defined_in

FOLDER = Path(__file__).parents[1] / "goldens"
TEXT = " ".join(
    (FOLDER / f"{name}.json").read_text()
    for name in ("layers", "losses", "mint_layers", "wraps", "optimizers", "lr", "metrics", "sparse")
)
_BASE = "a base class: its subclasses are recorded"
_PROCESSES = "needs several processes; see test_communication.py and tests/dist"
WITHOUT = {
    "Cell": _BASE,
    "LearningRateSchedule": _BASE,
    "Metric": _BASE,
    "EvaluationBase": _BASE,
    "Optimizer": _BASE,
    "DistributedGradReducer": _PROCESSES,
    "PipelineGradReducer": _PROCESSES,
    "GraphCell": "runs an exported file; see test_export.py",
    "OcclusionSensitivity": "calls a network of many outputs; see test_metrics.py",
    "TensorArray": "is no layer: it is written and read; see test_tensor_array.py",
    "SparseToDense": "takes sparse Tensors; see test_sparse.py",
}


@pytest.mark.parametrize("module", [nn, mint.nn], ids=["nn", "mint.nn"])
def test_every_class_is_recorded(module: object) -> None:
    """A class is recorded if a case calls it."""
    prefix = module.__name__.removeprefix("sporax.").replace(".", r"\.")
    names = [name for name in module.__all__ if inspect.isclass(getattr(module, name))]
    metrics = {name for name in names if ".train." in defined_in(getattr(module, name))}
    lacking = [
        name
        for name in names
        if name not in WITHOUT
        and not re.search(rf"\b{prefix}\.{name}\(" if name not in metrics else rf"\b{name}\b", TEXT)
    ]
    assert lacking == []


def test_the_exceptions_exist() -> None:
    """What has a reason for being left out is public."""
    assert set(WITHOUT) <= set(nn.__all__)
