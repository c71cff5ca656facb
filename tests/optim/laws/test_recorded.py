"""Every public optimizer has recorded cases."""

from optimizer_tables.steps import CASES

import sporax as ms
from sporax._src.base.public_names import defined_in
from sporax.experimental import optim


def test_every_optimizer_is_recorded() -> None:
    """No public optimizer lacks a case; the bases have none."""
    for prefix, module in (("nn", ms.nn), ("optim", optim), ("mint.optim", ms.mint.optim)):
        classes = [n for n in module.__all__ if isinstance(getattr(module, n), type)]
        kinds = [n for n in classes if ".optim." in defined_in(getattr(module, n))]
        lacking = [n for n in kinds if not any(text.startswith(f"{prefix}.{n}(") for text in CASES)]
        assert {n for n in lacking if not n.endswith(("LR", "Schedule"))} <= {"Optimizer"}, prefix
