"""Short programs for MindSpore answer as they were recorded there (`support/behaviours`), in both modes."""

import json
import sys
from typing import Any

import numpy as np
import pytest
from behaviours import TOPICS, answer, programs
from devices import of_cpus
from house import ROOT

import sporax as ms
from sporax._src.compat import finder

RECORDED = json.loads((ROOT / "tests" / "goldens" / "behaviours.json").read_text(encoding="utf-8"))

# Answers that are not followed, by program and mode, each with the reason.
DIFFERENT = {
    "cells.running_construct": "MindSpore 2.7.0 passes the tuple of inputs on as one argument, which `construct` does not take",
    "graphs.a_key_is_missing": "a KeyError, as in Python and in MindSpore's PyNative mode",
    "graphs.a_zip_that_is_walked_twice": "an iterator, as in PyNative mode, unless the graph needs the source rewritten",
    "graphs.items_written_in_a_cell graph": "views are views in graphs as well: a program means the same in both modes",
    "graphs.set_data_in_construct graph": "sets the data, as in PyNative mode",
    "graphs.shapes_do_not_fit": "a ValueError, as of other operators and in MindSpore's PyNative mode",
    "graphs.ties_of_topk": "of equal elements the first ones are taken; MindSpore's heap leaves others, by their number",
    "precision.o1_casts_relu_as_a_function": "functions compute in what they are given, `ops.matmul` and `ops.relu` alike",
}

# What CPUs answer otherwise than other devices do.
OF_CPUS = {
    "optimizers.a_list_of_rates_ends": "other devices do not look at indices",
    "optimizers.the_attributes_of_the_base": "the name of the device is among them",
    "optimizers.reading_past_the_end_of_a_list": "other devices do not look at indices",
    "training.steps_in_sink_mode": "other devices have a sink mode",
    "training.steps_in_sink_mode_of_a_size": "other devices have a sink mode",
}


@pytest.fixture
def program(request: pytest.FixtureRequest) -> Any:
    """Return the program of a name, imported while the name `mindspore` is sporax."""
    finder.install()
    yield dict(programs())[request.param]
    for topic in TOPICS:
        sys.modules.pop(f"behaviours.{topic}", None)
    finder.uninstall()


def same(got: Any, want: Any) -> bool:
    """Tell whether two answers agree, numbers up to rounding."""
    if isinstance(want, float) or isinstance(got, float):
        return type(got) is type(want) and bool(np.isclose(got, want, rtol=1e-4, atol=1e-5, equal_nan=True))
    if isinstance(want, dict) and isinstance(got, dict) and "error" in want and "error" in got:
        return want["error"][0] in got["error"]
    if isinstance(want, dict):
        return isinstance(got, dict) and got.keys() == want.keys() and all(same(got[k], want[k]) for k in want)
    if isinstance(want, list):
        return isinstance(got, list) and len(got) == len(want) and all(map(same, got, want))
    return type(got) is type(want) and got == want


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("program", of_cpus(RECORDED, OF_CPUS), indirect=True)
def test_answers(program: Any, mode: int, request: pytest.FixtureRequest) -> None:
    """What the docstring of the program says is as in MindSpore."""
    name = request.node.callspec.params["program"]
    mode_name = "graph" if mode == ms.GRAPH_MODE else "pynative"
    got, want = answer(program), RECORDED[name][mode_name]
    if name in DIFFERENT or f"{name} {mode_name}" in DIFFERENT:
        assert not same(got, want), "it is the same now"
    else:
        assert same(got, want), f"{program.__doc__}\nMindSpore: {want}\nhere: {got}"


def test_all_are_recorded() -> None:
    finder.install()
    try:
        assert sorted(name for name, _ in programs()) == sorted(RECORDED)
    finally:
        finder.uninstall()
    assert {key.split(" ")[0] for key in DIFFERENT} <= set(RECORDED)
