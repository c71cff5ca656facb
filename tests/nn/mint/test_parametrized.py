"""Layers of `mint.nn` that have Parameters or a state: the rows of the tables."""

from layer_tables import layers_of

TestLayers = layers_of("sporax._src.nn.mint.parametrized")
