"""Sounds: the rows of the tables."""

from data_tables import sources_of

TestSources = sources_of("sporax._src.data.sources.sounds")
