"""Layers that join a convolution or dense layer with what follows it: the rows of the tables."""

from layer_tables import layers_of

TestLayers = layers_of("sporax._src.nn.combined")
