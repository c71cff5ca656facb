"""Files of the strategies of operators."""

import json

import pytest

from sporax._src.sharding import operator_file


@pytest.fixture
def named(tmp_path, monkeypatch):
    """Name one file, to load from and to save into."""
    file = tmp_path / "inner" / "strategies.json"
    monkeypatch.setattr(operator_file, "operator_strategy_file", lambda use: str(file))
    return file


def test_what_is_saved_is_loaded(named) -> None:
    operator_file.save_strategies({"MatMul_weight": [(2, 1), (1, 4)]})
    operator_file.save_strategies({"Add_bias": [(2, 4), (4,)]})
    assert json.loads(named.read_text()) == {"MatMul_weight": [[2, 1], [1, 4]], "Add_bias": [[2, 4], [4]]}
    assert operator_file.loaded_strategy("MatMul_weight") == ((2, 1), (1, 4))
    assert operator_file.loaded_strategy("Mul_other") is None


def test_nothing_is_named() -> None:
    operator_file.save_strategies({"MatMul_weight": [(2, 1)]})
    assert operator_file.loaded_strategy("MatMul_weight") is None


@pytest.mark.parametrize("text", ["[", "[1]", '{"a": [[0]]}', '{"a": [[true]]}', '{"a": 1}'])
def test_files_of_something_else(named, text: str) -> None:
    with pytest.raises(ValueError, match="there is no file of strategies"):
        operator_file.loaded_strategy("a")
    named.parent.mkdir()
    named.write_text(text)
    with pytest.raises(ValueError, match="must be JSON like"):
        operator_file.loaded_strategy("a")
