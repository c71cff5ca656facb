"""Optimizers: what reading a rate does, lists of rates, decay, centralization, and the attributes of the base."""

import tempfile
from pathlib import Path
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn


def _parameter(values: Any, name: str = "w") -> Parameter:
    return Parameter(Tensor(np.array(values, np.float32)), name=name)


def _step(optimizer: nn.Optimizer, *gradients: Any) -> None:
    optimizer(tuple(Tensor(np.array(g, np.float32)) for g in gradients))


def reading_a_rate_counts_nothing() -> Any:
    """`get_lr()` leaves `global_step`, for lists, schedules and constants, and after steps."""
    found = []
    for rate in (0.1, [0.1, 0.2, 0.3, 0.4], nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5)):
        w = _parameter([1.0])
        optimizer = nn.Momentum([w], rate, 0.9)
        for _ in range(3):
            read = [optimizer.get_lr() for _ in range(3)]
            found.append((read, optimizer.global_step.asnumpy().tolist()))
            _step(optimizer, [1.0])
        found.append(w.asnumpy())
    return found


def reading_a_rate_while_decay_is_a_schedule() -> Any:
    """Weight decay that changes by step counts steps, not readings."""
    w = _parameter([1.0])
    optimizer = nn.Momentum([w], 0.1, 0.9, weight_decay=nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5))
    for _ in range(3):
        optimizer.get_lr()
        _step(optimizer, [1.0])
    return w


def a_callback_that_reads_the_rate() -> Any:
    """A Callback that logs the rate in `Model.train` does not change the schedule."""
    net = nn.Dense(1, 1, weight_init="ones", bias_init="zeros")
    optimizer = nn.Momentum(net.trainable_params(), nn.InverseDecayLR(0.1, 1.0, 1), 0.9)
    rates = []

    class Rates(ms.train.Callback):
        def on_train_step_end(self, run_context: Any) -> None:
            rates.append([optimizer.get_lr() for _ in range(2)])

    rows = [(np.ones((1, 1), np.float32), np.zeros((1, 1), np.float32)) for _ in range(3)]
    data = ms.dataset.GeneratorDataset(rows, ["x", "y"], shuffle=False)
    ms.train.Model(net, nn.MSELoss(), optimizer).train(1, data, callbacks=[Rates()], dataset_sink_mode=False)
    return rates, net.weight, optimizer.global_step


def checkpoints_by_the_minute() -> Any:
    """`keep_checkpoint_per_n_minutes` keeps the first file of each span of minutes, and the newest."""
    net = nn.Dense(1, 1)
    rows = [(np.ones((1, 1), np.float32), np.zeros((1, 1), np.float32)) for _ in range(3)]
    data = ms.dataset.GeneratorDataset(rows, ["x", "y"], shuffle=False)
    with tempfile.TemporaryDirectory() as folder:
        config = ms.train.CheckpointConfig(1, keep_checkpoint_max=0, keep_checkpoint_per_n_minutes=1)
        saver = ms.train.ModelCheckpoint("net", folder, config)
        model = ms.train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
        model.train(1, data, callbacks=[saver], dataset_sink_mode=False)
        return sorted(p.name for p in Path(folder).glob("*.ckpt"))


def no_lbfgs() -> Any:
    """MindSpore 2.7 has no LBFGS."""
    return hasattr(ms.experimental.optim, "LBFGS")


def a_list_of_rates_ends() -> Any:
    """The step after the last rate of a list is an error."""
    w = _parameter([1.0])
    optimizer = nn.Momentum([w], [0.1, 0.2], 0.9)
    for _ in range(4):
        _step(optimizer, [1.0])
    return w.asnumpy()


def reading_past_the_end_of_a_list() -> Any:
    """So is reading the rate there."""
    optimizer = nn.SGD([_parameter([1.0])], [0.1])
    _step(optimizer, [1.0])
    return optimizer.get_lr().asnumpy()


def lists_of_different_length() -> Any:
    """Groups whose lists differ in length are an error."""
    groups = [{"params": [_parameter([1.0], n)], "lr": lr} for n, lr in (("a", [0.1, 0.2]), ("b", [0.1, 0.2, 0.3]))]
    return nn.Momentum(groups, 0.1, 0.9)


def decay_of_sgd_under_a_loss_scale() -> Any:
    """SGD's weight decay is not scaled by the loss scale; with momentum and several steps."""
    found = []
    for options in ({}, {"momentum": 0.9}, {"momentum": 0.9, "nesterov": True}, {"momentum": 0.9, "dampening": 0.5}):
        w = _parameter([1.0, -2.0])
        optimizer = nn.SGD([w], 0.1, weight_decay=0.1, loss_scale=8.0, **options)
        for _ in range(3):
            _step(optimizer, [8.0, 4.0])
        found.append(w.asnumpy())
    return found


def gradients_that_are_not_centralized() -> Any:
    """`grad_centralization` is for weights whose second axis is a multiple of 16, no others."""
    found = []
    for shape in ((2, 15), (16,), (2, 8), (16, 3, 2)):
        w = _parameter(np.zeros(shape))
        optimizer = nn.Momentum([{"params": [w], "grad_centralization": True}], 0.1, 0.9)
        _step(optimizer, np.arange(np.prod(shape)).reshape(shape))
        found.append(w.asnumpy())
    return found


def optimizers_that_do_not_centralize() -> Any:
    """AdamWeightDecay and AdamOffload centralize no gradients."""
    found = []
    for make in (nn.AdamWeightDecay, nn.AdamOffload):
        w = _parameter(np.zeros((2, 16)))
        optimizer = make([{"params": [w], "grad_centralization": True}], 0.1)
        _step(optimizer, np.arange(32).reshape(2, 16) ** 2)
        found.append(w.asnumpy())
    return found


def the_attributes_of_the_base() -> Any:
    """What subclasses in published code use of the base is there."""
    optimizer = nn.Momentum([_parameter([1.0])], [0.1, 0.2], 0.9, weight_decay=0.1, loss_scale=2.0)
    names = (
        "assignadd map_ hyper_map_ global_step_increase_tensor is_group is_group_lr is_group_params_ordered need_scale "
        "unique target parameters _parameters grad_centralization exec_weight_decay decay_flags optim_filter use_parallel "
        "loss_scale weight_decay dynamic_lr dynamic_weight_decay learning_rate reciprocal_scale param_length"
    ).split()
    return [name for name in names if not hasattr(optimizer, name)], optimizer.target, optimizer.unique


def modules_of_nn() -> Any:
    """`nn.learning_rate_schedule`, `nn.dynamic_lr`, `nn.optim`, … are attributes of `nn`."""
    names = "learning_rate_schedule dynamic_lr optim wrap metrics sparse layer cell loss grad probability".split()
    return (
        [name for name in names if not hasattr(nn, name)],
        nn.optim.Adam is nn.Adam,
        nn.dynamic_lr.cosine_decay_lr is not None,
    )


def names_of_train() -> Any:
    """`mindspore.train` has what saves and loads."""
    names = "export load load_checkpoint_async check_checkpoint ckpt_to_safetensors async_ckpt_thread_status".split()
    return [name for name in names if not hasattr(ms.train, name)]


def gradient_of_ctc() -> Any:
    """The gradient of the CTC loss by what is no log softmax."""
    x = Tensor(np.random.RandomState(0).randn(5, 2, 4).astype(np.float32))
    targets, lengths = Tensor([[1, 2], [3, 1]], ms.int32), (Tensor([5, 5], ms.int32), Tensor([2, 2], ms.int32))
    loss = nn.CTCLoss(reduction="sum")

    def forward(x: Tensor) -> Tensor:
        return loss(x, targets, *lengths)

    return ms.value_and_grad(forward)(x)


def draws_of_numpy_after_layers() -> Any:
    """Creating layers draws from NumPy's generator as often as in MindSpore: what a program draws afterwards is the same."""
    found = []
    for make in (
        lambda: nn.Dense(3, 2),
        lambda: nn.Conv2d(3, 4, 3, has_bias=True),
        lambda: nn.Embedding(3, 2),
        lambda: nn.LSTM(3, 4, num_layers=2, bidirectional=True),
        lambda: nn.BatchNorm2d(3),
        lambda: nn.GRU(3, 4),
        lambda: nn.Conv1dTranspose(2, 3, 3),
        lambda: nn.MultiheadAttention(4, 2),
        lambda: nn.Dense(3, 2, weight_init="xavier_uniform", bias_init="normal"),
    ):
        ms.set_seed(3)
        make()
        found.append(np.random.rand(2))
    return found
