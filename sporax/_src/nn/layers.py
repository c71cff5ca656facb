"""Every layer, loss, container and training Cell of `nn`: the exports of all files of the families.

A layer is listed in the `__all__` of its file; a new family is a line here.
"""

from sporax._src.nn.activation import *
from sporax._src.nn.attention import *
from sporax._src.nn.cell.cell import *
from sporax._src.nn.combined import *
from sporax._src.nn.containers import *
from sporax._src.nn.convolution import *
from sporax._src.nn.convolution_transpose import *
from sporax._src.nn.dropout import *
from sporax._src.nn.embedding import *
from sporax._src.nn.grad import *
from sporax._src.nn.image import *
from sporax._src.nn.layer_norm import *
from sporax._src.nn.linear import *
from sporax._src.nn.losses.classification import *
from sporax._src.nn.losses.pairs import *
from sporax._src.nn.losses.regression import *
from sporax._src.nn.losses.sequence import *
from sporax._src.nn.math import *
from sporax._src.nn.normalization import *
from sporax._src.nn.padding import *
from sporax._src.nn.parallel.grad_reducer import *
from sporax._src.nn.parallel.pipeline import *
from sporax._src.nn.pooling.adaptive import *
from sporax._src.nn.pooling.fractional import *
from sporax._src.nn.pooling.pooling import *
from sporax._src.nn.recurrent import *
from sporax._src.nn.softmax import *
from sporax._src.nn.sparse import *
from sporax._src.nn.tensor_array import *
from sporax._src.nn.thor_layers import *
from sporax._src.nn.transformer import *
from sporax._src.nn.wrap import *

__all__ = [name for name in sorted(globals()) if not name.startswith("_")]  # pyright: ignore[reportUnsupportedDunderAll]
