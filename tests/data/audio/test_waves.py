"""Waves of sound: the rows of the tables."""

from data_tables import operations_of

TestOperations = operations_of("sporax._src.data.audio.waves")
