"""`run_check` says on which device a product is right, or raises."""

import pytest

from sporax import Tensor
from sporax._src.train import install_check


def test_a_right_product_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    install_check.run_check()
    assert "multiplication calculation is correct, sporax computes on platform [" in capsys.readouterr().out


def test_a_wrong_product_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(install_check, "mul", lambda x, y: Tensor([1.0]))
    with pytest.raises(RuntimeError, match=r"run_check: .* computes \[1\.0\], not \[\[0\.0, 2\.0, 4\.0\], \[6"):
        install_check.run_check()
