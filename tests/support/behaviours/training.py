"""What callbacks hear of a training."""

import os
import tempfile
from typing import Any

import mindspore as ms
import mindspore.dataset as ds
import numpy as np
from mindspore import nn, train


def _steps(**options: Any) -> list[Any]:
    found = []

    class Note(train.Callback):
        def on_train_step_end(self, run_context: Any) -> None:
            args = run_context.original_args()
            found.append((args.cur_epoch_num, args.cur_step_num, args.batch_num, args.dataset_sink_mode))

    rows = ds.NumpySlicesDataset((np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)), shuffle=False).batch(1)
    net = nn.Dense(3, 1)
    model = ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    model.train(2, rows, callbacks=[Note()], **options)
    return found


def steps_in_sink_mode() -> Any:
    """A CPU has no sink mode: each step of the dataset is told."""
    return _steps(dataset_sink_mode=True), _steps(dataset_sink_mode=False)


def steps_in_sink_mode_of_a_size() -> Any:
    """`sink_size` is what steps are counted by."""
    return _steps(dataset_sink_mode=True, sink_size=2), _steps(dataset_sink_mode=True, sink_size=7)


def _fitted(*callbacks: Any, epochs: int = 2, model: Any = None) -> None:
    rows = ds.NumpySlicesDataset((np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)), shuffle=False).batch(2)
    (model or _model()).train(epochs, rows, callbacks=list(callbacks), dataset_sink_mode=False)


def _model(kind: type[ms.Model] = ms.Model, **options: Any) -> ms.Model:
    net = nn.Dense(3, 1, weight_init="zeros", bias_init="zeros")
    return kind(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), **options)


def a_monitor_with_its_own_lines() -> Any:
    """A LossMonitor that overrides `step_end` counts by `_per_print_times` and `_last_print_time`."""
    found = []

    class Lines(train.LossMonitor):
        def step_end(self, run_context: Any) -> None:
            step = run_context.original_args().cur_step_num
            if self._per_print_times != 0 and step % self._per_print_times == 0:
                found.append((step, self._last_print_time))
                self._last_print_time = step

    _fitted(Lines(2))
    return found


def a_saver_with_its_own_files() -> Any:
    """A ModelCheckpoint that overrides `_save_ckpt` asks its base whether to save, and keeps files by its manager."""
    found = []
    with tempfile.TemporaryDirectory() as folder:

        class Saver(train.ModelCheckpoint):
            def _save_ckpt(self, cb_params: Any, force_to_save: bool = False) -> None:
                if cb_params.cur_step_num == self._last_triggered_step:
                    return
                if self._need_flush_from_cache:
                    self._flush_from_cache(cb_params)
                if self._check_save_ckpt(cb_params, force_to_save):
                    self._manager.update_ckpoint_filelist(self._directory, self._prefix)
                    if 0 < self._config.keep_checkpoint_max <= self._manager.ckpoint_num:
                        self._manager.remove_oldest_ckpoint_file()
                    self._last_triggered_step = cb_params.cur_step_num
                    self._append_dict["step_num"] = self._append_step_num + cb_params.cur_step_num
                    name = f"{self._prefix}-{cb_params.cur_epoch_num}_{cb_params.cur_step_num}.ckpt"
                    path = os.path.join(self._directory, name)
                    ms.save_checkpoint(
                        cb_params.train_network, path, self._config.integrated_save, append_dict=self._append_dict
                    )
                    found.append((name, int(ms.load_checkpoint(path)["step_num"].asnumpy()), force_to_save))

        config = train.CheckpointConfig(3, keep_checkpoint_max=1, append_info=["epoch_num", {"step_num": 10}])
        _fitted(Saver("net", folder, config), epochs=4)
        return found, sorted(name for name in os.listdir(folder) if name.endswith(".ckpt"))


def numbers_that_a_file_goes_on_from() -> Any:
    """`append_info` says where epochs and steps are counted from."""
    with tempfile.TemporaryDirectory() as folder:
        config = train.CheckpointConfig(4, append_info=[{"epoch_num": 5, "step_num": 100, "loss_scale": 2.0}])
        _fitted(train.ModelCheckpoint("net", folder, config))
        saved = ms.load_checkpoint(os.path.join(folder, "net-2_2.ckpt"))
        return [float(saved[name].asnumpy()) for name in ("epoch_num", "step_num", "loss_scale")]


def a_model_with_its_own_loop() -> Any:
    """A Model's own loop is written of `_exec_preprocess` and `_check_network_mode`."""

    class Looped(ms.Model):
        def loop(self, rows: Any) -> list[float]:
            found = []
            helper, network = self._exec_preprocess(is_train=True, dataset=rows, dataset_sink_mode=False, epoch_num=1)
            for element in helper:
                network = self._check_network_mode(network, True)
                found.append(float(network(*element).asnumpy()))
            return found

    rows = ds.NumpySlicesDataset((np.ones((4, 3), np.float32), np.ones((4, 1), np.float32)), shuffle=False).batch(2)
    model = _model(Looped)
    losses = model.loop(rows)
    scaled = _model(Looped, loss_scale_manager=ms.FixedLossScaleManager(2.0, False), keep_batchnorm_fp32=False)
    flags = [(m._keep_bn_fp32, m._loss_scale_manager_set) for m in (model, scaled)]
    try:
        model._check_kwargs({"x": 1})
    except ValueError:
        flags.append("refused")
    return losses, flags


def an_accuracy_that_shows_its_counts() -> Any:
    """An Accuracy has its counts under `_correct_num` and `_total_num`."""
    metric = train.Accuracy()
    metric.update(ms.Tensor([[0.1, 0.9], [0.8, 0.2]]), ms.Tensor([1, 1]))
    return int(metric._correct_num), int(metric._total_num)
