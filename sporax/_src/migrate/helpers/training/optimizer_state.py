"""The state of an optimizer, as torch's `state_dict` lays it out."""

import sporax as mindspore
from sporax import nn, ops


def _is_plain_optimizer(value):
    """Return whether a value is an optimizer of MindSpore's own."""
    is_optimizer = isinstance(value, mindspore.experimental.optim.Optimizer)
    return is_optimizer and type(value).state_dict is nn.Cell.state_dict


def _state_parameters(optimizer):
    """Return the state of an optimizer, without the Parameters that it trains."""
    changed = {id(parameter) for parameter in optimizer.parameters}
    return [parameter for parameter in optimizer.get_parameters() if id(parameter) not in changed]


def _optimizer_state(optimizer):
    """Return the state of an optimizer by position, and the settings of its groups."""
    if not _is_plain_optimizer(optimizer):
        return optimizer.state_dict()
    index = {id(parameter): i for i, parameter in enumerate(optimizer.parameters)}
    groups = []
    for group in optimizer.param_groups:
        settings = {k: float(v) if isinstance(v, mindspore.Tensor) else v for k, v in group.items() if k != "params"}
        groups.append({**settings, "params": [index[id(parameter)] for parameter in group["params"]]})
    state = {i: parameter.value().copy() for i, parameter in enumerate(_state_parameters(optimizer))}
    return {"state": state, "param_groups": groups}


def _load_optimizer_state(optimizer, state_dict):
    """Load the state that `_optimizer_state` returned into an optimizer."""
    if not _is_plain_optimizer(optimizer):
        optimizer.load_state_dict(state_dict)
        return
    parameters = _state_parameters(optimizer)
    if len(parameters) != len(state_dict["state"]) or len(optimizer.param_groups) != len(state_dict["param_groups"]):
        raise ValueError("loaded state dict is of an optimizer with other groups or other Parameters")
    for parameter, value in zip(parameters, state_dict["state"].values(), strict=True):
        ops.assign(parameter, value)
    for group, saved in zip(optimizer.param_groups, state_dict["param_groups"], strict=True):
        ops.assign(group["lr"], mindspore.Tensor(saved["lr"], mindspore.float32))
        group.update({name: value for name, value in saved.items() if name not in ("params", "lr", "initial_lr")})


def _state_of_any(value, *args, **kwargs):
    """Return the state of a Cell, an optimizer or an object of the program's own."""
    return _optimizer_state(value) if _is_plain_optimizer(value) else value.state_dict(*args, **kwargs)


def _load_state_of_any(value, state_dict, *args, **kwargs):
    """Load a state into a Cell, an optimizer or an object of the program's own."""
    if _is_plain_optimizer(value):
        return _load_optimizer_state(value, state_dict)
    return value.load_state_dict(state_dict, *args, **kwargs)


def _set_learning_rate(group, lr):
    """Set the learning rate of a group of an optimizer, which is a Parameter or a number."""
    if isinstance(group["lr"], mindspore.Parameter):
        ops.assign(group["lr"], mindspore.Tensor(float(lr), mindspore.float32))
    else:
        group["lr"] = lr
