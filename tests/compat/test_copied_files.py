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
    common.sparse_tensor: RowTensorInner Tensor
    nn.optim.optimizer: Optimizer opt_init_args_register
    parallel._ps_context: _get_ps_context
    parallel._utils: _get_global_rank
    """,
    "nn/layer": """
    _checkparam: twice
    nn.layer.conv: _Conv Conv2d
    ops.auto_generate: avg_pool1d_ext
    ops.function.nn_func: max_pool2d_ext avg_pool2d_ext
    parallel._ps_context: _insert_hash_table_size _set_cache_enable
    common.parameter: _get_unique_parameter_key
    """,
    "nn/wrap": """
    ops.operations.math_ops: NPUGetFloatStatusV2 NPUClearFloatStatusV2
    ops.operations.nn_ops: InstanceNorm
    """,
    "nn/loss/loss.py": "nn.loss.loss: _check_label_dtype",
    "nn/probability": "common.dtype: float_type int_type uint_type",
    "numpy": """
    numpy.array_creations: asarray_const copy_
    numpy.math_ops: divmod_ sum_
    numpy.utils: _to_tensor
    numpy.utils_const: _raise_value_error
    ops.function.random_func: _get_seed
    """,
    "scipy": """
    scipy.optimize.line_search: line_search
    scipy.optimize.minimize: minimize
    """,
    "train/model.py": """
    common.api: _pynative_executor
    parallel._recovery_context: _get_recovery_context
    parallel._utils: _device_number_check
    train.callback: TrainFaultTolerance _CallbackManager
    train.model: Model RunContext Validator _InternalCallbackParam _StepSync DatasetHelper context nn amp Tensor
    """,
    "train/callback": """
    parallel._cell_wrapper: destroy_allgather_cell
    train._utils: _make_directory
    train.callback._callback: CallbackManager
    train.callback._early_stop: EarlyStopping
    train.callback._history: History
    train.callback._reduce_lr_on_plateau: ReduceLROnPlateau
    train.serialization: _exec_save _wait_async_thread_save_ckpt
    """,
    "train/metrics": "train.metrics.metric: _check_onehot_data",
    "dataset": """
    dataset.core.validator_helpers: INT32_MAX type_check
    dataset.transforms.validators: check_random_transform_ops check_compose_list
    dataset.engine.validators: check_batch
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


def test_files_of_a_loop(tmp_path) -> None:
    """Values are saved by name."""
    names = module("train.serialization")
    path = str(tmp_path / "net.ckpt")
    names._exec_save(path, {"w": ([2], "Float32", np.ones(2, np.float32)), "b": ([1], "Float32", Tensor([2.0]))})
    assert {name: p.asnumpy().tolist() for name, p in ms.load_checkpoint(path).items()} == {"w": [1, 1], "b": [2]}
    names._wait_async_thread_save_ckpt()
    names._wait_async_process_save_ckpt()
    assert os.listdir(tmp_path) == ["net.ckpt"]


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


def test_operations_on_images() -> None:
    """A decorator gives its method back; a function does what the operation of its name does."""
    method = lambda self: 3
    assert module("dataset.engine.validators").check_batch(method) is method
    assert not hasattr(module("dataset.engine.validators"), "batch")
    util = module("dataset.vision.py_transforms_util")
    image = vision.ToPIL()(np.arange(24, dtype=np.uint8).reshape(2, 4, 3))
    np.testing.assert_array_equal(np.asarray(util.pad(image, (1, 0, 0, 0), 0, "constant"))[:, 1:], np.asarray(image))
    np.testing.assert_array_equal(np.asarray(util.random_horizontal_flip(image, 1.0)), np.asarray(image)[:, ::-1])


def test_what_there_is_not() -> None:
    """It says so."""
    server = module("parallel._ps_context")
    for name in ("_insert_hash_table_size", "_set_cache_enable", "_set_cache_size"):
        with pytest.raises(RuntimeError, match=f"{name}: there is no parameter server"):
            getattr(server, name)(1)
    with pytest.raises(ValueError, match="TrainFaultTolerance: only a training on Ascend"):
        module("train.callback").TrainFaultTolerance("x")
    with pytest.raises(RuntimeError, match="clean_tdt_channel: there is no Ascend device that failed"):
        module("_c_expression").clean_tdt_channel()
    with pytest.raises(RuntimeError, match="run_backward: take the gradient of a function"):
        module("_c_expression").run_backward([Tensor(1.0)])
    with pytest.raises(RuntimeError, match="Primitive 'AllFinite' has no kernel here"):
        module("ops.operations.nn_ops").AllFinite()([Tensor([1.0])])
    with pytest.raises(RuntimeError, match="Primitive 'GetNext' has no kernel here"):
        ops.GetNext([ms.float32], [(1,)], 1, "q")()


def test_what_has_no_effect() -> None:
    assert module("_c_expression")._clean_rootinfo() is None and not module("_checkparam").is_stub_tensor(Tensor(1))
    assert module("parallel._cell_wrapper").destroy_allgather_cell() is None
    keys = [module("common.parameter")._get_unique_parameter_key() for _ in range(2)]
    assert keys[1] == keys[0] + 1
