"""Every row of the tables of optimizers is run, and is of a public optimizer."""

from optimizer_tables import modules_without_a_file, optimizers_of
from optimizer_tables.laws import ALL, ROWS, UNSAVED

from sporax import nn
from sporax._src import optim as rules
from sporax._src.optim import param_groups
from sporax.experimental import optim

# A new optimizer is tested before a file mirrors its module.
if others := modules_without_a_file():
    TestOthers = optimizers_of(*others)


def test_rows_are_of_public_optimizers() -> None:
    assert sorted({*ROWS, *UNSAVED} - set(ALL)) == []
    assert set(rules.__all__) <= set(nn.__all__) and set(param_groups.__all__) <= set(optim.__all__)
