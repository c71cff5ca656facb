"""sporax: the MindSpore programming model on JAX/XLA."""

from sporax._src.startup import allocator  # noqa: F401  (first: it may start the process anew)
from sporax._src.startup.loading import hold_collections, resume_collections

hold_collections()

from typing import TYPE_CHECKING

from sporax._src.base.config import GRAPH_MODE, PYNATIVE_MODE, get_context, set_context
from sporax._src.startup.process import prepare_process

prepare_process()

from sporax._src.processes.watchdog import join_run

join_run()  # before anything makes an array

import sporax._src.api.tensor  # noqa: F401  (the methods of Tensor)
from sporax._src.api.tensor.exchange import from_dlpack, frombuffer, to_dlpack
from sporax._src.api.tensor.storage import UntypedStorage, swap_tensors
from sporax._src.base.logging import get_level, get_log_config
from sporax._src.compat.finder import complete, serve_paths
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
from sporax._src.processes.parallel_context import (
    ParallelMode,
    get_auto_parallel_context,
    reset_auto_parallel_context,
    set_auto_parallel_context,
)
from sporax._src.startup.public_modules import serve_public_modules
from sporax._src.train.install_check import run_check
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
from sporax._src.transform.jit import jit
from sporax._src.transform.jit_options import JitConfig
from sporax._src.transform.saved_tensors import register_saved_tensors_hooks, saved_tensors_hooks
from sporax._src.transform.vmap import vmap

if TYPE_CHECKING:  # imported when a program first asks for them
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
        lowering,
        mindrecord,
        mint,
        multiprocessing,
        nn,
        numpy,
        onnx,
        ops,
        parallel,
        profiler,
        runtime,
        scipy,
        train,
        utils,
    )
    from sporax._src.api.dispatch_mode import MsDispatchMode
    from sporax._src.api.primitives.higher_order import constexpr
    from sporax._src.base.settings.parameter_server import (
        get_offload_context,
        get_ps_context,
        reset_ps_context,
        set_offload_context,
        set_ps_context,
    )
    from sporax._src.checkpoint.export import load_mindir, save_mindir
    from sporax._src.runtime.devices import DeviceCtx, get_current_device, set_deterministic, set_device
    from sporax._src.runtime.hints import empty_cache as ms_memory_recycle
    from sporax._src.train.cell_values import cell_values
    from sporax._src.train.network_summary import summary
    from sporax.amp import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager, build_train_network
    from sporax.parallel import (
        Layout,
        get_algo_parameters,
        load_segmented_checkpoints,
        merge_pipeline_strategys,
        parameter_broadcast,
        rank_list_for_transform,
        reset_algo_parameters,
        set_algo_parameters,
        shard,
        sync_pipeline_shared_parameters,
        transform_checkpoint_by_rank,
        transform_checkpoints,
        unified_safetensors,
    )
    from sporax.profiler import Profiler
    from sporax.runtime import (
        Event,
        Stream,
        StreamCtx,
        StreamLimitCtx,
        communication_stream,
        current_stream,
        default_stream,
        dispatch_threads_num,
        empty_cache,
        get_device_limit,
        get_stream_limit,
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
        reset_stream_limit,
        set_cpu_affinity,
        set_cur_stream,
        set_device_limit,
        set_kernel_launch_capture,
        set_kernel_launch_group,
        set_memory,
        set_stream_limit,
        synchronize,
    )
    from sporax.train import (
        F1,
        MAE,
        MSE,
        ROC,
        Accuracy,
        BackupAndRestore,
        BleuScore,
        Callback,
        CheckpointConfig,
        ConfusionMatrix,
        ConfusionMatrixMetric,
        ConvertModelUtils,
        ConvertNetUtils,
        CosineSimilarity,
        DatasetHelper,
        Dice,
        EarlyStopping,
        Fbeta,
        FlopsUtilizationCollector,
        HausdorffDistance,
        History,
        LambdaCallback,
        LearningRateScheduler,
        Loss,
        LossMonitor,
        MeanSurfaceDistance,
        Metric,
        Model,
        ModelCheckpoint,
        OcclusionSensitivity,
        OnRequestExit,
        Perplexity,
        Precision,
        Recall,
        ReduceLROnPlateau,
        RootMeanSquareDistance,
        RunContext,
        SummaryCollector,
        SummaryLandscape,
        SummaryRecord,
        TimeMonitor,
        Top1CategoricalAccuracy,
        Top5CategoricalAccuracy,
        TopKCategoricalAccuracy,
        async_ckpt_thread_status,
        auc,
        build_searched_strategy,
        check_checkpoint,
        ckpt_to_safetensors,
        connect_network_with_dataset,
        data_sink,
        export,
        get_ckpt_path_with_strategy,
        get_metric_fn,
        load,
        load_checkpoint,
        load_checkpoint_async,
        load_distributed_checkpoint,
        load_param_into_net,
        merge_sliced_parameter,
        names,
        rearrange_inputs,
        restore_group_info_list,
        safetensors_to_ckpt,
        save_checkpoint,
    )

__version__ = "0.2.0"

__all__ = [
    "_Function", "_no_grad", "Accuracy", "amp", "async_ckpt_thread_status", "auc", "BackupAndRestore", "bfloat16", "BleuScore",
    "bool", "bool_", "build_searched_strategy", "build_train_network", "byte", "Callback", "cell_values", "cdouble", "cfloat",
    "check_checkpoint", "CheckpointConfig", "ckpt_to_safetensors", "common", "communication", "communication_stream",
    "COMPATIBLE", "complex128", "complex64", "ConfusionMatrix", "ConfusionMatrixMetric", "connect_network_with_dataset",
    "constexpr", "context", "ConvertModelUtils", "ConvertNetUtils", "COOTensor", "CosineSimilarity", "CSRTensor",
    "current_stream", "data_sink", "dataset", "DatasetHelper", "default_generator", "default_stream", "device_context",
    "DeviceCtx", "Dice",
    "dispatch_threads_num", "double", "dtype",
    "dtype_to_nptype", "dtype_to_pytype", "DynamicLossScaleManager", "EarlyStopping", "empty_cache", "enable_dynamic", "Event",
    "experimental", "export", "F1", "Fbeta", "FixedLossScaleManager", "float", "float16", "float32", "float64", "float8_e4m3fn",
    "float8_e5m2", "float_", "FlopsUtilizationCollector", "from_dlpack", "from_numpy", "frombuffer", "Generator",
    "get_algo_parameters", "get_auto_parallel_context", "get_ckpt_path_with_strategy", "get_context", "get_current_device",
    "get_device_limit", "get_grad", "get_level",
    "get_log_config", "get_metric_fn", "get_offload_context", "get_ps_context", "get_py_obj_dtype", "get_rng_state", "get_seed",
    "get_stream_limit", "grad", "GRAPH_MODE", "hal", "half", "HausdorffDistance", "History", "initial_seed", "Int", "int",
    "int16", "int32",
    "int64", "int8", "int_", "intc", "intp", "is_tensor", "jacfwd", "jacrev", "jit", "jit_class", "JitConfig", "jvp",
    "LambdaCallback", "launch_blocking", "LAX", "Layout", "lazy_inline", "LearningRateScheduler", "list_", "load",
    "load_checkpoint", "load_checkpoint_async", "load_distributed_checkpoint", "load_mindir", "load_param_into_net",
    "load_segmented_checkpoints", "log", "long", "Loss", "LossMonitor", "LossScaleManager", "MAE", "manual_seed",
    "max_memory_allocated", "max_memory_reserved", "MeanSurfaceDistance", "memory_allocated", "memory_reserved", "memory_stats",
    "memory_summary", "merge_pipeline_strategys", "merge_sliced_parameter", "Metric", "mindrecord", "mint", "Model",
    "ModelCheckpoint", "ms_memory_recycle", "MsDispatchMode", "MSE", "mutable", "names", "nn", "no_grad", "no_inline",
    "number", "numpy",
    "OcclusionSensitivity", "OnRequestExit", "ops", "parallel", "ParallelMode", "Parameter", "parameter_broadcast",
    "ParameterTuple", "Perplexity", "Precision", "Profiler", "profiler", "PYNATIVE_MODE", "pytype_to_dtype", "qint4x2",
    "QuantDtype", "rank_list_for_transform", "rearrange_inputs", "Recall", "recompute", "ReduceLROnPlateau",
    "register_saved_tensors_hooks",
    "reset_algo_parameters", "reset_auto_parallel_context", "reset_max_memory_allocated", "reset_max_memory_reserved",
    "reset_peak_memory_stats", "reset_ps_context", "reset_stream_limit", "restore_group_info_list", "ROC",
    "RootMeanSquareDistance", "RowTensor", "run_check", "RunContext", "runtime", "safetensors_to_ckpt", "save_checkpoint",
    "save_mindir", "saved_tensors_hooks", "scipy", "seed", "set_algo_parameters", "set_auto_parallel_context", "set_context",
    "set_cpu_affinity", "set_cur_stream", "set_deterministic", "set_device", "set_device_limit", "set_kernel_launch_capture",
    "set_kernel_launch_group", "set_memory", "set_offload_context", "set_ps_context", "set_recursion_limit", "set_rng_state",
    "set_seed", "set_stream_limit", "shard", "short", "single", "SparseTensor", "Stream", "StreamCtx", "StreamLimitCtx",
    "STRICT", "string", "summary", "SummaryCollector", "SummaryLandscape", "SummaryRecord", "swap_tensors", "Symbol",
    "sync_pipeline_shared_parameters", "synchronize", "Tensor", "tensor", "tensor_type", "TensorType", "TimeMonitor",
    "to_dlpack", "Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy", "train",
    "transform_checkpoint_by_rank", "transform_checkpoints", "tuple_", "Type", "type_none", "ubyte", "uint", "uint16", "uint32",
    "uint64", "uint8", "uintc", "uintp", "unified_safetensors", "UntypedStorage", "ushort",
    "utils", "value_and_grad", "vjp", "vmap",
]  # fmt: skip

serve_paths()
serve_public_modules(complete)
resume_collections()
