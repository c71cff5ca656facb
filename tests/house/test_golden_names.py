"""Every operator, method and layer that MindSpore has too is compared with its answers, or is listed with a reason."""

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

FOLDER = ROOT / "tests" / "goldens"
SPACES: dict[str, Any] = {
    "ops": ops, "Tensor": ms.Tensor, "mint": mint, "mint.nn.functional": mint.nn.functional, "numpy": mnp, "nn": nn,
}  # fmt: skip


def read(section: str) -> Any:
    """Return a file of goldens."""
    return json.loads((FOLDER / f"{section}.json").read_text(encoding="utf-8"))


def recorded(space: str) -> set[str]:
    """Return the names of a namespace that goldens call."""
    if space == "nn":
        sections = ("layers", "losses", "wraps", "optimizers", "lr", "metrics", "sparse", "training")
        return set(re.findall(r"\bnn\.(\w+)", " ".join(json.dumps(read(section)) for section in sections)))
    calls = read("ops")
    text = "\n".join([*calls["cases"], *calls["random"], json.dumps(read("sparse")), json.dumps(read("indexing"))])
    table = {name for name in read("table")["calls"] if name.rpartition(".")[0] == space}
    found = {name.rpartition(".")[2] for name in table} | set(re.findall(rf"\b{space}\.(\w+)", text))
    if space == "ops":
        found |= {name.removeprefix("primitive.") for name in read("table")["calls"] if name.startswith("primitive.")}
        found |= set(re.findall(r"\b([A-Z]\w+)\(", text))
    return found | set(re.findall(r"\b(?:[a-e]|state\(a\)|t|c|o)\.(\w+)", text)) if space == "Tensor" else found


@pytest.mark.parametrize("space", SPACES)
def test_every_name_has_goldens(space: str) -> None:
    """What both have is recorded; the list of the rest holds no name that is."""
    shared = {name for name in read("names")[space] if inspect.getattr_static(SPACES[space], name, None) is not None}
    without = {name for names in WITHOUT[space].values() for name in names.split()}
    assert sorted(shared - recorded(space) - without) == []
    assert sorted(without - shared) == [], "listed, but not there"
    assert sorted(without & recorded(space)) == [], "listed, but recorded"
