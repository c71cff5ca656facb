"""The tables of optimizers are whole: every public optimizer has its rows, and every row is run."""

from optimizer_tables import modules_without_a_file, optimizers_of
from optimizer_tables.laws import ALL, ROWS, UNSAVED
from optimizer_tables.steps import CASES

import sporax as ms
from sporax import nn
from sporax._src import optim as rules
from sporax._src.base.public_names import defined_in
from sporax._src.optim import param_groups
from sporax.experimental import optim

# A new optimizer is tested before a file mirrors its module.
if others := modules_without_a_file():
    TestOthers = optimizers_of(*others)


def test_every_optimizer_is_recorded() -> None:
    """No public optimizer lacks a case; the bases have none."""
    for prefix, module in (("nn", ms.nn), ("optim", optim), ("mint.optim", ms.mint.optim)):
        classes = [n for n in module.__all__ if isinstance(getattr(module, n), type)]
        kinds = [n for n in classes if ".optim." in defined_in(getattr(module, n))]
        lacking = [n for n in kinds if not any(text.startswith(f"{prefix}.{n}(") for text in CASES)]
        assert {n for n in lacking if not n.endswith(("LR", "Schedule"))} <= {"Optimizer"}, prefix


def test_rows_are_of_public_optimizers() -> None:
    assert sorted({*ROWS, *UNSAVED} - set(ALL)) == []
    assert set(rules.__all__) <= set(nn.__all__) and set(param_groups.__all__) <= set(optim.__all__)
