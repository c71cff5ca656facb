"""Model: training, evaluation and prediction of a network over datasets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sporax._src.base import config
from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.core.tree import map_leaves
from sporax._src.nn.cell import Cell
from sporax._src.nn.wrap import WithEvalCell
from sporax._src.train import amp
from sporax._src.train.callback import CallbackList, InternalCallbackParam, RunContext
from sporax._src.train.metrics import get_metrics
from sporax._src.train.metrics.error import Loss
from sporax._src.train.metrics.metric import Metric


class Model:
    """A network with what it takes to train and evaluate it.

    Args:
        network: The network.
        loss_fn: The loss; None if the network's output is the loss.
        optimizer: The optimizer; None for evaluation and prediction only.
        metrics: A dict of name to `Metric`, or a set of names, or None.
        eval_network: The network for `eval`; made of `network` and `loss_fn` if None.
        eval_indexes: Positions of (loss, predictions, label) among the outputs of `eval_network`.
        amp_level: `"O0"` to `"O3"`, see `auto_mixed_precision`.
        boost_level: Accepted for MindSpore programs.
        loss_scale_manager, keep_batchnorm_fp32: See `build_train_network`.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `amp_level` is unknown or metrics lack what they need.
    """

    def __init__(
        self,
        network: Any,
        loss_fn: Any = None,
        optimizer: Any = None,
        metrics: Any = None,
        eval_network: Cell | None = None,
        eval_indexes: list[int] | None = None,
        amp_level: str = "O0",
        boost_level: str = "O0",
        **kwargs: Any,
    ) -> None:
        if not isinstance(network, Cell):
            raise TypeError(f"Model: network must be a Cell, got {describe(network)}.")
        if amp_level not in amp.LEVELS:
            raise ValueError(f"Model: amp_level must be one of {', '.join(amp.LEVELS)}, got {amp_level!r}.")
        if optimizer is None and kwargs.get("loss_scale_manager") is not None:
            raise ValueError("Model: loss_scale_manager needs an optimizer.")
        self._network = network
        self._loss_fn = loss_fn
        self._optimizer = optimizer
        self._amp_level = amp_level
        self._options = kwargs
        self._metrics = get_metrics(metrics)
        self._eval_indexes = eval_indexes
        self._train_network = self._build_train_network()
        self._eval_network = self._build_eval_network(eval_network) if metrics is not None or eval_network else None
        self._predict_network = network

    # --- the networks ---------------------------------------------------------------------------------------------

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
            return self._network if self._loss_fn is None else None
        return amp.build_train_network(self._network, self._optimizer, self._loss_fn, self._amp_level, **self._options)

    def _build_eval_network(self, eval_network: Cell | None) -> Any:
        if eval_network is not None:
            if self._eval_indexes is not None and (
                not isinstance(self._eval_indexes, list) or len(self._eval_indexes) != 3
            ):
                raise ValueError(
                    f"Model: eval_indexes must be a list of three ints, got {describe(self._eval_indexes)}."
                )
            return eval_network
        if self._loss_fn is None:
            raise ValueError("Model: metrics need loss_fn or eval_network.")
        self._eval_indexes = [0, 1, 2]
        return WithEvalCell(self._network, self._loss_fn, add_cast_fp32=self._amp_level != "O0")

    # --- training -----------------------------------------------------------------------------------------------------

    def train(
        self,
        epoch: int,
        train_dataset: Any,
        callbacks: Any = None,
        dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:
        """Train over a dataset.

        Args:
            epoch: How many epochs.
            train_dataset: A dataset whose rows are the inputs of the network and the label.
            callbacks: A callback or a list of them.
            dataset_sink_mode: Report steps once an epoch (or every `sink_size` steps) instead of each.
            sink_size: Steps of an epoch in sink mode; -1: the whole dataset.
            initial_epoch: The number of epochs already trained.

        Raises:
            TypeError: If the dataset is none.
            ValueError: If the dataset is empty or a number is out of range.
        """
        self._train(epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch, None, 1)

    def fit(
        self,
        epoch: int,
        train_dataset: Any,
        valid_dataset: Any = None,
        valid_frequency: int | list[int] = 1,
        callbacks: Any = None,
        dataset_sink_mode: bool = False,
        valid_dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:
        """Train over a dataset and evaluate after every `valid_frequency` epochs (or after the epochs it lists)."""
        self._train(
            epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch, valid_dataset, valid_frequency
        )

    def _train(
        self,
        epoch: int,
        dataset: Any,
        callbacks: Any,
        sink: bool,
        sink_size: int,
        initial: int,
        valid: Any,
        frequency: Any,
    ) -> None:
        self._check_training(epoch, initial, sink, sink_size)
        size = _size_of(dataset)
        steps = sink_size if sink and sink_size > 0 else size
        args = self._run_args("train", dataset, steps, epoch)
        args.update(
            train_network=self._train_network, valid_dataset=valid, cur_epoch_num=initial, cur_step_num=initial * steps
        )
        context = RunContext(args)
        with CallbackList(callbacks) as listeners:
            listeners.tell("on_train_begin", context)
            source = dataset.create_tuple_iterator(num_epochs=-1 if steps != size else max(epoch - initial, 1))
            rows = _endless(source) if steps != size else None
            for number in range(initial + 1, epoch + 1):
                args.cur_epoch_num = number
                self._train_epoch(context, listeners, rows or _rows(source), steps, sink)
                if valid is not None and _due(number, frequency):
                    args.eval_results = self._evaluate(valid, callbacks, False)
                listeners.tell("on_train_epoch_end", context)
                args.eval_results = None
                if context.get_stop_requested():
                    break
            listeners.tell("on_train_end", context)

    def _check_training(self, epoch: Any, initial: Any, sink: Any, sink_size: Any) -> None:
        if self._train_network is None:
            raise ValueError("Model.train: the Model has a loss_fn but no optimizer.")
        for name, value, low in (("epoch", epoch, 1), ("initial_epoch", initial, 0)):
            if isinstance(value, bool) or not isinstance(value, int) or value < low:
                raise ValueError(f"Model.train: {name} must be an int >= {low}, got {value!r}.")
        if not isinstance(sink, bool):
            raise TypeError(f"Model.train: dataset_sink_mode must be a bool, got {describe(sink)}.")
        if not isinstance(sink_size, int) or sink_size < -1 or sink_size == 0:
            raise ValueError(f"Model.train: sink_size must be -1 or an int > 0, got {sink_size!r}.")

    def _train_epoch(
        self, context: RunContext, listeners: CallbackList, rows: Iterator[Any], steps: int, sink: bool
    ) -> None:
        args = context.original_args()
        listeners.tell("on_train_epoch_begin", context)
        self._train_network.set_train(True)
        for done in range(1, steps + 1):
            row = next(rows, None)
            if row is None:
                break
            quiet = sink and done != steps
            args.cur_step_num += 1
            args.train_dataset_element = row
            if not quiet:
                listeners.tell("on_train_step_begin", context)
            args.net_outputs = self._train_network(*row)
            if not quiet:
                listeners.tell("on_train_step_end", context)
            if context.get_stop_requested():
                break

    def _run_args(self, mode: str, dataset: Any, steps: int, epochs: int) -> InternalCallbackParam:
        return InternalCallbackParam(
            mode=mode,
            network=self._network,
            loss_fn=self._loss_fn,
            optimizer=self._optimizer,
            batch_num=steps,
            epoch_num=epochs,
            train_dataset=dataset if mode == "train" else None,
            valid_dataset=dataset if mode == "eval" else None,
            parallel_mode="stand_alone",
            device_number=1,
            metrics=self._metrics,
            eval_network=self._eval_network,
            cur_step_num=0,
        )

    # --- evaluation and prediction ---------------------------------------------------------------------------------------

    def eval(self, valid_dataset: Any, callbacks: Any = None, dataset_sink_mode: bool = False) -> dict[str, Any]:
        """Evaluate over a dataset and return the metrics by name.

        Raises:
            ValueError: If the Model has no metrics or the dataset is empty.
        """
        if not self._metrics:
            raise ValueError("Model.eval: the Model has no metrics; give it some.")
        return self._evaluate(valid_dataset, callbacks, True)

    def _evaluate(self, dataset: Any, callbacks: Any, own_events: bool) -> dict[str, Any]:
        if self._eval_network is None:
            raise ValueError("Model: evaluation needs metrics.")
        size = _size_of(dataset)
        for metric in self._metrics.values():
            metric.clear()
        args = self._run_args("eval", dataset, size, 1)
        context = RunContext(args)
        self._eval_network.set_train(False)
        with CallbackList(callbacks if own_events else None) as listeners:
            listeners.tell("on_eval_begin", context)
            listeners.tell("on_eval_epoch_begin", context)
            for row in _rows(dataset.create_tuple_iterator(num_epochs=1)):
                args.cur_step_num += 1
                listeners.tell("on_eval_step_begin", context)
                args.net_outputs = self._eval_network(*row)
                self._update_metrics(args.net_outputs)
                listeners.tell("on_eval_step_end", context)
            results = {name: metric.eval() for name, metric in self._metrics.items()}
            args.metrics = args.eval_results = results
            listeners.tell("on_eval_epoch_end", context)
            listeners.tell("on_eval_end", context)
        return results

    def _update_metrics(self, outputs: Any) -> None:
        given = tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)
        for metric in self._metrics.values():
            self._update_metric(metric, given)

    def _update_metric(self, metric: Metric, outputs: tuple[Any, ...]) -> None:
        if metric.indexes or self._eval_indexes is None:
            metric.update(*outputs)
        elif isinstance(metric, Loss):
            metric.update(outputs[self._eval_indexes[0]])
        else:
            metric.update(outputs[self._eval_indexes[1]], outputs[self._eval_indexes[2]])

    def predict(self, *predict_data: Any, backend: str | None = None, config: Any = None) -> Any:
        """Return the network's outputs in inference mode.

        Args:
            *predict_data: The inputs.
            backend, config: Accepted for MindSpore programs.
        """
        self._predict_network.set_train(False)
        return self._predict_network(*predict_data)

    def build(
        self,
        train_dataset: Any = None,
        valid_dataset: Any = None,
        sink_size: int = -1,
        epoch: int = 1,
        sink_mode: bool = True,
    ) -> None:
        """Compile the training and evaluation steps for the first batch of the datasets, without running them."""
        if config.mode() != config.GRAPH_MODE:
            return
        for dataset, network, training in (
            (train_dataset, self._train_network, True),
            (valid_dataset, self._eval_network, False),
        ):
            if dataset is not None and network is not None:
                network.set_train(training)
                network.compile(*next(_rows(dataset.create_tuple_iterator(num_epochs=1))))


def _size_of(dataset: Any) -> int:
    if not hasattr(dataset, "create_tuple_iterator"):
        raise TypeError(f"Model: expected a dataset of the dataset module, got {describe(dataset)}.")
    size = dataset.get_dataset_size()
    if size == 0:
        raise ValueError("Model: the dataset is empty: there is no batch to run.")
    return size


def _rows(source: Any) -> Iterator[tuple[Any, ...]]:
    for row in source:
        yield tuple(map_leaves(_as_tensor, list(row), lambda v: not isinstance(v, (list, tuple, dict))))


def _as_tensor(value: Any) -> Tensor:
    return value if isinstance(value, Tensor) else Tensor(value)


def _endless(source: Any) -> Iterator[tuple[Any, ...]]:
    while True:
        yield from _rows(source)


def _due(epoch: int, frequency: Any) -> bool:
    if isinstance(frequency, int) and not isinstance(frequency, bool) and frequency > 0:
        return epoch % frequency == 0
    if isinstance(frequency, (list, tuple, set)):
        return epoch in frequency
    raise ValueError(f"Model.fit: valid_frequency must be an int > 0 or a list of epochs, got {frequency!r}.")
