"""What programs that derive kinds of Tensors import from `mindspore.common.tensor`; mindnlp does (`mindtorch/_tensor.py`)."""

from sporax import Tensor

_TensorMeta = type(Tensor)
