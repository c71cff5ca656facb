"""What programs attach to operators and Parameters, and read from them."""

import tempfile
from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Parameter, nn, ops, train


def names_of_an_operator() -> Any:
    """The names of inputs and outputs, and the device, are attributes of an operator."""
    add = ops.Add()
    add.init_prim_io_names(["x", "y"], ["sum"])
    return add.input_names, add.output_names, add.set_device("CPU").primitive_target


def an_attribute_of_an_operator() -> Any:
    """What is attached to an operator can be read as an attribute, and taken away."""
    add = ops.Add().add_prim_attr("level", 2)
    found = add.level, add.attrs["level"]
    add.del_prim_attr("level")
    return found, hasattr(add, "level"), "level" in add.attrs


def shuffled_channels() -> Any:
    """ChannelShuffle takes its number of groups when it is made."""
    return ops.ChannelShuffle(2)(ms.Tensor(np.arange(8, dtype=np.float32).reshape(1, 4, 2, 1)))


def keys_of_parameters() -> Any:
    """`key` and `unique` can be set, and a Parameter that has its values has no other one."""
    p = Parameter(ms.Tensor([1.0]), name="p")
    first = p.key, p.unique, p.inited_param
    p.key, p.unique = 2, True
    return first, p.key, p.unique


def information_of_a_parameter() -> Any:
    """`param_info` holds the name and the flags; a clone of it is another's, and either way of asking is answered alike."""
    p = Parameter(ms.Tensor([1.0]), name="p", layerwise_parallel=True)
    info, state = p.param_info.clone(), Parameter(ms.Tensor([2.0]))
    p.requires_grad = False
    state.param_info = info
    state.name = f"moment.{state.name}"
    found = p.name, state.name, state.requires_grad, state.layerwise_parallel, p.param_info.requires_grad
    p.param_info.requires_grad = True
    return found, p.requires_grad, p.clone().layerwise_parallel, len(p.param_info.cloned_obj)


def phases() -> Any:
    """A Cell begins as "train", without training; what is called says which it is."""
    net = nn.SequentialCell(nn.ReLU())
    begun = net.phase, net.training
    net.set_train(False)
    return begun, net.phase, net[0].phase, net.set_train().phase


def device_of_a_tensor() -> Any:
    """`device` may be asked for, and is one."""
    return ms.Tensor([1.0], device="CPU").device, ms.Tensor([1.0], ms.float32, None, None, False, "CPU").device


def what_subclasses_read() -> Any:
    """Attributes that classes of programs read, which are made over these."""
    net = nn.Dense(2, 3)
    with tempfile.TemporaryDirectory() as folder:
        made = {
            train.LossMonitor(2): "_per_print_times _last_print_time",
            train.TimeMonitor(4): "data_size epoch_time data_time_start",
            train.SummaryCollector(folder): "_summary_dir _collect_freq _max_file_size _export_options _record",
            train.Accuracy(): "_correct_num _total_num _class_num _type",
            train.ModelCheckpoint(
                "a", folder
            ): "_config _append_dict _append_step_num _append_epoch_num _prefix _directory "
            "_manager _need_flush_from_cache _last_triggered_step _last_time_for_keep _latest_ckpt_file_name _graph_saved",
            ms.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params())): "_network _loss_fn _optimizer _train_network "
            "_parallel_mode _loss_scale_manager _keep_bn_fp32 _amp_level _metric_fns",
            nn.GroupNorm(1, 2): "num_groups num_channels eps gamma beta _cal_output",
        }
        return [
            [type(value).__name__, *(name for name in names.split() if hasattr(value, name))]
            for value, names in made.items()
        ]
