"""What programs find that copy one of MindSpore's files and change it: the names it imports, and what base classes have."""

import importlib
import logging
import os

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, nn, ops, train
from sporax.dataset import NumpySlicesDataset, vision

# By file of MindSpore, what a copy of it imports from private paths: `module: names`.
FILES = {
    "nn/optim": """
    common._decorator: deprecated
    common.sparse_tensor: RowTensorInner Tensor
    nn.optim._dist_optimizer_registry: _register_dist_optimizer generate_dist_optimizer_list
    nn.optim.optimizer: Optimizer opt_init_args_register _grad_scale
    ops.operations._inner_ops: Lamb Centralization
    parallel._ps_context: _get_ps_context _is_ps_mode _is_role_worker
    parallel._utils: _get_stage_device_num _get_global_rank
    """,
    "nn/layer": """
    _checkparam: _check_3d_int_or_tuple twice check_non_negative_int_sequence
    nn.layer.basic: tril triu
    nn.layer.conv: _Conv Conv2d
    ops.auto_generate: avg_pool1d_ext
    ops.composite.multitype_ops: _constexpr_utils
    ops.function.nn_func: max_pool2d_ext avg_pool2d_ext
    parallel._ps_context: _insert_hash_table_size _set_cache_enable _set_rank_id _enable_distributed_mindrt
    common.parameter: _get_unique_parameter_key
    """,
    "nn/wrap": """
    context: get_jit_config
    nn.wrap: GetNextSingleOp
    ops.operations.math_ops: NPUGetFloatStatusV2 NPUClearFloatStatusV2
    ops.operations.nn_ops: AllFinite InstanceNorm
    run_check._check_version: AscendEnvChecker
    utils: ExitByRequest
    """,
    "nn/loss/loss.py": "nn.loss.loss: _check_is_tensor _check_shape _check_ndim _check_label_dtype",
    "nn/probability": """
    nn.probability.distribution._utils.utils: check_greater_zero CheckTensor cast_to_tensor
    nn.probability.distribution._utils.custom_ops: exp_generic log_generic
    common.dtype: float_type int_type uint_type
    """,
    "numpy": """
    nn.layer.basic: tril
    numpy.array_creations: asarray_const copy_
    numpy.dtypes: int32 all_types promotion_rule nan PINF
    numpy.math_ops: divmod_ sum_
    numpy.utils: _expand _to_tensor
    numpy.utils_const: _check_shape _promote
    ops: isconstant shape_mul tensor_slice
    ops.function.random_func: _get_seed
    """,
    "scipy": """
    scipy.optimize.line_search: line_search
    scipy.optimize.minimize: minimize
    scipy.utils: _to_scalar _to_tensor grad _norm _square_check
    scipy.utils_const: _raise_value_error pack
    """,
    "common/initializer.py": "_c_expression: _random_normal _random_uniform _truncated_normal",
    "train/model.py": """
    _c_expression: clean_tdt_channel _clean_rootinfo _get_optimzer_timestamps
    boost: AutoBoost
    common.api: _pynative_executor ARG_SPECIFIED TOTAL_ARG_LEN
    log: vlog_print
    parallel._recovery_context: _set_recovery_context _get_recovery_context
    parallel._utils: _device_number_check _parameter_broadcast_check _init_auto_parallel_context _reset_op_id_with_offset
    train.callback: TrainFaultTolerance _CallbackManager
    train.callback._checkpoint: _chg_ckpt_file_name_if_same_exist
    train.callback._cluster_monitor: ClusterMonitor
    train.model: Model RunContext Validator _InternalCallbackParam _StepSync _cache_enable DatasetHelper context nn amp Tensor
    """,
    "train/callback": """
    _c_expression: collect_host_info get_clock_syscnt
    parallel._cell_wrapper: destroy_allgather_cell
    train._utils: _get_pp_size_from_redundancy_map _make_directory
    train.callback._callback: CallbackManager checkpoint_cb_for_save_op
    train.callback._early_stop: EarlyStopping
    train.callback._history: History
    train.callback._reduce_lr_on_plateau: ReduceLROnPlateau
    train.serialization: _save_graph _exec_save _check_async_save _wait_async_thread_save_ckpt
    train.summary.summary_record: _cache_summary_tensor_data
    """,
    "train/metrics": "train.metrics.metric: _check_onehot_data _binary_clf_curve",
    "experimental/optim": "experimental.optim.optimizer: check_not_less_than check_not_less_than_without_equal",
    "dataset": """
    dataset.core.validator_helpers: INT32_MAX type_check deprecator_factory
    dataset.transforms.validators: check_random_transform_ops check_compose_list deprecated_c_transforms
    dataset.vision.c_transforms: ImageTensorOperation parse_padding
    dataset.vision.utils: NEAREST parse_padding
    dataset.vision.validators: check_resize check_range deprecated_py_vision
    """,
    "single calls": """
    ops.auto_generate.gen_ops_def: index
    ops.auto_generate.gen_ops_prim: embedding_op
    ops.operations: MatmulDDS DSDMatmul InstanceNorm
    """,
}


def floats(*shape: int) -> Tensor:
    return Tensor(np.random.default_rng(0).standard_normal(shape).astype(np.float32))


def module(path: str):
    return importlib.import_module(f"sporax.{path}")


@pytest.mark.parametrize("file", FILES)
def test_names_that_a_copy_imports(file: str) -> None:
    """They are there; a name of another path is a module."""
    for line in FILES[file].strip().splitlines():
        path, names = line.strip().split(": ")
        assert [name for name in names.split() if not hasattr(module(path), name)] == [], path


def test_paths_of_callbacks_hold_the_classes() -> None:
    for path, name in (("_summary_collector", "SummaryCollector"), ("_landscape", "SummaryLandscape"),
                       ("_lambda_callback", "LambdaCallback"), ("_on_request_exit", "OnRequestExit"),
                       ("_backup_and_restore", "BackupAndRestore"), ("_lr_scheduler_callback", "LearningRateScheduler"),
                       ("_flops_collector", "FlopsUtilizationCollector")):  # fmt: skip
        assert getattr(module(f"train.callback.{path}"), name) is getattr(train, name)


# --- training loops -----------------------------------------------------------------------------------------------------


class Pair(ms.Model):
    """A Model of two networks, trained in turns by a loop of its own, as programs write it after MindSpore's."""

    def __init__(self, networks: list[nn.Cell]) -> None:
        self.networks = networks
        super().__init__(networks)

    def _build_train_network(self) -> None:
        self.trained = [nn.TrainOneStepCell(n, nn.SGD(n.trainable_params(), 0.1)) for n in self.networks]

    def _train(self, epoch, train_dataset, callbacks=None, dataset_sink_mode=True, sink_size=-1, initial_epoch=0):
        names = module("train.model")
        params = names._InternalCallbackParam(cur_step_num=0, batch_num=train_dataset.get_dataset_size(), mode="train")
        params.parallel_mode, params.device_number = self._parallel_mode, self._device_number
        params.list_callback = self._transform_callbacks(callbacks)
        params.list_callback.insert(0, names._StepSync())
        helper = names.DatasetHelper(train_dataset, False, -1, epoch)
        names._set_training_dataset(helper)
        context = names.RunContext(params)
        with names._CallbackManager(params.list_callback) as listeners:
            self._check_reuse_dataset(train_dataset)
            listeners.begin(context)
            for params.cur_epoch_num in range(1, epoch + 1):
                listeners.epoch_begin(context)
                for row in helper:
                    params.cur_step_num += 1
                    listeners.step_begin(context)
                    params.net_outputs = self.trained[params.cur_step_num % 2](
                        *names._transfer_tensor_to_tuple(row + [])
                    )
                    listeners.step_end(context)
                self._flush_from_cache(params)
                listeners.epoch_end(context)
            listeners.end(context)


class Told(train.Callback):
    """Notes the events of MindSpore's first releases."""

    def __init__(self) -> None:
        self.events: list[str] = []


for _event in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end"):
    setattr(Told, _event, lambda self, run_context, event=_event: self.events.append(event))


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_loop_of_ones_own_trains(mode: int) -> None:
    """A Model of several networks passes them on to the subclass, whose callbacks see every event."""
    ms.set_context(mode=mode)
    nets = [nn.Dense(3, 1), nn.Dense(3, 1)]
    pair = Pair([nn.WithLossCell(net, nn.MSELoss()) for net in nets])
    before = [p.asnumpy().copy() for net in nets for p in net.get_parameters()]
    rows = NumpySlicesDataset((np.ones((4, 3), np.float32), np.full((4, 1), 5, np.float32)), shuffle=False).batch(2)
    told = Told()
    pair.train(2, rows, callbacks=[told])
    assert all(
        (p.asnumpy() != b).any() for p, b in zip([p for n in nets for p in n.get_parameters()], before, strict=True)
    )
    epoch = ["epoch_begin", *["step_begin", "step_end"] * 2, "epoch_end"]
    assert told.events == ["begin", *epoch, *epoch, "end"]
    assert Pair._transform_callbacks(None) == [] and Pair._transform_callbacks(told) == [told]
    with pytest.raises(TypeError, match="Model: network must be a Cell, got "):
        ms.Model(nets)  # type: ignore[arg-type]


class Online(ms.Model):
    """A Model with a loop that it makes of the methods of MindSpore's."""

    def online_train(self, dataset, callbacks):
        self._check_methods_for_custom_callbacks(callbacks, "train")
        names = module("train.model")
        context = names.RunContext(names._InternalCallbackParam(train_network=self._train_network, cur_step_num=0))
        with names._CallbackManager(callbacks) as listeners:
            helper, network = self._exec_preprocess(is_train=True, dataset=dataset, dataset_sink_mode=False)
            for row in helper:
                listeners.on_train_step_begin(context)
                self._check_network_mode(network, True)(*row)
                listeners.on_train_step_end(context)

    def online_eval(self, dataset):
        self._clear_metrics()
        helper, network = self._exec_preprocess(is_train=False, dataset=dataset, dataset_sink_mode=True)
        for row in helper:
            self._update_metrics(self._check_network_mode(network, False)(*row))
        return self._get_metrics()


def test_methods_of_a_model_that_loops_are_made_of(caplog) -> None:
    """They train and evaluate; the figures are MindSpore's. Earlier events are warned of, and refused by `fit`."""
    logger = logging.getLogger("sporax")
    logger.addHandler(caplog.handler)
    rows = NumpySlicesDataset((np.ones((4, 3), np.float32), np.full((4, 1), 5, np.float32)), shuffle=False).batch(2)
    net = nn.Dense(3, 1, weight_init="ones", bias_init="zeros")
    model = Online(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.01), metrics={"mae", "loss"})
    told = Told()
    model.online_train(rows, [told])
    model.online_train(rows, [train.TimeMonitor()])
    logger.removeHandler(caplog.handler)
    assert told.events == ["step_begin", "step_end"] * 2 and len(caplog.records) == 1
    found = model.online_eval(rows)
    np.testing.assert_allclose([found["loss"], found["mae"]], [2.0528757572174072, 1.432785987854004], rtol=1e-5)
    assert model._metrics == set(model._metric_fns) == {"mae", "loss"} and model._boost_level == "O0"
    assert model._keep_bn_fp32 is None and model._loss_scale_manager_set is False
    with pytest.raises(ValueError, match=r"Model.fit: Told has begin, end, epoch_begin, .*; name them on_train_"):
        model.fit(1, rows, callbacks=[told])


def test_rows_of_a_helper_are_lists() -> None:
    """As in MindSpore, so that a loop may add to them."""
    rows = NumpySlicesDataset(np.ones((2, 1), np.float32), shuffle=False)
    assert [type(row) for row in train.DatasetHelper(rows, dataset_sink_mode=False)] == [list, list]


def test_a_training_that_fails_saves(tmp_path) -> None:
    """The decorated method raises its error, after what `exception_save` asks for was written."""
    save = module("train.model")._save_final_ckpt
    config = train.CheckpointConfig(10, exception_save=True)
    checkpoint = train.ModelCheckpoint("net", str(tmp_path), config)
    net = nn.Dense(1, 1)

    class Loop:
        @save
        def train(self, callbacks=None):
            args = train.InternalCallbackParam(
                cur_step_num=1, cur_epoch_num=1, batch_num=2, train_network=net, network=net
            )
            checkpoint.step_end(train.RunContext(args))
            raise KeyError("row")

    with pytest.raises(KeyError, match="row"):
        Loop().train(callbacks=[checkpoint])
    assert os.listdir(tmp_path) == ["net-1_1_breakpoint.ckpt"]


def test_files_of_a_loop(tmp_path) -> None:
    """Values are saved by name; prefixes are free; no graph is written."""
    names = module("train.serialization")
    path = str(tmp_path / "net.ckpt")
    names._exec_save(path, {"w": ([2], "Float32", np.ones(2, np.float32)), "b": ([1], "Float32", Tensor([2.0]))})
    assert {name: p.asnumpy().tolist() for name, p in ms.load_checkpoint(path).items()} == {"w": [1, 1], "b": [2]}
    names._wait_async_thread_save_ckpt()
    names._wait_async_process_save_ckpt()
    names._save_graph(nn.Dense(1, 1), str(tmp_path / "graph.meta"))
    assert os.listdir(tmp_path) == ["net.ckpt"]
    free = module("train.callback._checkpoint")._chg_ckpt_file_name_if_same_exist
    for name in ("a-1_1.ckpt", "b-1_1_breakpoint.ckpt", "c_2-1_1.ckpt", "d-1_1.safetensors"):
        (tmp_path / name).touch()
    assert [free(str(tmp_path), p) for p in "abcdx"] == ["a_1", "b", "c_3", "d_1", "x"]
    assert [free(str(tmp_path), p, True) for p in "ab"] == ["a", "b_1"] and free(str(tmp_path), print) is print


# --- base classes -------------------------------------------------------------------------------------------------------


class Gated(module("nn.layer.conv")._Conv):  # type: ignore[misc]
    """A convolution of its own, made by the base of MindSpore's."""

    def __init__(self) -> None:
        super().__init__(
            2, 3, (1, 1), (1, 1), "same", (0, 0), (1, 1), 1, True, "xavieruniform", "zeros", data_format="NCHW"
        )

    def construct(self, x: Tensor) -> Tensor:
        return ops.conv2d(x, self.weight, self.bias)


def test_base_of_convolutions() -> None:
    gated = Gated()
    assert (
        gated(floats(1, 2, 4, 4)).shape == (1, 3, 4, 4) and gated.group == 1 and "stride=(1, 1)" in gated.extend_repr()
    )
    layers = (nn.Conv1d(1, 1, 1), nn.Conv2d(1, 1, 1), nn.Conv3d(1, 1, 1), nn.Conv2dTranspose(1, 1, 1))
    assert all(isinstance(layer, module("nn.layer.conv")._Conv) for layer in layers)
    assert not isinstance(nn.Dense(1, 1), module("nn.layer.conv")._Conv)


def test_members_of_cells() -> None:
    """Each comes once, by its dotted name."""
    net = nn.SequentialCell(nn.Dense(1, 1, has_bias=False), nn.Dense(1, 1))
    net[1].weight = net[0].weight
    of = lambda cell: list(cell._params.items())
    assert [name for name, _ in net._named_members(of)] == ["0.weight", "1.bias"]
    assert [name for name, _ in net._named_members(of, "a", remove_duplicate=False)] == [
        "a.0.weight",
        "a.1.weight",
        "a.1.bias",
    ]
    assert list(net._named_members(of, recurse=False)) == []


class Renamed(nn.Cell):
    """A layer whose checkpoints had another name for its Parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = Parameter(Tensor([0.0]), name="weight")

    def _load_from_state_dict(self, state_dict, prefix, *rest):
        if f"{prefix}w" in state_dict:
            state_dict[f"{prefix}weight"] = state_dict.pop(f"{prefix}w")
        super()._load_from_state_dict(state_dict, prefix, *rest)


def test_cells_load_in_their_own_way() -> None:
    """The method of a subclass sees the dict before names are compared; called by itself it loads, and notes what is wrong."""
    net = nn.SequentialCell(Renamed(), nn.Dense(1, 1))
    state = {"0.w": Tensor([3.0]), "1.weight": Tensor([[4.0]]), "1.bias": Tensor([5.0])}
    assert net.load_state_dict(state) == ([], []) and net[0].weight.item() == 3 and "0.w" in state
    missing, unexpected, errors = [], [], []
    net[1]._load_from_state_dict({"weight": Tensor([[7.0]]), "x": 1}, "", {}, True, missing, unexpected, errors)
    assert (net[1].weight.item(), missing, unexpected, errors) == (7, ["bias"], ["x"], [])
    net[1]._load_from_state_dict({"a.weight": Tensor([7.0, 8.0])}, "a.", {}, False, missing, unexpected, errors)
    assert errors == ["size mismatch for a.weight: the state has shape (2,), the Cell (1, 1)."]
    with pytest.raises(RuntimeError, match=r"size mismatch for 0\.weight"):
        net.load_state_dict({**state, "0.w": Tensor([1.0, 2.0])})


def test_cells_take_options_over() -> None:
    net, wrapper = nn.Dense(1, 1), nn.Cell()
    net.set_jit_config(ms.JitConfig(jit_level="O1"))
    wrapper._get_attr_from_cell(net)
    assert wrapper.jit_config_dict == net.jit_config_dict != {}
    wrapper._get_attr_from_cell(None)


def test_optimizers_ask_for_servers() -> None:
    """There is none: for each Parameter no operator, and False."""
    opt = nn.Momentum(nn.Dense(1, 1).trainable_params(), 0.1, 0.9)
    assert opt._get_distributed_optimizer_list("momentum", True) == ([None, None], (False, False))
    assert opt._use_distibuted_optimizer() is False
    inner = ms.experimental.optim.SGD(nn.Dense(1, 1).trainable_params(), 0.1)
    assert (
        inner.hyper_map(ops.add, (Tensor(1),), (Tensor(2),))[0] == 3
        and inner.map_ is not None
        and inner.enable_tuple_broaden
    )


def test_step_of_lamb() -> None:
    """The operator does what the optimizer does."""
    start, grad = floats(2, 3), floats(2, 3) * 2
    want, w = (Parameter(start.copy(), name="w") for _ in range(2))
    m, v = (Parameter(ops.zeros((2, 3)), name=name) for name in "mv")
    nn.Lamb([want], 0.1, weight_decay=0.01)((grad,))
    one = lambda x: Tensor(x, ms.float32)
    step = module("ops.operations._inner_ops").Lamb()
    step(w, m, v, one(0.1), one(0.9), one(0.999), one(1e-6), 0.01, Tensor(1), grad)
    np.testing.assert_allclose(w.asnumpy(), want.asnumpy(), rtol=1e-5)
    centred = module("ops.operations._inner_ops").Centralization()
    np.testing.assert_allclose(centred(grad, -1).asnumpy().mean(-1), 0, atol=1e-6)


def test_distributions_and_metrics_of_ones_own() -> None:
    """Rules compute with the operators of the base; checks raise."""

    class Half(ms.nn.probability.distribution.Distribution):
        def __init__(self) -> None:
            super().__init__(0, ms.float32, "Half", {"param_dict": {}})

        def _log_prob(self, value):
            value = self.cast_base(self.checktensor(value, "value"), self.dtype)
            return self.log_base(self.exp_base(-value)) + self.sq_base(value) - self.sqrt_base(self.sq_base(value) ** 2)

    half = Half()
    np.testing.assert_allclose(half.log_prob(Tensor([1.0, 2.0])).asnumpy(), [-1, -2], atol=1e-5)
    assert half.checktensor(None, "x") is None and half.checktuple((1,), "x") == (1,)
    assert half.broadcast(Tensor([1.0]), Tensor([1.0, 2.0])).shape == (2,) == half.shape_base(Tensor([1, 2]))
    assert half.dtype_base(Tensor([1.0])) == ms.float32
    with pytest.raises(TypeError, match=r"For shape, the input must be a tuple, got \[1\]"):
        half.checktuple([1], "shape")
    with pytest.raises(TypeError, match="For value, input type must be a Tensor or Parameter"):
        half.checktensor(3, "value")
    accuracy = train.Accuracy()
    accuracy._check_shape(np.ones((2, 3)), np.ones(2))
    accuracy._check_value(np.ones((2, 3)), np.full(2, 7))
    with pytest.raises(
        ValueError, match=r"Accuracy\.update: predictions and labels must differ in the axis of classes"
    ):
        accuracy._check_shape(np.ones(2), np.ones(2))
    with pytest.raises(ValueError, match=r"Accuracy\.update: multilabel predictions and labels must be 0 or 1"):
        train.Accuracy("multilabel")._check_value(np.ones(2), np.full(2, 7))


# --- operators and operations -------------------------------------------------------------------------------------------


def test_operators_of_private_names() -> None:
    table = floats(3, 2)
    rows = module("ops.auto_generate.gen_ops_prim").embedding_op(Tensor([2, 0]), table, None, None, 2.0, False)
    np.testing.assert_array_equal(rows.asnumpy(), table.asnumpy()[[2, 0]])
    found = module("ops.auto_generate.gen_ops_def").index(table, [Tensor([2, 0]), Tensor([1, 1])])
    np.testing.assert_array_equal(found.asnumpy(), table.asnumpy()[[2, 0], [1, 1]])
    norm = ops.operations.InstanceNorm(1e-3, momentum=0.2)
    assert norm.attrs["epsilon"] == 1e-3 and ops.operations.nn_ops.InstanceNorm is ops.operations.InstanceNorm
    with pytest.raises(RuntimeError, match="Primitive 'InstanceNorm' has no kernel here"):
        norm(floats(1, 2, 3), *[floats(2)] * 4)

    @ms.jit
    def traced(x):
        assert not ops.isconstant(x)
        return x

    assert traced(table).shape == (3, 2) and ops.isconstant(table) and ops.isconstant(3)


def test_operations_on_images() -> None:
    """Those that MindSpore computes in C++ are of one class; a decorator gives its method back."""
    kind = module("dataset.vision.c_transforms").ImageTensorOperation
    assert isinstance(vision.Resize(3), kind) and isinstance(vision.HWC2CHW(), kind)
    assert not isinstance(vision.ToPIL(), kind) and not isinstance(len, kind)
    method = lambda self: 3
    assert module("dataset.vision.validators").check_resize_interpolation(method) is method
    assert not hasattr(module("dataset.vision.validators"), "resize")
    util = module("dataset.vision.py_transforms_util")
    image = vision.ToPIL()(np.arange(24, dtype=np.uint8).reshape(2, 4, 3))
    np.testing.assert_array_equal(np.asarray(util.pad(image, (1, 0, 0, 0), 0, "constant"))[:, 1:], np.asarray(image))
    np.testing.assert_array_equal(np.asarray(util.random_horizontal_flip(image, 1.0)), np.asarray(image)[:, ::-1])


def test_what_there_is_not() -> None:
    """It says so."""
    server = module("parallel._ps_context")
    for name in ("_insert_hash_table_size", "_set_cache_enable", "_set_rank_id"):
        with pytest.raises(RuntimeError, match=f"{name}: there is no parameter server"):
            getattr(server, name)(1)
    with pytest.raises(ValueError, match="AutoBoost: the level must be 'O0', got 'O1'"):
        module("boost").AutoBoost("O1")
    net, opt = nn.Dense(1, 1), object()
    boost = module("boost").AutoBoost("O0")
    assert boost.network_auto_process_train(net, opt) == (net, opt) and boost.network_auto_process_eval(net) is net
    with pytest.raises(RuntimeError, match="AscendEnvChecker: there is no Ascend device"):
        module("run_check._check_version").AscendEnvChecker(None)
    with pytest.raises(ValueError, match="TrainFaultTolerance: only a training on Ascend"):
        module("train.callback").TrainFaultTolerance("x")
    with pytest.raises(RuntimeError, match="ClusterMonitor: there is no monitor"):
        module("train.callback._cluster_monitor").ClusterMonitor()
    with pytest.raises(RuntimeError, match="clean_tdt_channel: there is no Ascend device that failed"):
        module("_c_expression").clean_tdt_channel()
    with pytest.raises(RuntimeError, match="GetNext"):
        nn.wrap.GetNextSingleOp([ms.float32], [(1,)], "q")()


def test_what_has_no_effect() -> None:
    made = module("_c_expression")
    assert made.get_clock_syscnt() <= made.get_clock_syscnt() and made.collect_host_info("a", "b", "c", level=1) is None
    assert made._clean_rootinfo() is None and module("train.callback._callback").checkpoint_cb_for_save_op([]) is False
    assert module("parallel._cell_wrapper").destroy_allgather_cell() is None
    count = module("train._utils")._get_pp_size_from_redundancy_map
    assert count({"w": ((0, 1), (2, 3))}) == 4 and count({}) is None
    utils = module("parallel._utils")
    assert utils._init_auto_parallel_context(None) is utils._clear_auto_parallel_context(None) is None
    assert utils._reset_op_id_with_offset() is None and utils._parallel_predict_check() is None
    assert module("context").get_jit_config() == {} and module("log").vlog_print("1", "ME", "f", 3, "x") is None
    exit_by = module("utils").ExitByRequest()
    assert exit_by.exit_by_request(3, None, None) == 3
    keys = [module("common.parameter")._get_unique_parameter_key() for _ in range(2)]
    assert keys[1] == keys[0] + 1


def test_warnings_come_once(caplog) -> None:
    """What is deprecated names its successor, once for each class."""

    class Old:
        @module("common._decorator").deprecated("9.9", "New", use_substitute_name=True)
        def __init__(self, x: int) -> None:
            self.x = x

    assert [Old(x).x for x in (1, 2)] == [1, 2] and Old.substitute_name == "New"  # type: ignore[attr-defined]


def test_shapes_of_whole_batches() -> None:
    """Where operators are cut, a process reads a part of each batch."""
    utils = module("parallel._utils")
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", device_num=4, dataset_strategy="data_parallel")
    try:
        assert utils._need_to_full() and utils._to_full_shapes([(2, 3), ()], 4) == [[8, 3], []]
        assert utils._origin_shapes([(8, 3), (-1, 3)]) == [[2, 3], [-1, 3]]
        ms.set_auto_parallel_context(dataset_strategy=((2, 1), (1,)))
        assert utils._to_full_shapes([(2, 3), (5,)], 4) == [[4, 3], [5]] and utils._need_to_full()
        with pytest.raises(ValueError, match="must cut as many axes as the inputs have"):
            utils._to_full_shapes([(2, 3)], 4)
        layout = ms.Layout((2, 2), ("a", "b"))
        ms.set_auto_parallel_context(dataset_strategy=(layout(("a", "b"), "None"),))
        assert utils._to_full_shapes([(2, 3)], 4) == [[8, 3]]
    finally:
        ms.reset_auto_parallel_context()
    assert not utils._need_to_full() and utils._origin_shapes([(8, 3)]) == [(8, 3)]
