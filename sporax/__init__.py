"""sporax: the MindSpore programming model on JAX/XLA."""

from sporax._src.base import allocator  # noqa: F401  (first: it may start the process anew)
from sporax._src.base.config import (
    GRAPH_MODE,
    PYNATIVE_MODE,
    configure_jax,
    get_context,
    set_context,
)

configure_jax()

from sporax import (  # noqa: F401
    amp,
    common,
    communication,
    context,
    dataset,
    device_context,
    experimental,
    hal,
    log,
    mindrecord,
    mint,
    multiprocessing,
    nn,
    numpy,
    ops,
    parallel,
    profiler,
    runtime,
    scipy,
    train,
)
from sporax._src.api.primitives.higher_order import constexpr
from sporax._src.base.logging import get_level, get_log_config
from sporax._src.base.parallel_settings import (
    ParallelMode,
    get_algo_parameters,
    get_auto_parallel_context,
    reset_algo_parameters,
    reset_auto_parallel_context,
    set_algo_parameters,
    set_auto_parallel_context,
)
from sporax._src.base.public_names import show_public_names
from sporax._src.base.server_settings import (
    get_offload_context,
    get_ps_context,
    reset_ps_context,
    set_offload_context,
    set_ps_context,
)
from sporax._src.checkpoint.convert import (
    async_ckpt_thread_status,
    check_checkpoint,
    ckpt_to_safetensors,
    load_checkpoint_async,
    safetensors_to_ckpt,
)
from sporax._src.checkpoint.distributed import load_distributed_checkpoint, unified_safetensors
from sporax._src.checkpoint.export import export, load, load_mindir, save_mindir
from sporax._src.checkpoint.serialization import (
    load_checkpoint,
    load_param_into_net,
    save_checkpoint,
)
from sporax._src.checkpoint.strategies import merge_pipeline_strategys
from sporax._src.compat.finder import serve_paths
from sporax._src.core import dtype
from sporax._src.core.dtype import (
    Int,
    QuantDtype,
    TensorType,
    Type,
    bfloat16,
    bool_,
    byte,
    cdouble,
    cfloat,
    complex64,
    complex128,
    double,
    dtype_to_nptype,
    dtype_to_pytype,
    float8_e4m3fn,
    float8_e5m2,
    float16,
    float32,
    float64,
    float_,
    get_py_obj_dtype,
    half,
    int8,
    int16,
    int32,
    int64,
    int_,
    intc,
    intp,
    list_,
    long,
    number,
    pytype_to_dtype,
    qint4x2,
    short,
    single,
    string,
    tensor_type,
    tuple_,
    type_none,
    ubyte,
    uint,
    uint8,
    uint16,
    uint32,
    uint64,
    uintc,
    uintp,
    ushort,
)
from sporax._src.core.dtype import bool_ as bool
from sporax._src.core.dtype import float32 as float
from sporax._src.core.dtype import int32 as int
from sporax._src.core.generator import (
    Generator,
    default_generator,
    get_rng_state,
    get_seed,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
    set_seed,
)
from sporax._src.core.parameter import Parameter, ParameterTuple
from sporax._src.core.sparse import COOTensor, CSRTensor, RowTensor, SparseTensor
from sporax._src.core.symbol import Symbol
from sporax._src.core.tensor import Tensor, from_numpy, is_tensor, tensor
from sporax._src.dist.layout import Layout, shard
from sporax._src.runtime.devices import (
    Event,
    Stream,
    StreamCtx,
    communication_stream,
    current_stream,
    default_stream,
    dispatch_threads_num,
    empty_cache,
    get_current_device,
    launch_blocking,
    max_memory_allocated,
    max_memory_reserved,
    memory_allocated,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_max_memory_allocated,
    reset_max_memory_reserved,
    reset_peak_memory_stats,
    set_cpu_affinity,
    set_cur_stream,
    set_deterministic,
    set_device,
    set_kernel_launch_capture,
    set_kernel_launch_group,
    set_memory,
    synchronize,
)
from sporax._src.runtime.devices import empty_cache as ms_memory_recycle
from sporax._src.runtime.profiler import Profiler
from sporax._src.train.amp import build_train_network
from sporax._src.train.backup import BackupAndRestore, OnRequestExit
from sporax._src.train.callback import Callback, History, LambdaCallback, LearningRateScheduler, RunContext
from sporax._src.train.checkpointing import CheckpointConfig, ModelCheckpoint
from sporax._src.train.dataset_helper import DatasetHelper, connect_network_with_dataset, data_sink
from sporax._src.train.install_check import run_check
from sporax._src.train.loss_scale import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager
from sporax._src.train.metrics import get_metric_fn, names
from sporax._src.train.metrics.classes import (
    F1,
    Accuracy,
    Fbeta,
    Precision,
    Recall,
)
from sporax._src.train.metrics.confusion import ConfusionMatrix
from sporax._src.train.metrics.confusion_rates import ConfusionMatrixMetric
from sporax._src.train.metrics.error import MAE, MSE, Loss
from sporax._src.train.metrics.metric import Metric, rearrange_inputs
from sporax._src.train.metrics.occlusion import OcclusionSensitivity
from sporax._src.train.metrics.overlap import CosineSimilarity, Dice
from sporax._src.train.metrics.roc import ROC, auc
from sporax._src.train.metrics.surface import HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance
from sporax._src.train.metrics.text import BleuScore, Perplexity
from sporax._src.train.metrics.topk import Top1CategoricalAccuracy, Top5CategoricalAccuracy, TopKCategoricalAccuracy
from sporax._src.train.model import Model
from sporax._src.train.monitor import LossMonitor, TimeMonitor
from sporax._src.train.plateau import EarlyStopping, ReduceLROnPlateau
from sporax._src.train.summary import SummaryCollector, SummaryRecord
from sporax._src.transform.custom import Function as _Function
from sporax._src.transform.decorators import (
    COMPATIBLE,
    LAX,
    STRICT,
    enable_dynamic,
    jit_class,
    lazy_inline,
    mutable,
    no_grad,
    no_inline,
    recompute,
    set_recursion_limit,
)
from sporax._src.transform.decorators import no_grad as _no_grad
from sporax._src.transform.grad import grad, value_and_grad
from sporax._src.transform.jacobian import get_grad, jacfwd, jacrev, jvp, vjp
from sporax._src.transform.jit import JitConfig, jit
from sporax._src.transform.vmap import vmap

__version__ = "0.1.0"

__all__ = [
    "Layout", "Profiler", "SummaryCollector", "SummaryRecord", "Symbol", "async_ckpt_thread_status", "bool", "check_checkpoint",
    "ckpt_to_safetensors", "constexpr", "export", "float", "get_level", "get_log_config", "int", "load", "load_checkpoint_async",
    "load_distributed_checkpoint", "load_mindir", "profiler", "run_check", "safetensors_to_ckpt", "save_mindir", "shard",
    "unified_safetensors",
    "get_offload_context", "get_ps_context", "reset_ps_context", "set_offload_context", "set_ps_context",
    "COOTensor", "CSRTensor", "RowTensor", "SparseTensor",
    "Accuracy", "F1", "Fbeta", "Precision", "Recall",
    "BackupAndRestore", "OnRequestExit", "BleuScore", "Perplexity", "ConfusionMatrix",
    "ConfusionMatrixMetric", "CosineSimilarity", "Dice", "EarlyStopping", "ReduceLROnPlateau",
    "HausdorffDistance", "MeanSurfaceDistance", "RootMeanSquareDistance", "History", "LambdaCallback",
    "LearningRateScheduler", "Loss", "MAE", "MSE", "OcclusionSensitivity",
    "ROC", "auc", "Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy",
    "get_metric_fn", "names", "rearrange_inputs", "Event", "Stream",
    "StreamCtx", "communication_stream", "current_stream", "default_stream", "dispatch_threads_num",
    "empty_cache", "launch_blocking", "max_memory_allocated", "max_memory_reserved", "memory_allocated",
    "memory_reserved", "memory_stats", "memory_summary", "reset_max_memory_allocated", "reset_max_memory_reserved",
    "reset_peak_memory_stats", "set_cpu_affinity", "set_cur_stream", "set_deterministic", "set_kernel_launch_capture",
    "set_kernel_launch_group",
    "set_memory", "synchronize",
    "DatasetHelper", "connect_network_with_dataset", "data_sink", "experimental", "get_algo_parameters", "get_current_device",
    "hal", "parallel", "reset_algo_parameters", "runtime", "set_algo_parameters", "set_device",
    "DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager", "build_train_network",
    "Callback", "CheckpointConfig", "LossMonitor", "Metric", "Model", "ModelCheckpoint", "ParallelMode", "RunContext",
    "TimeMonitor", "amp", "communication", "context", "dataset", "dtype", "get_auto_parallel_context", "load_checkpoint",
    "device_context", "merge_pipeline_strategys",
    "load_param_into_net", "log", "reset_auto_parallel_context", "save_checkpoint", "set_auto_parallel_context", "train",
    "COMPATIBLE", "LAX", "STRICT", "_Function", "_no_grad", "get_grad", "jacfwd", "jacrev", "jit_class", "jvp", "lazy_inline",
    "mutable", "no_grad", "recompute", "vjp", "vmap",
    "GRAPH_MODE", "PYNATIVE_MODE", "Generator", "JitConfig", "Parameter", "ParameterTuple", "Tensor", "bfloat16", "bool_",
    "common", "complex64", "complex128", "default_generator", "dtype_to_nptype", "dtype_to_pytype", "float8_e4m3fn",
    "float8_e5m2", "float16", "float32", "float64", "float_", "get_context", "get_py_obj_dtype", "get_rng_state", "get_seed",
    "grad", "initial_seed", "int8", "int16", "int32", "int64", "int_", "is_tensor", "jit", "manual_seed", "nn", "number",
    "mindrecord", "mint", "numpy", "ops", "pytype_to_dtype", "scipy", "seed", "set_context", "set_rng_state", "set_seed", "string",
    "tensor_type", "type_none",
    "Int", "QuantDtype", "TensorType", "Type", "byte", "cdouble", "cfloat", "double", "enable_dynamic", "from_numpy", "half",
    "intc", "intp", "list_", "long", "ms_memory_recycle", "no_inline", "qint4x2", "set_recursion_limit", "short", "single",
    "tensor", "tuple_", "ubyte", "uintc", "uintp", "ushort",
    "uint", "uint8", "uint16", "uint32", "uint64", "value_and_grad",
]  # fmt: skip

show_public_names()
serve_paths()
