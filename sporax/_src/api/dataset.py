"""The names of `dataset`, over Tensors: this joins the pipeline, which knows only NumPy, to them, to `set_seed` and to the run."""

from sporax._src.api import dataset_messages  # noqa: F401  (binds its methods to Dataset)
from sporax._src.base.config import environ
from sporax._src.core import dtype as mstype
from sporax._src.core.generator import on_set_seed
from sporax._src.core.tensor import Tensor, is_tensor
from sporax._src.data import samplers, sources, transformations
from sporax._src.data.autotune import set_rank
from sporax._src.data.callbacks import DSCallback
from sporax._src.data.config import get_callback_timeout as get_callback_timeout
from sporax._src.data.config import set_global_seed
from sporax._src.data.dataset import Dataset
from sporax._src.data.doors import from_source
from sporax._src.data.doors.kinds import is_of_a_kind as is_of_a_kind
from sporax._src.data.doors.kinds import opened as opened
from sporax._src.data.iterator import DictIterator, Iterator, TupleIterator
from sporax._src.data.look.lines import kind as kind
from sporax._src.data.look.views import PipelineProfiler
from sporax._src.data.look.watch import slowest as slowest
from sporax._src.data.look.watch import watch as watch
from sporax._src.data.pipeline_json import compare, deserialize, serialize, show
from sporax._src.data.samplers import *  # noqa: F403
from sporax._src.data.sources import *  # noqa: F403
from sporax._src.data.tensor_bridge import set_tensor_type
from sporax._src.data.transformations import *  # noqa: F403

__all__ = ["DSCallback", "Dataset", "DictIterator", "Iterator", "PipelineProfiler", "TupleIterator"]
__all__ += ["compare", "deserialize", "from_source", "serialize", "show"]
__all__ += samplers.__all__
__all__ += sources.__all__
__all__ += transformations.__all__

set_rank(lambda: environ("RANK_ID", "0"))
set_tensor_type(Tensor.from_numpy, is_tensor, numpy_dtype=mstype.to_numpy)
on_set_seed(set_global_seed)
