"""Methods for subclasses of Model with their own training loops, such as copies of MindSpore's."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from sporax._src.base.public_names import defined_in
from sporax._src.train.callbacks.callback import Callback
from sporax._src.train.dataset_helper import DatasetHelper, connect_network_with_dataset
from sporax._src.train.metrics.metric import Metric

_log = logging.getLogger("sporax.train")

_ARGUMENTS = {"amp_level", "boost_level", "eval_indexes", "eval_network", "loss_fn", "metrics", "optimizer"}
_OPTIONS = {"loss_scale_manager", "keep_batchnorm_fp32", "boost_config_dict", "acc_level"}
_EARLIER = {"begin", "end", "epoch_begin", "epoch_end", "step_begin", "step_end"}


def is_ours(callback: Callback) -> bool:
    """Return whether a callback's class belongs to sporax."""
    return defined_in(type(callback)).partition(".")[0] == "sporax"


class OwnLoops:
    """The part of a Model that training loops of subclasses use."""

    _train_network: Any
    _eval_network: Any
    _metric_fns: dict[str, Metric]
    _training: bool | None = None

    @staticmethod
    def _transform_callbacks(callbacks: object) -> list[Any]:
        """Return callbacks as a list."""
        if callbacks is None:
            return []
        return list(callbacks) if isinstance(callbacks, Iterable) else [callbacks]

    @staticmethod
    def _check_methods_for_custom_callbacks(callbacks: Any, current_mode: str) -> None:
        """Warn of callbacks whose class has events of MindSpore's first releases; `fit` refuses them."""
        for callback in callbacks if isinstance(callbacks, list) else [callbacks]:
            earlier = sorted(_EARLIER & vars(type(callback)).keys())
            if not earlier or is_ours(callback):
                continue
            said = f"{type(callback).__name__} has {', '.join(earlier)}; name them on_train_... or on_eval_..."
            if current_mode not in ("train", "eval"):
                raise ValueError(f"Model.{current_mode}: {said}")
            _log.warning(f"Model.{current_mode}: {said}")

    def _check_kwargs(self, kwargs: Iterable[str]) -> None:
        """Refuse options that no Model has.

        Raises:
            ValueError: If there is one.
        """
        if unknown := sorted(set(kwargs) - _OPTIONS):
            raise ValueError(
                f"Model: unknown option {', '.join(unknown)}; known are {', '.join(sorted(_OPTIONS | _ARGUMENTS))}."
            )

    def _check_reuse_dataset(self, dataset: object) -> None:
        """Do nothing: a dataset may serve several Models."""

    def _flush_from_cache(self, cb_params: object) -> None:
        """Do nothing: no Parameter is cached elsewhere."""

    def _exec_preprocess(
        self,
        is_train: bool,
        dataset: object,
        dataset_sink_mode: bool,
        sink_size: int = -1,
        epoch_num: int = 1,
        dataset_helper: DatasetHelper | None = None,
    ) -> tuple[DatasetHelper, Any]:
        """Return the rows of a dataset and the network that takes them, in its mode."""
        network = self._train_network if is_train else self._eval_network
        if dataset_helper is None:
            dataset_helper = DatasetHelper(dataset, dataset_sink_mode, sink_size, epoch_num)
        if dataset_sink_mode:
            network = connect_network_with_dataset(network, dataset_helper)
        return dataset_helper, self._check_network_mode(network, is_train)

    def _check_network_mode(self, network: Any, is_train: bool) -> Any:
        """Return a network, put into training or inference mode; those of a Model share their Cells."""
        if self._training != is_train or network.training != is_train:
            network.set_train(is_train)
            self._training = is_train
        return network

    def _clear_metrics(self) -> None:
        for metric in self._metric_fns.values():
            metric.clear()

    def _get_metrics(self) -> dict[str, Any]:
        return {name: metric.eval() for name, metric in self._metric_fns.items()}
