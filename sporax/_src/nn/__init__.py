"""Cells: the layers of networks.

Reading order: `cell`, `containers`, `checks`; the families `linear`, `activation`, `softmax`, `convolution`,
`convolution_transpose`, `pooling`, `padding`, `normalization`, `layer_norm`, `dropout`, `embedding`, `recurrent`, `attention`,
`transformer`, `combined`, `image`, `math`, `sparse`, `grad`, `tensor_array`; `losses`, `wrap` (training steps), `probability`,
`mint`, `parallel`; `thor_layers` and `thor_conversion`; `layers` (every public name).
"""

from sporax._src.api import ops  # noqa: F401  (registers the Primitives that layers hold)
