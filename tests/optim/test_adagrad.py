"""Adagrad: the rows of the tables."""

from optimizer_tables import optimizers_of

TestRows = optimizers_of("sporax._src.optim.adagrad")
