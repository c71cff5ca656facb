"""The state of an optimizer, as torch's `state_dict` lays it out."""

import sporax as mindspore
from sporax import nn, ops
from sporax._src.migrate.helpers.training.schedulers import _load_scheduler_state, _scheduler_state

# The words before the names of Parameters in MindSpore's state, each with torch's key.
_MOMENTS = {"exp_avg": "exp_avg", "exp_avg_sq": "exp_avg_sq", "max_exp_avg_sq": "max_exp_avg_sq"}
_KEYS = {
    "ASGD": {"ax": "ax"},
    "Adadelta": {"accum": "square_avg", "accum_update": "acc_delta"},
    "Adagrad": {"accum": "sum"},
    "Adam": _MOMENTS,
    "AdamW": _MOMENTS,
    "Adamax": {"exp_avg": "exp_avg", "exp_inf": "exp_inf"},
    "NAdam": _MOMENTS,
    "RAdam": _MOMENTS,
    "RMSprop": {"mean_square": "square_avg", "mean_grad": "grad_avg", "moment": "momentum_buffer"},
    "Rprop": {"prev": "prev", "step_size": "step_size"},
    "SGD": {"accum": "momentum_buffer"},
}
_OPTIONS = {"momentum_buffer": "momentum", "grad_avg": "centered", "max_exp_avg_sq": "amsgrad"}  # keys with an option
_NUMBERS = {"ASGD": ("eta", "mu"), "NAdam": ("mu_product",)}  # lists of one number for each Parameter
_UNCOUNTED = ("Adadelta", "RMSprop")  # MindSpore's do not count their steps, torch's do and never use the count
_COUNTERS = ("state_step", "step_t")


def _is_plain_optimizer(value):
    """Return whether a value is an optimizer of MindSpore's own."""
    is_optimizer = isinstance(value, mindspore.experimental.optim.Optimizer)
    return is_optimizer and type(value).state_dict is nn.Cell.state_dict


def _state_parameters(optimizer):
    """Return the state of an optimizer, without the Parameters that it trains."""
    changed = {id(parameter) for parameter in optimizer.parameters}
    return [parameter for parameter in optimizer.get_parameters() if id(parameter) not in changed]


def _slots(optimizer):
    """Return the state of each Parameter by torch's keys, as MindSpore's Parameters."""
    named = {parameter.name: parameter for parameter in _state_parameters(optimizer)}
    keys = _KEYS[type(optimizer).__name__]
    numbers = {key: getattr(optimizer, key) for key in _NUMBERS.get(type(optimizer).__name__, ())}
    slots = {}
    for group in optimizer.param_groups:
        wanted = {w: key for w, key in keys.items() if key not in _OPTIONS or group.get(_OPTIONS[key])}
        for parameter in group["params"]:
            own = {key: named.get(f"{word}.{parameter.name}") for word, key in wanted.items()}
            slots[parameter] = {key: slot for key, slot in own.items() if slot is not None}
    for position, parameter in enumerate(optimizer.parameters):
        slots[parameter] |= {key: values[position] for key, values in numbers.items()}
    return slots


def _counter(optimizer):
    """Return the Parameter that counts the steps of an optimizer, None if there is none."""
    return next((p for p in _state_parameters(optimizer) if p.name in _COUNTERS), None)


def _firsts(optimizer):
    """Return the Parameters that mark the first step of gradient descent: they are 1 before it."""
    return {p.name.partition(".")[2]: p for p in _state_parameters(optimizer) if p.name.startswith("stat.")}


def _states(optimizer):
    """Return the state of each Parameter that has one: of MindSpore's own optimizers by torch's keys."""
    if not _is_plain_optimizer(optimizer):
        return optimizer.state
    counter, firsts = _counter(optimizer), _firsts(optimizer)
    has_stepped = counter is None or float(counter) > 0
    states = {}
    for parameter, slots in _slots(optimizer).items():
        first = firsts.get(parameter.name)
        if slots and has_stepped and (first is None or not first.asnumpy().any()):
            states[parameter] = {**({} if counter is None else {"step": counter}), **slots}
    return states


def _optimizer_state(optimizer):
    """Return the state of an optimizer's Parameters, by their positions, and the settings of its groups."""
    if not _is_plain_optimizer(optimizer):
        return optimizer.state_dict()
    index = {id(parameter): i for i, parameter in enumerate(optimizer.parameters)}
    groups = []
    for group in optimizer.param_groups:
        settings = {k: float(v) if isinstance(v, mindspore.Tensor) else v for k, v in group.items() if k != "params"}
        groups.append({**settings, "params": [index[id(parameter)] for parameter in group["params"]]})
    state = {
        index[id(parameter)]: {**_step_of_uncounted(optimizer), **{key: _copied(slot) for key, slot in slots.items()}}
        for parameter, slots in _states(optimizer).items()
    }
    return {"state": state, "param_groups": groups}


def _step_of_uncounted(optimizer):
    """Return the key `step` for torch's optimizers that want it where MindSpore's do not count; its value is 1."""
    return {"step": mindspore.Tensor(1.0)} if type(optimizer).__name__ in _UNCOUNTED else {}


def _copied(slot):
    """Return the value of a Parameter of a state; a count is a number in a Tensor of no axes."""
    return slot.value().copy().reshape(()) if slot.name in _COUNTERS else slot.value().copy()


def _load_optimizer_state(optimizer, state_dict):
    """Load the state that `_optimizer_state` returned into an optimizer."""
    if not _is_plain_optimizer(optimizer):
        optimizer.load_state_dict(state_dict)
        return
    sizes = [len(group["params"]) for group in optimizer.param_groups]
    if sizes != [len(group["params"]) for group in state_dict["param_groups"]]:
        raise ValueError("loaded state dict is of an optimizer with other groups or other Parameters")
    counter, firsts, slots = _counter(optimizer), _firsts(optimizer), _slots(optimizer)
    for position, entry in state_dict["state"].items():
        parameter = optimizer.parameters[position]
        for key, slot in slots[parameter].items():
            ops.assign(slot, mindspore.Tensor(entry[key]))
        if parameter.name in firsts:
            ops.assign(firsts[parameter.name], ops.zeros_like(firsts[parameter.name]))
        if counter is not None and "step" in entry:
            ops.assign(counter, mindspore.Tensor(float(entry["step"]), counter.dtype).reshape(counter.shape))
    for group, saved in zip(optimizer.param_groups, state_dict["param_groups"], strict=True):
        ops.assign(group["lr"], mindspore.Tensor(saved["lr"], mindspore.float32))
        group.update({name: value for name, value in saved.items() if name not in ("params", "lr", "initial_lr")})


def _is_scheduler(value):
    """Return whether a value is a scheduler of MindSpore's own."""
    return hasattr(value, "last_epoch") and hasattr(value, "optimizer") and not hasattr(value, "state_dict")


def _state_of_any(value, *args, **kwargs):
    """Return the state of a Cell, an optimizer, a scheduler or an object of the program's own."""
    if _is_scheduler(value):
        return _scheduler_state(value)
    return _optimizer_state(value) if _is_plain_optimizer(value) else value.state_dict(*args, **kwargs)


def _load_state_of_any(value, state_dict, *args, **kwargs):
    """Give a Cell, an optimizer, a scheduler or an object of the program's own a state."""
    if _is_scheduler(value):
        return _load_scheduler_state(value, state_dict)
    if _is_plain_optimizer(value):
        return _load_optimizer_state(value, state_dict)
    return value.load_state_dict(state_dict, *args, **kwargs)


def _set_learning_rate(group, lr):
    """Set the learning rate of a group of an optimizer, which is a Parameter or a number."""
    if isinstance(group["lr"], mindspore.Parameter):
        ops.assign(group["lr"], mindspore.Tensor(float(lr), mindspore.float32))
    else:
        group["lr"] = lr
