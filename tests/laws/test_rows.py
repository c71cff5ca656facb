"""Every row of the table of operators is under the laws, in the test file of the module that defines it."""

import re

import pytest
from house import ROOT
from laws.rows import ROWS, module_of

MODULES = sorted({module_of(row) for row in ROWS.values()})


@pytest.mark.parametrize("module", MODULES)
def test_a_module_with_rows_has_their_laws(module: str) -> None:
    *folders, last = module.split(".")[2:]
    file = ROOT.joinpath("tests", *folders, f"test_{last}.py")
    assert f'\ntest_row = laws_of("{module}")\n' in file.read_text()


def test_each_is_under_them_once() -> None:
    asked = [
        m for p in (ROOT / "tests").rglob("test_*.py") for m in re.findall(r'laws_of\("([\w.]+)"\)', p.read_text())
    ]
    assert sorted(asked) == MODULES
