"""`sporax stubs` writes what editors read; `tests/house/test_types.py` asks them."""

from pathlib import Path

from click.testing import CliRunner

from sporax._src.cli import main


def test_writes_a_stub_for_each_path(tmp_path: Path) -> None:
    done = CliRunner().invoke(main, ["stubs", str(tmp_path / "typings")])
    assert done.exit_code == 0, done.output
    written = list(tmp_path.rglob("*.pyi"))
    assert done.output == f"{tmp_path / 'typings' / 'mindspore'}: {len(written)} stubs\n"
    top = tmp_path / "typings" / "mindspore"
    assert "from sporax import Tensor as Tensor" in (top / "__init__.pyi").read_text()
    assert "from mindspore import nn as nn" in (top / "__init__.pyi").read_text()
    assert "from sporax.nn import Dense as Dense" in (top / "nn" / "__init__.pyi").read_text()
    assert "import Adam as Adam" in (top / "nn" / "optim" / "adam.pyi").read_text()


def test_writes_the_same_again(tmp_path: Path) -> None:
    for _ in range(2):
        assert CliRunner().invoke(main, ["stubs", str(tmp_path)]).exit_code == 0
        text = (tmp_path / "mindspore" / "ops" / "__init__.pyi").read_text()
    assert text.count("import relu as relu") == 1
