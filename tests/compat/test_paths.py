"""MindSpore's import paths lead somewhere: what programs import, every line of the table, and what MindSpore itself has."""

import importlib
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest
from house import ROOT, modules

import sporax as ms
from sporax._src.compat import finder
from sporax._src.compat.paths import Source, expand, read

# `from mindspore.<path> import <names>`, as public programs have them; they are also below `sporax`.
PROGRAMS = """
_c_expression: MSContext security Tensor TensorPy disable_multi_thread reset_op_id
_c_expression.typing: Float Int UInt Number Bool Complex BFloat
_checkparam: Validator Rel check_value_type check_positive_int check_bool check_float_range INC_NEITHER args_type_check
_extends: cell_attr_register
_extends.parse: compile_config
amp: all_finite auto_mixed_precision DynamicLossScaler StaticLossScaler init_status custom_mixed_precision
common: DeviceCtx UntypedStorage register_saved_tensors_hooks saved_tensors_hooks swap_tensors
common.device: DeviceCtx
common.hook_handle: HookHandle
common.storage: UntypedStorage
common.parameter: Parameter _Buffer _is_parameter_generated
common.file_system: FileSystem
common.initializer: initializer Normal XavierUniform _calculate_fan_in_and_fan_out _assignment
communication: create_group init get_rank get_group_size
communication.comm_func: all_reduce barrier
communication._comm_helper: _is_initialized
communication.management: init get_rank get_group_size GlobalComm release
context: ParallelMode set_context
experimental.optim: SGD Adam AdamW lr_scheduler Optimizer
experimental.optim.adamw: AdamW
experimental.optim.lr_scheduler: LRScheduler StepLR
experimental.optim.optimizer: Optimizer
graph.api: _pynative_executor jit jit_class
graph.dynamic_shape.enable_dynamic: enable_dynamic
graph.jit_config: JitConfig
graph.lazy_inline: lazy_inline
graph.mutable: mutable
graph.symbol: Symbol
hal: device_count is_available synchronize
log: info warning error logging
mint.distributed: all_reduce get_rank init_process_group
mint.distributed.distributed: all_gather_object
mint.optim: AdamW
multiprocessing: Process
nn: Adam Lamb LARS Accuracy Metric WithGradCell DistributedGradReducer TrainOneStepWithLossScaleCell get_metric_fn
nn.dynamic_lr: cosine_decay_lr
nn.learning_rate_schedule: LearningRateSchedule WarmUpLR
nn.metrics: Accuracy Metric get_metric_fn
nn.metrics.accuracy: Accuracy
nn.metrics.metric: Metric EvaluationBase
nn.optim: Adam Optimizer Lamb AdaFactor
nn.optim.adam: Adam
nn.optim.momentum: Momentum
nn.optim.optimizer: Optimizer opt_init_args_register
nn.optim.rmsprop: RMSProp
nn.optim.sgd: SGD
nn.wrap: TrainOneStepCell WithLossCell
nn.wrap.cell_wrapper: TrainOneStepCell WithLossCell WithEvalCell
nn.wrap.grad_reducer: DistributedGradReducer
nn.wrap.loss_scale: TrainOneStepWithLossScaleCell DynamicLossScaleUpdateCell
parallel: Layout load_distributed_checkpoint set_algo_parameters shard
parallel.nn: GradAccumulation MicroBatchInterleaved Pipeline
parallel.nn.parallel_grad_reducer: PipelineGradReducer
parallel._auto_parallel_context: auto_parallel_context
parallel._cost_model_context: _set_multi_subgraphs set_cost_model_context
parallel._ps_context: _is_role_pserver _is_role_sched
parallel._utils: _get_parallel_mode _get_device_num _get_gradients_mean _get_pipeline_stages _is_sharding_propagation
runtime: synchronize launch_blocking set_memory memory_allocated
train: Model LossMonitor TimeMonitor Callback Metric DatasetHelper data_sink ReduceLROnPlateau
profiler: Profiler ProfilerActivity ProfilerLevel mstx profile schedule tensorboard_trace_handler
profiler.profiler: Profiler
train._utils: _make_directory check_value_type
train.amp: auto_mixed_precision build_train_network _OutputTo16 _OutputTo32
train.callback: LossMonitor ModelCheckpoint CheckpointConfig _InternalCallbackParam _CallbackManager RunContext
train.callback._callback: Callback _handle_loss InternalCallbackParam
train.callback._checkpoint: CheckpointConfig
train.callback._loss_monitor: LossMonitor
train.callback._time_monitor: TimeMonitor
train.dataset_helper: DatasetHelper connect_network_with_dataset
train.loss_scale_manager: DynamicLossScaleManager FixedLossScaleManager LossScaleManager
train.metrics: Accuracy Loss Metric
train.metrics.metric: Metric rearrange_inputs
train.model: Model
train.serialization: export load load_checkpoint load_param_into_net save_checkpoint
train.summary: SummaryRecord
train.summary.summary_record: SummaryRecord
version: __version__
"""
# The same of names that are there only while `mindspore` is served, with others from the same places.
OLDER_PROGRAMS = """
boost.grad_accumulation: gradient_accumulation_op gradient_clear_op GradientAccumulation
common: ms_function ms_class
common.api: ms_function
common.seed: _get_graph_seed
dataset.engine.datasets: _set_training_dataset Dataset
dataset.transforms.vision: Inter c_transforms
dataset.transforms.vision.py_transforms: ToTensor
dataset.vision.py_transforms_util: is_pil is_numpy rotate to_pil hwc_to_chw augment_error_message random_crop
nn: ResizeBilinear Cell
nn.layer.flash_attention: FlashAttention
nn.transformer: TransformerEncoder MoEConfig TransformerOpParallelConfig MultiHeadAttention
nn.transformer.layers: _Linear _LayerNorm _valid_value_checks _args_type_validator_check
nn.transformer.loss: CrossEntropyLoss
nn.transformer.op_parallel_config: default_dpmp_config
nn.transformer.transformer: AttentionMask VocabEmbedding TransformerEncoderLayer
ops: Push Pull
ops._grad.grad_base: bprop_getters
ops._grad_experimental.grad_base: bprop_getters
ops.auto_generate: GroupedMatmulV4 FusedAddTopKDiv MoeInitRoutingV2 MoeTokenUnpermute QuantBatchMatmul format_cast AddExt
ops.auto_generate.gen_ops_prim: QuantV2
ops.function.nn_func: multi_head_attention_forward
ops.operations: Push Pull
ops.operations._infer_ops: QuantV2
ops.operations.nn_ops: PromptFlashAttention FlashAttentionScore
parallel._transformer: TransformerOpParallelConfig
parallel._transformer.layers: _LayerNorm _Dropout _check_input_dtype _LayerInputCheck
parallel._transformer.moe: default_moe_config _check_moe_config
parallel._transformer.op_parallel_config: OpParallelConfig _check_config _PipeLineConfig
parallel._transformer.transformer: TransformerEncoder MultiHeadAttention _get_lambda_func
profiler.profiling: Profiler
train.node_strategy_pb2: ParallelStrategyMap
train.serialization: _update_param _get_merged_param_data load_checkpoint
"""
TOLD = json.loads((ROOT / "tests" / "goldens" / "paths.json").read_text(encoding="utf-8"))
"""By path, the documented namespaces that have its names too, in MindSpore as the same objects."""
DIFFERENT = {"is_tensor"}  # a function of its own in `ops`, where MindSpore has the one of the top module


@pytest.fixture
def installed() -> Iterator[None]:
    finder.install()
    yield
    finder.uninstall()


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


def imported(path: str, top: str = "sporax") -> ModuleType:
    return importlib.import_module(f"{top}.{path}".rstrip("."))


def reached(path: str, top: Any = ms) -> Any:
    """Return what attributes lead to, without an import; None if they do not."""
    for name in filter(None, path.split(".")):
        top = getattr(top, name, None)
    return top


def lacking(module: ModuleType, names: str) -> list[str]:
    return [name for name in names.split() if not hasattr(module, name)]


# --- what programs import -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", lines(PROGRAMS))
def test_paths_of_programs(line: str) -> None:
    path, names = line.split(": ")
    assert lacking(imported(path), names) == []


@pytest.mark.parametrize("line", lines(PROGRAMS + OLDER_PROGRAMS))
def test_paths_of_programs_under_the_name_of_mindspore(line: str, installed: None) -> None:
    path, names = line.split(": ")
    assert lacking(imported(path, "mindspore"), names) == []


# --- the table ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(finder.PATHS))
def test_a_line_gives_its_names(path: str) -> None:
    """The module is there, by import and by attributes, under both names; what it holds is what its sources hold."""
    module = imported(path)
    assert lacking_sources(module, finder.PATHS[path]) == []
    assert {new for source in finder.PATHS[path] for new in source.names or ()} <= set(dir(module))
    finder.install()
    try:
        if path:  # the top module has a stand-in
            assert imported(path, "mindspore") is module
    finally:
        finder.uninstall()


@pytest.mark.parametrize("path", sorted(finder.MARKED))
def test_a_marked_line_comes_and_goes_with_mindspore(path: str) -> None:
    names = [new for source in finder.MARKED[path] for new in source.names or ()]
    finder.install()
    try:
        module = imported(path, "mindspore")
        assert lacking_sources(module, finder.MARKED[path]) == [] and set(names) <= set(dir(module))
        assert reached(path) is (module if path else ms)
    finally:
        finder.uninstall()
    if path in finder.PATHS or f"sporax.{path}".rstrip(".") in modules():
        assert [name for name in names if hasattr(imported(path), name) or name in dir(imported(path))] == []
    else:
        assert not isinstance(reached(path), ModuleType)
        with pytest.raises(ModuleNotFoundError, match=f"'sporax.{path}'|'sporax.{path.rpartition('.')[0]}'"):
            imported(path)


def lacking_sources(module: ModuleType, sources: list[Source]) -> list[str]:
    """Return the names of sources that a module lacks or has as another object; of two for one name, the later counts."""
    wanted: dict[str, Any] = {}
    for source in sources:
        found = importlib.import_module(source.module)
        names = {name: name for name in found.__all__} if source.names is None else source.names
        wanted |= {new: getattr(found, name) for new, name in names.items()}
    wanted = {n: v for n, v in wanted.items() if not isinstance(v, ModuleType) or module.__dict__.get(n) is v}
    return [name for name, value in wanted.items() if getattr(module, name, None) is not value]


def test_lines_are_read() -> None:
    table = "\n# why\na.{b,\n    c} . = x: N M as L; y\n    z: P\n\nd   = y   @mindspore\n"
    names = {"N": "N", "L": "M"}
    always, marked = read(table.replace("; y\n    z: P", ";\n    y"))
    assert always == {path: [Source("x", names), Source("y", None)] for path in ("a.b", "a.c", "")}
    assert marked == {"d": [Source("y", None)]}
    assert expand("{nn,train}.metrics.{loss,roc}") == [
        "nn.metrics.loss", "nn.metrics.roc", "train.metrics.loss", "train.metrics.roc",
    ]  # fmt: skip


def test_no_line_hides_a_file() -> None:
    """A line whose path has a file adds names to it, and takes none away."""
    files = {name.removeprefix("sporax").removeprefix(".") for name, module in modules().items() if module.is_facade}
    for path in files & {*finder.PATHS}:
        added = {new for source in finder.PATHS[path] for new in source.names or ()}
        assert added & set(imported(path).__all__) == set() and all(s.names is not None for s in finder.PATHS[path])


# --- what MindSpore has as attributes -------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [path for path in TOLD if isinstance(reached(path), ModuleType)])
def test_names_are_those_of_mindspore(path: str) -> None:
    """A name that MindSpore shares between this path and a documented one is shared here, if sporax has it."""
    module = reached(path)
    assert module is reached(path.rpartition(".")[0]).__dict__.get(path.rpartition(".")[2], module)
    legacy = f"sporax.{path}" not in modules()
    for space, names in TOLD[path].items():
        there = {name: getattr(imported(space), name) for name in names.split() if hasattr(imported(space), name)}
        assert lacking(module, " ".join(there)) == []
        wrong = [name for name, value in there.items() if legacy and getattr(module, name) is not value]
        assert sorted({*wrong} - DIFFERENT) == []


def test_modules_without_an_answer_are_left_out_with_a_reason(coverage_tool: ModuleType) -> None:
    silent = [(0, path) for path in TOLD if not isinstance(reached(path), ModuleType)]
    assert coverage_tool.unnamed(silent, ROOT / "docs" / "coverage.md") == []
    text = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    assert f"{len(TOLD)} public modules" in text and f"{len(TOLD) - len(silent)} of them exist in sporax" in text


@pytest.fixture
def coverage_tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("coverage_tool_for_paths", ROOT / "tools" / "coverage.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_attributes_need_no_import() -> None:
    """In a new process; nothing is made before it is asked for, and a function is not hidden by the module of its name."""
    code = (
        "import sys, sporax as ms\n"
        "from sporax._src.compat import finder\n"
        "assert 'sporax.nn.optim' not in sys.modules and 'optim' in dir(ms.nn)\n"
        "assert ms.nn.optim.adam.Adam is ms.nn.Adam\n"
        "finder.install()\n"
        "import mindspore\n"
        "assert mindspore.train.callback.LossMonitor is ms.train.LossMonitor\n"
        "import mindspore.common.seed, mindspore.ops.function.grad.grad_func, sporax.train.data_sink\n"
        "assert mindspore.common.seed is ms.seed and mindspore.ops.function.grad is ms.ops.grad\n"
        "assert ms.train.data_sink is ms.data_sink and sys.modules['sporax.train.data_sink'].data_sink is ms.data_sink\n"
        "from mindspore.common.seed import _get_graph_seed\n"
        "import mindspore.run_check, mindspore.profiler.schedule, mindspore.parallel.shard\n"
        "assert callable(ms.run_check) and callable(ms.profiler.schedule) and callable(ms.parallel.shard)\n"
        "assert mindspore.nn.probability.bijector.exp.Exp is ms.nn.probability.bijector.Exp\n"
        "assert not hasattr(ms.nn.optim, 'nothing') and not hasattr(ms, 'nothing')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_missing_attributes_are_named() -> None:
    with pytest.raises(AttributeError, match=r"module 'sporax\.nn' has no attribute 'nothing'"):
        _ = ms.nn.nothing
    with pytest.raises(AttributeError, match=r"module 'sporax\.nn\.optim\.sgd' has no attribute 'nothing'"):
        _ = ms.nn.optim.sgd.nothing
    with pytest.raises(ModuleNotFoundError, match=r"sporax\.nn\.optim\.nothing"):
        imported("nn.optim.nothing")
