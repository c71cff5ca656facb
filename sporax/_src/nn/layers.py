"""Every layer, loss, container and training Cell of `nn`: what the files of the families export."""

from sporax._src.nn import (
    activation,
    attention,
    combined,
    containers,
    convolution,
    convolution_transpose,
    dropout,
    embedding,
    grad,
    image,
    layer_norm,
    linear,
    math,
    normalization,
    padding,
    recurrent,
    softmax,
    sparse,
    tensor_array,
    transformer,
    wrap,
)
from sporax._src.nn.activation import *  # noqa: F403
from sporax._src.nn.attention import *  # noqa: F403
from sporax._src.nn.cell import cell as _cell_cell
from sporax._src.nn.cell.cell import *  # noqa: F403
from sporax._src.nn.combined import *  # noqa: F403
from sporax._src.nn.containers import *  # noqa: F403
from sporax._src.nn.convolution import *  # noqa: F403
from sporax._src.nn.convolution_transpose import *  # noqa: F403
from sporax._src.nn.dropout import *  # noqa: F403
from sporax._src.nn.embedding import *  # noqa: F403
from sporax._src.nn.grad import *  # noqa: F403
from sporax._src.nn.image import *  # noqa: F403
from sporax._src.nn.layer_norm import *  # noqa: F403
from sporax._src.nn.linear import *  # noqa: F403
from sporax._src.nn.losses import classification as _losses_classification
from sporax._src.nn.losses import pairs as _losses_pairs
from sporax._src.nn.losses import regression as _losses_regression
from sporax._src.nn.losses import sequence as _losses_sequence
from sporax._src.nn.losses.classification import *  # noqa: F403
from sporax._src.nn.losses.pairs import *  # noqa: F403
from sporax._src.nn.losses.regression import *  # noqa: F403
from sporax._src.nn.losses.sequence import *  # noqa: F403
from sporax._src.nn.math import *  # noqa: F403
from sporax._src.nn.normalization import *  # noqa: F403
from sporax._src.nn.padding import *  # noqa: F403
from sporax._src.nn.pooling import adaptive as _pooling_adaptive
from sporax._src.nn.pooling import fractional as _pooling_fractional
from sporax._src.nn.pooling import pooling as _pooling_pooling
from sporax._src.nn.pooling.adaptive import *  # noqa: F403
from sporax._src.nn.pooling.fractional import *  # noqa: F403
from sporax._src.nn.pooling.pooling import *  # noqa: F403
from sporax._src.nn.recurrent import *  # noqa: F403
from sporax._src.nn.softmax import *  # noqa: F403
from sporax._src.nn.sparse import *  # noqa: F403
from sporax._src.nn.tensor_array import *  # noqa: F403
from sporax._src.nn.transformer import *  # noqa: F403
from sporax._src.nn.wrap import *  # noqa: F403

__all__: list[str] = []
__all__ += activation.__all__
__all__ += attention.__all__
__all__ += combined.__all__
__all__ += containers.__all__
__all__ += convolution.__all__
__all__ += convolution_transpose.__all__
__all__ += dropout.__all__
__all__ += embedding.__all__
__all__ += grad.__all__
__all__ += image.__all__
__all__ += layer_norm.__all__
__all__ += linear.__all__
__all__ += math.__all__
__all__ += normalization.__all__
__all__ += padding.__all__
__all__ += recurrent.__all__
__all__ += softmax.__all__
__all__ += sparse.__all__
__all__ += tensor_array.__all__
__all__ += transformer.__all__
__all__ += wrap.__all__
__all__ += _cell_cell.__all__
__all__ += _losses_classification.__all__
__all__ += _losses_pairs.__all__
__all__ += _losses_regression.__all__
__all__ += _losses_sequence.__all__
__all__ += _pooling_adaptive.__all__
__all__ += _pooling_fractional.__all__
__all__ += _pooling_pooling.__all__
