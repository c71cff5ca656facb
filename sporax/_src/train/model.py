"""Model: training, evaluation and prediction of a network over datasets."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sporax._src.base import config
from sporax._src.base.errors import describe, warn_user
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.parallel.pipeline import StagedNetwork
from sporax._src.nn.wrap import WithEvalCell, WithLossCell, micro_size_of
from sporax._src.optim.optimizer import Optimizer
from sporax._src.processes.parallel_context import ParallelMode, get_auto_parallel_context, pipelining
from sporax._src.processes.world import is_joined
from sporax._src.train import amp
from sporax._src.train.callbacks.callback import Callback, CallbackList, InternalCallbackParam, RunContext
from sporax._src.train.callbacks.history import FitHistory, History
from sporax._src.train.callbacks.monitor import TimeMonitor, check_int
from sporax._src.train.callbacks.progress import ProgressBar
from sporax._src.train.callbacks.resume import resume_run
from sporax._src.train.joined_batch import joined_batch
from sporax._src.train.layouts import Layouts
from sporax._src.train.metrics import get_metrics
from sporax._src.train.metrics.error import Loss
from sporax._src.train.own_loops import OwnLoops, is_ours
from sporax._src.train.rows import dataset_of, endless, is_loader, is_unsized, rows, size_of


class Model(Layouts, OwnLoops):
    """A network with the loss, the optimizer and the metrics to train and evaluate it.

    Args:
        network: The network.
        loss_fn: The loss; None if the network's output is the loss.
        optimizer: The optimizer; None for evaluation and prediction only, or if `network` is a step of training itself.
        metrics: A dict of name to `Metric`, or a set of names, or None.
        eval_network: The network for `eval`; made of `network` and `loss_fn` if None.
        eval_indexes: Positions of (loss, predictions, label) among the outputs of `eval_network`; None gives all
            outputs to every metric.
        amp_level: `"O0"` to `"O3"` or `"auto"`, see `auto_mixed_precision`.
        boost_level: Accepted for MindSpore programs.
        loss_scale_manager, keep_batchnorm_fp32: See `build_train_network`.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `amp_level` or an option is unknown, or metrics lack what they need.

    Examples:
        >>> import numpy as np, sporax as ms
        >>> x = np.ones((4, 2), np.float32)
        >>> rows = ms.dataset.NumpySlicesDataset((x, x[:, :1]), shuffle=False).batch(2)
        >>> net = ms.nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
        >>> model = ms.Model(net, ms.nn.MSELoss(), ms.nn.SGD(net.trainable_params(), 0.1), metrics={"mae"})
        >>> model.eval(rows)
        {'mae': 1.0}
        >>> model.train(2, rows)
        >>> model.eval(rows)["mae"] < 1.0
        True
    """

    def __init__(
        self,
        network: Cell,
        loss_fn: Callable[..., Any] | None = None,
        optimizer: Cell | None = None,
        metrics: dict[str, Any] | set[str] | None = None,
        eval_network: Cell | None = None,
        eval_indexes: list[int] | None = None,
        amp_level: str = "O0",
        boost_level: str = "O0",
        **kwargs: Any,
    ) -> None:
        if type(self)._build_train_network is Model._build_train_network and not isinstance(network, Cell):
            raise TypeError(f"Model: network must be a Cell, got {describe(network)}.")
        if loss_fn is not None and not callable(loss_fn):
            raise TypeError(
                f"Model: loss_fn must be a Cell or a function, such as nn.MSELoss(), got {describe(loss_fn)}."
            )
        _check_levels(amp_level, boost_level)
        self._check_kwargs(kwargs)
        if optimizer is None and amp_level != "O0":
            raise ValueError(f"Model: amp_level={amp_level!r} needs an optimizer; see amp.auto_mixed_precision.")
        if optimizer is None and kwargs.get("loss_scale_manager") is not None:
            raise ValueError("Model: loss_scale_manager needs an optimizer.")
        self._network = network
        self._loss_fn = loss_fn
        self._optimizer = optimizer
        self._amp_level = amp_level
        self._boost_level = boost_level
        self._options = {k: v for k, v in kwargs.items() if k in ("loss_scale_manager", "keep_batchnorm_fp32")}
        self._loss_scale_manager = kwargs.get("loss_scale_manager")
        self._loss_scale_manager_set = "loss_scale_manager" in kwargs
        self._keep_bn_fp32 = kwargs.get("keep_batchnorm_fp32")
        self._parallel_mode = get_auto_parallel_context("parallel_mode")
        self._device_number = get_auto_parallel_context("device_num")
        self._parameter_broadcast = get_auto_parallel_context("parameter_broadcast")
        self._metrics = metrics
        self._metric_fns = get_metrics(metrics)
        self._eval_indexes = eval_indexes
        self._train_network = self._build_train_network()
        self._eval_network: Any = self._build_eval_network(eval_network) if self._metric_fns else eval_network
        self._predict_network = network
        self._staged: dict[int, StagedNetwork] = {}  # the networks that several stages evaluate

    def __repr__(self) -> str:
        parts = {"loss_fn": self._loss_fn, "optimizer": self._optimizer}
        shown = [type(self._network).__name__]
        shown += [f"{name}={getattr(part, '__name__', type(part).__name__)}" for name, part in parts.items() if part]
        shown += [f"metrics={sorted(self._metric_fns)}"] if self._metric_fns else []
        shown += [f"amp_level={self._amp_level!r}"] if self._amp_level != "O0" else []
        return f"Model({', '.join(shown)})"

    # --- the networks -----------------------------------------------------------------------------------------------

    @property
    def train_network(self) -> Any:
        """The Cell that performs one training step."""
        return self._train_network

    @property
    def eval_network(self) -> Any:
        """The Cell that evaluates a batch."""
        return self._eval_network

    @property
    def predict_network(self) -> Any:
        """The Cell that predicts."""
        return self._predict_network

    def _build_train_network(self) -> Any:
        if self._optimizer is None:
            return self._network if self._loss_fn is None else WithLossCell(self._network, self._loss_fn)
        return amp.build_train_network(self._network, self._optimizer, self._loss_fn, self._amp_level, **self._options)

    def _build_eval_network(self, eval_network: Cell | None) -> Any:
        indexes = self._eval_indexes
        if eval_network is not None:
            if indexes is not None and (not isinstance(indexes, list) or len(indexes) != 3):
                raise ValueError(f"Model: eval_indexes must be a list of three ints or None, got {describe(indexes)}.")
            return eval_network
        if self._loss_fn is None:
            raise ValueError("Model: metrics need eval_network or loss_fn.")
        self._eval_indexes = [0, 1, 2]
        return WithEvalCell(self._network, self._loss_fn, add_cast_fp32=self._amp_level != "O0")

    # --- training ---------------------------------------------------------------------------------------------------

    def train(
        self,
        epoch: int,
        train_dataset: object,
        callbacks: Callback | Sequence[Callback] | None = None,
        dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:
        """Train over a dataset.

        Args:
            epoch: The number of the last epoch.
            train_dataset: A dataset whose rows are the inputs of the network and the label; or what `dataset.from_source`
                takes, such as a `DataLoader` of PyTorch.
            callbacks: A callback or a list of them.
            dataset_sink_mode: Report steps once an epoch (or every `sink_size` steps) instead of each step; as in
                MindSpore, not if `device_target` is "CPU".
            sink_size: Steps of an epoch in sink mode, or after which callbacks count from 1 again on a CPU; -1: the whole dataset.
                A stream of another package that has no length, perhaps no end, has this many steps in an epoch.
            initial_epoch: The number of epochs already trained.

        Raises:
            TypeError: If an argument has an unexpected type.
            ValueError: If the dataset is empty or a number is out of range.
            RuntimeError: If `full_batch` is set in a parallel mode in which each process has its own batch.
        """
        self._check_methods_for_custom_callbacks(callbacks, "train")
        self._train(epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch)

    def fit(
        self,
        epoch: int,
        train_dataset: object,
        valid_dataset: object = None,
        valid_frequency: int | list[int] = 1,
        callbacks: Callback | Sequence[Callback] | None = None,
        dataset_sink_mode: bool = False,
        valid_dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> History:
        """Train over a dataset and evaluate after every `valid_frequency` epochs (or after the epochs it lists).

        Args:
            epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch: See `train`.
            valid_dataset: The dataset to evaluate over; None trains only.
            valid_frequency: Epochs between two evaluations, or the list of epochs after which to evaluate.
            valid_dataset_sink_mode: Accepted; every step is reported.

        Returns:
            A `History`: its `history` has `"loss"`, the mean of each epoch, the metrics, and `"eval_loss"`.

        Raises:
            TypeError: If an argument has an unexpected type.
            ValueError: If a number is out of range or the Model has no metrics.
        """
        if isinstance(valid_frequency, bool) or not isinstance(valid_frequency, (int, list, tuple)):
            raise TypeError(f"Model.fit: valid_frequency must be an int or a list, got {describe(valid_frequency)}.")
        if isinstance(valid_frequency, int) and valid_frequency < 1:
            raise ValueError(f"Model.fit: valid_frequency must be > 0, got {valid_frequency}.")
        if valid_dataset is not None and not self._metric_fns:
            raise ValueError("Model.fit: evaluation needs metrics; give the Model some.")
        self._check_methods_for_custom_callbacks(callbacks, "fit")
        due = (valid_dataset, valid_frequency)
        history = FitHistory()
        self._train(epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch, due, history)
        return history

    def _train(
        self,
        epoch: int,
        dataset: Any,
        callbacks: Callback | Sequence[Callback] | None,
        sink: bool,
        sink_size: int,
        initial: int,
        evaluation: tuple[Any, Any] = (None, 1),
        history: History | None = None,
    ) -> None:
        dataset = dataset_of("Model.train", dataset)
        _check_run(epoch, initial, sink, sink_size)
        size = size_of(dataset, sink_size)
        self._warn_if_nothing_trains()
        steps = sink_size if sink and sink_size > 0 else size
        valid, frequency = evaluation
        valid = None if valid is None else dataset_of("Model.fit", valid)
        args = self._run_args("train", callbacks, batch_num=steps, epoch_num=epoch - initial, last_epoch_num=epoch)
        # A CPU has no sink mode in MindSpore: `batch_num` is all that changes.
        if config.get_context("device_target") == "CPU":
            sink, steps = False, size
        args.update(dataset_sink_mode=sink, epoch_size=steps)
        args.update(train_network=self._train_network, train_dataset=dataset, valid_dataset=valid)
        context = RunContext(args)
        with CallbackList(callbacks) as listeners:
            listeners.callbacks += [] if history is None else [history]
            listeners.tell("on_train_begin", context)
            endlessly = steps != size or (sink_size > 0 and is_unsized(dataset))
            source = dataset.create_tuple_iterator(num_epochs=-1 if endlessly else epoch)
            args.train_iterator = source
            first, begun = resume_run(args.resume_from, args, epoch) if args.resume_from else (0, 0)
            forever = endless(source) if endlessly else None
            for number in range(first or initial + 1, epoch + 1):
                args.cur_epoch_num = number
                done = begun if number == first else 0
                taken = rows(source) if forever is None else itertools.islice(forever, steps - done)
                self._train_epoch(context, listeners, taken, steps, sink, done)
                if valid is not None and _due(number, frequency):
                    self._evaluate_in_training(valid, listeners, args)
                listeners.tell("on_train_epoch_end", context)
                args.pop("metrics", None)
                args.pop("eval_results", None)
                if context.get_stop_requested():
                    break
            listeners.tell("on_train_end", context)

    def _warn_if_nothing_trains(self) -> None:
        """Warn of a loss without an optimizer, which MindSpore accepts; a network without a loss may train itself."""
        if self._optimizer is not None or self._loss_fn is None:
            return
        if not any(isinstance(cell, Optimizer) for _, cell in self._network.cells_and_names()):
            warn_user(
                "Model.train: the Model has a loss_fn and no optimizer: the loss is computed, and no Parameter changes; give "
                "it an optimizer, as in Model(network, loss_fn, nn.Adam(network.trainable_params()))."
            )

    def _train_epoch(
        self, context: RunContext, listeners: CallbackList, taken: Iterator[Any], steps: int, sink: bool, done: int
    ) -> None:
        args = context.original_args()
        listeners.tell("on_train_epoch_begin", context)
        for number, row in enumerate(taken, done + 1):
            if self._loss_fn is not None and len(row) != 2:
                raise ValueError(f"Model.train: with a loss_fn a row must be data and label, got {len(row)} columns.")
            quiet = sink and number != steps
            args.cur_step_num += 1
            args.steps_of_epoch = number
            args.train_dataset_element = row
            if not quiet:
                listeners.tell("on_train_step_begin", context)
            args.net_outputs = self._step(row)
            self._note_overflow(args.net_outputs)
            if not quiet:
                listeners.tell("on_train_step_end", context)
            if context.get_stop_requested():
                break

    def _step(self, row: Sequence[Any]) -> Any:
        """Return the result of one step on a batch."""
        self._check_network_mode(self._train_network, True)
        return self._train_network(*joined_batch(row))

    def _note_overflow(self, outputs: Any) -> None:
        """Update the manager on the host to the scale of the training step."""
        manager = self._loss_scale_manager
        if manager is not None and manager.get_update_cell() is not None:
            manager.update_loss_scale(bool(outputs[1].asnumpy().all()))

    def _run_args(
        self, mode: str, callbacks: Callback | Sequence[Callback] | None, **numbers: object
    ) -> InternalCallbackParam:
        return InternalCallbackParam(
            mode=mode,
            network=self._network,
            loss_fn=self._loss_fn,
            optimizer=self._optimizer,
            parallel_mode=self._parallel_mode,
            device_number=self._device_number,
            list_callback=callbacks,
            loss_scale_mananger=self._loss_scale_manager,
            eval_network=self._eval_network,
            cur_step_num=0,
            **numbers,
        )

    # --- evaluation and prediction ----------------------------------------------------------------------------------

    def eval(
        self,
        valid_dataset: object,
        callbacks: Callback | Sequence[Callback] | None = None,
        dataset_sink_mode: bool = False,
    ) -> dict[str, float]:
        """Evaluate over a dataset and return the metrics by name.

        Args:
            valid_dataset: A dataset whose rows are the inputs of the evaluation network, or what `dataset.from_source` takes.
            callbacks: A callback or a list of them.
            dataset_sink_mode: Accepted; every step is reported.

        Raises:
            TypeError: If an argument has an unexpected type.
            ValueError: If the Model has no metrics or the dataset is empty.
        """
        if not self._metric_fns:
            raise ValueError("Model.eval: the Model has no metrics; give it some.")
        if not isinstance(dataset_sink_mode, bool):
            raise TypeError(f"Model.eval: dataset_sink_mode must be a bool, got {describe(dataset_sink_mode)}.")
        self._check_methods_for_custom_callbacks(callbacks, "eval")
        valid_dataset = dataset_of("Model.eval", valid_dataset)
        args = self._run_args("eval", callbacks, dataset_sink_mode=False, valid_dataset=valid_dataset)
        with CallbackList(callbacks) as listeners:
            self._evaluate(valid_dataset, listeners, args)
        return args.metrics

    def _evaluate_in_training(self, dataset: object, listeners: CallbackList, args: InternalCallbackParam) -> None:
        """Evaluate between two epochs, of sporax's own callbacks only with those that measure time."""
        own = [c for c in listeners.callbacks if isinstance(c, (TimeMonitor, ProgressBar)) or not is_ours(c)]
        before = {name: args[name] for name in ("cur_step_num", "batch_num", "net_outputs", "dataset_sink_mode")}
        args.update(mode="eval", cur_step_num=0, dataset_sink_mode=False)
        loss = Loss()
        self._evaluate(dataset, CallbackList(own), args, loss)
        args.eval_results = dict(args.metrics)
        if self._eval_indexes is not None:
            args.eval_results["eval_loss"] = loss.eval()
        args.update(mode="train", **before)

    def _evaluate(
        self, dataset: Any, listeners: CallbackList, args: InternalCallbackParam, loss: Loss | None = None
    ) -> None:
        args.batch_num = size_of(dataset)
        self._clear_metrics()
        context = RunContext(args)
        listeners.tell("on_eval_begin", context)
        listeners.tell("on_eval_epoch_begin", context)
        for row in rows(dataset.create_tuple_iterator(num_epochs=1)):
            args.cur_step_num += 1
            args.eval_dataset_element = row
            listeners.tell("on_eval_step_begin", context)
            self._check_network_mode(self._eval_network, False)
            args.net_outputs = self._by_stages(self._eval_network, joined_batch(row))
            listeners.tell("on_eval_step_end", context)
            self._update_metrics(args.net_outputs, loss)
            if context.get_stop_requested():
                break
        listeners.tell("on_eval_epoch_end", context)
        args.metrics = self._get_metrics()
        listeners.tell("on_eval_end", context)

    def _update_metrics(self, outputs: Any, loss: Loss | None = None) -> None:
        given = tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)
        indexes = self._eval_indexes
        if indexes is None:
            for metric in self._metric_fns.values():
                metric.update(*given)
            return
        if len(given) < 3:
            raise ValueError(f"Model: eval_network must return loss, predictions and label, got {len(given)} outputs.")
        chosen = [given[i] for i in indexes]
        if loss is not None:
            loss.update(chosen[0])
        for metric in self._metric_fns.values():
            metric.update(*(chosen[:1] if isinstance(metric, Loss) else chosen[1:]))

    def predict(self, *predict_data: object, backend: str | None = None, config: object = None) -> Any:
        """Return the network's outputs in inference mode.

        Args:
            *predict_data: The inputs; or one dataset, or a loader or dataset of another package, whose rows are the inputs. If the
                Model has a `loss_fn`, the label of a row is left out.
            backend: `"lite"` or None, accepted for MindSpore programs.
            config: Accepted too.

        Returns:
            The outputs; for a dataset, the list of the outputs for each row.

        Raises:
            ValueError: If `backend` is another one.
            TypeError: If an input is an array or holds others.
        """
        if backend not in (None, "lite"):
            raise ValueError(f"Model.predict: backend must be 'lite' or None, got {describe(backend)}.")
        if len(predict_data) == 1 and is_loader(predict_data[0]):
            return self._predict_rows(dataset_of("Model.predict", predict_data[0]))
        for value in predict_data:
            if not (value is None or isinstance(value, (Tensor, int, float, str))):
                raise TypeError(
                    f"Model.predict: inputs must be Tensors, numbers, strings or None, got {describe(value)}."
                )
        self._check_network_mode(self._predict_network, False)
        return self._by_stages(self._predict_network, joined_batch(predict_data))

    def _predict_rows(self, dataset: Any) -> list[Any]:
        labels = 0 if self._loss_fn is None else 1
        source = rows(dataset.create_tuple_iterator(num_epochs=1))
        return [self.predict(*(row[: len(row) - labels] if len(row) > 1 else row)) for row in source]

    def _by_stages(self, network: Cell, row: Sequence[Any]) -> Any:
        """Run a pipeline on a whole batch; each process runs its own stages."""
        how = pipelining()
        if how is None or not is_joined() or micro_size_of(network) is not None:
            return network(*row)
        if id(network) not in self._staged:
            self._staged[id(network)] = StagedNetwork(network, "Model")
        return self._staged[id(network)](how, 1, tuple(row), {})

    def build(
        self,
        train_dataset: Any = None,
        valid_dataset: Any = None,
        sink_size: int = -1,
        epoch: int = 1,
        sink_mode: bool = True,
    ) -> None:
        """Compile the training and evaluation steps for the first batch of the datasets, without running them.

        Args:
            train_dataset, valid_dataset: The datasets.
            sink_size, epoch, sink_mode: Accepted; a graph fits any number of steps.
        """
        if config.mode() != config.GRAPH_MODE:
            return
        pairs = (train_dataset, self._train_network, True), (valid_dataset, self._eval_network, False)
        for dataset, network, training in pairs:
            if dataset is not None and network is not None:
                self._check_network_mode(network, training)
                network.compile(*next(rows(dataset_of("Model.build", dataset).create_tuple_iterator(num_epochs=1))))


def _check_levels(amp_level: object, boost_level: object) -> None:
    amp.check_level("Model", "amp_level", amp_level)
    if boost_level not in ("O0", "O1", "O2"):
        raise ValueError(f"Model: boost_level must be one of O0, O1, O2, got {describe(boost_level)}.")


def _check_run(epoch: Any, initial: Any, sink: object, sink_size: object) -> None:
    check_int("Model.train", "epoch", epoch, 1)
    check_int("Model.train", "initial_epoch", initial)
    if initial >= epoch:
        raise ValueError(f"Model.train: epoch must be greater than initial_epoch, got {epoch} and {initial}.")
    if not isinstance(sink, bool):
        raise TypeError(f"Model.train: dataset_sink_mode must be a bool, got {describe(sink)}.")
    if check_int("Model.train", "sink_size", sink_size, -1) == 0:
        raise ValueError("Model.train: sink_size must be -1 or > 0, got 0.")
    how = get_auto_parallel_context("parallel_mode")
    if get_auto_parallel_context("full_batch") and how in (ParallelMode.DATA_PARALLEL, ParallelMode.HYBRID_PARALLEL):
        raise RuntimeError(f"Model.train: full_batch goes with semi_auto_parallel and auto_parallel, not with {how}.")


def _due(epoch: int, frequency: int | list[int]) -> bool:
    return epoch % frequency == 0 if isinstance(frequency, int) else epoch in frequency
