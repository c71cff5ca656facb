"""Every public name of MindSpore's datasets has a comparison with MindSpore's values, or a reason; and what the rest gives."""

import importlib.util
import json
import sys
from types import ModuleType
from typing import Any

import named_calls
import pytest
from house import ROOT

import sporax as ms
import sporax.dataset as ds
from sporax import mindrecord
from sporax._src.compat import finder

GOLDEN = json.loads((ROOT / "tests" / "goldens" / "dataset_names.json").read_text(encoding="utf-8"))


def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("data_names", ROOT / "tools" / "data_names.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("named"))
        ds.config.set_seed(1)
        return named_calls.answers(ms, ds, mindrecord)


@pytest.mark.parametrize("call", named_calls.CALLS)
def test_answers_are_mindspores(given: dict[str, Any], call: str) -> None:
    assert given[call] == GOLDEN["answers"][call]


def test_every_name_is_compared_or_has_a_reason() -> None:
    names, data_names = GOLDEN["names"], tool()
    recorded = data_names.where_recorded(names)
    every = [f"{space}.{name}" for space, some in names.items() for name in some]
    assert [name for name in every if name not in recorded and data_names.reason(name) is None] == []
    assert len(every) > 500


def test_what_is_compared_is_here() -> None:
    names, data_names = GOLDEN["names"], tool()
    was_loaded = "mindspore" in sys.modules
    finder.install()
    try:
        own = data_names.public("mindspore")
        recorded = data_names.where_recorded(names)
        for space, some in names.items():
            holder = data_names.part("mindspore", space if space not in data_names.METHODS else "dataset")
            for name in some:
                if f"{space}.{name}" in recorded:
                    assert name in own[space] or hasattr(holder, name), f"{space}.{name}"
    finally:
        if not was_loaded:
            finder.uninstall()


def test_the_page_is_new() -> None:
    data_names = tool()
    assert data_names.PAGE.read_text(encoding="utf-8") == data_names.page(), "run tools/data_names.py"
