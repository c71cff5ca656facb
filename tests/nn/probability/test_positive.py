"""Distributions of positive numbers: the rows of the tables."""

from probability_tables import distributions_of

TestRows = distributions_of("sporax._src.nn.probability.positive")
