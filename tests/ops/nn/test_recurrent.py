"""Recurrent layers: a whole layer and direction is one operator, a scan over time after one product for all inputs."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.ops.nn.recurrent")
