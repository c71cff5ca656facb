"""Every operator and method that MindSpore has too, and every layer, optimizer and metric, has goldens or a listed reason."""

import inspect
import json
import re
from typing import Any

import pytest
from house import ROOT
from without_goldens import WITHOUT

import sporax as ms
from sporax import mint, nn, ops
from sporax import numpy as mnp
from sporax.experimental import optim

FOLDER = ROOT / "tests" / "goldens"
CLASSES: dict[str, Any] = {"nn": nn, "mint.nn": mint.nn, "optim": optim, "mint.optim": mint.optim}
SPACES: dict[str, Any] = {
    "ops": ops, "Tensor": ms.Tensor, "mint": mint, "mint.nn.functional": mint.nn.functional, "numpy": mnp, **CLASSES,
}  # fmt: skip


def read(section: str) -> Any:
    """Return a file of goldens."""
    return json.loads((FOLDER / f"{section}.json").read_text(encoding="utf-8"))


def recorded(space: str) -> set[str]:
    """Return the names of a namespace that goldens call."""
    if space in CLASSES:
        return recorded_classes(space)
    calls = read("ops")
    text = "\n".join([*calls["cases"], *calls["random"], json.dumps(read("sparse")), json.dumps(read("indexing"))])
    table = {name for name in read("table")["calls"] if name.rpartition(".")[0] == space}
    found = {name.rpartition(".")[2] for name in table} | set(re.findall(rf"\b{space}\.(\w+)", text))
    if space == "ops":
        found |= {name.removeprefix("primitive.") for name in read("table")["calls"] if name.startswith("primitive.")}
        found |= set(re.findall(r"\b([A-Z]\w+)\(", text))
    return found | set(re.findall(r"\b(?:[a-e]|state\(a\)|t|c|o)\.(\w+)", text)) if space == "Tensor" else found


def recorded_classes(space: str) -> set[str]:
    """Return the classes of a namespace that goldens construct; the goldens of metrics name classes only."""
    sections = ("layers", "losses", "mint_layers", "wraps", "optimizers", "lr", "sparse")
    text = " ".join(json.dumps(read(section)) for section in sections)
    found = set(re.findall(rf"(?<![\w.(]){re.escape(space)}\.(\w+)\(", text))
    metrics = {case["make"].partition("(")[0] for case in read("metrics")["cases"].values()}
    return found | metrics if space == "nn" else found


def classes(space: str) -> set[str]:
    """Return the public classes of a namespace."""
    return {name for name in SPACES[space].__all__ if inspect.isclass(getattr(SPACES[space], name))}


def asked(space: str) -> set[str]:
    """Return the names that need goldens: each layer, optimizer, schedule and metric; of the rest those that both have."""
    if space in CLASSES:
        return classes(space)
    return {name for name in read("names")[space] if inspect.getattr_static(SPACES[space], name, None) is not None}


@pytest.mark.parametrize("space", SPACES)
def test_every_name_has_goldens(space: str) -> None:
    """What needs goldens is recorded; the list of the rest holds no name that is."""
    names = asked(space)
    without = {name for reason in WITHOUT[space].values() for name in reason.split()}
    assert sorted(names - recorded(space) - without) == []
    assert sorted(without - names) == [], "listed, but not there"
    assert sorted(without & recorded(space)) == [], "listed, but recorded"
