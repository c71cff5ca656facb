"""Layer and group normalization: the rows of the tables."""

from layer_tables import layers_of

TestLayers = layers_of("sporax._src.nn.layer_norm")
