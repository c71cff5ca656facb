"""Draws from distributions of given parameters, and random choices: coin flips, indices by weight, candidate classes."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.random.distributions")
