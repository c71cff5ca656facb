"""Layers of `mint.nn` that call one function: the rows of the tables."""

from layer_tables import layers_of

TestLayers = layers_of("sporax._src.nn.mint.namespace")
