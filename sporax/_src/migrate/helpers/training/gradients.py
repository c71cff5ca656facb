"""The attribute `grad`, for programs whose `step` does not follow `backward` in one block."""

import functools
import types

import sporax as mindspore
from sporax import mint, nn, ops


def _accumulate(parameters, gradients):
    """Add gradients to those that the Parameters or Tensors have; a frozen Parameter gets none."""
    for parameter, gradient in zip(parameters, gradients, strict=True):
        if isinstance(parameter, mindspore.Parameter) and not parameter.requires_grad:
            continue
        before = getattr(parameter, "grad", None)
        parameter.grad = gradient if before is None else before + gradient


def _trained(*values):
    """Return the Parameters with gradients in some values: those of Cells, of collections, and of what functions refer to."""
    found, seen, waiting = {}, set(), list(values)
    while waiting:
        value = waiting.pop(0)
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, mindspore.Parameter):
            found.update({id(value): value} if value.requires_grad else {})
        elif isinstance(value, nn.Cell):
            found.update((id(parameter), parameter) for parameter in value.trainable_params())
        elif isinstance(value, (list, tuple, dict)):
            waiting.extend(value.values() if isinstance(value, dict) else value)
        elif isinstance(value, (types.FunctionType, types.MethodType, functools.partial)):
            waiting.extend(_referred(value))
    return list(found.values())


def _referred(function):
    """Return the values that a function refers to."""
    if isinstance(function, functools.partial):
        return [function.func, *function.args, *function.keywords.values()]
    if isinstance(function, types.MethodType):
        owner = function.__self__
        kept = [] if isinstance(owner, (nn.Cell, type)) else vars(owner).values()
        return [
            owner,
            function.__func__,
            *(value for value in kept if isinstance(value, (nn.Cell, mindspore.Parameter))),
        ]
    cells = [cell.cell_contents for cell in function.__closure__ or () if cell != types.CellType()]
    names = [name for name in function.__code__.co_names if name in function.__globals__]
    inner = [function.__wrapped__] if hasattr(function, "__wrapped__") else []
    return [*cells, *inner, *(function.__globals__[name] for name in names)]


def _step(optimizer, closure=None):
    """Let an optimizer take a step along the gradients that its Parameters have; return what the closure returns."""
    before, after = getattr(optimizer, "_hooks_of_steps", ({}, {}))
    arguments = () if closure is None else (closure,)
    for hook in before.values():
        hook(optimizer, arguments, {})
    if hasattr(optimizer, "step"):  # it reads the gradients itself
        loss = optimizer.step(*arguments)
    else:
        loss = closure() if closure is not None else None
        _update(optimizer)
    for hook in after.values():
        hook(optimizer, arguments, {})
    return loss


def _update(optimizer):
    """Call an optimizer of MindSpore's own with the gradients; Parameters without one keep their values and their states."""
    gradients = [getattr(parameter, "grad", None) for parameter in optimizer.parameters]
    pairs = list(zip(optimizer.parameters, gradients, strict=True))
    names = {parameter.name for parameter, gradient in pairs if gradient is None}
    kept = [p for p in optimizer.get_parameters() if names & {p.name, p.name.partition(".")[2]}] if names else []
    values = [parameter.value().copy() for parameter in kept]
    optimizer(tuple(mint.zeros_like(parameter) if gradient is None else gradient for parameter, gradient in pairs))
    for parameter, value in zip(kept, values, strict=True):
        ops.assign(parameter, value)


def _step_hooks(optimizer):
    """Return the functions that run before the steps of an optimizer, and those that run after."""
    return vars(optimizer).setdefault("_hooks_of_steps", ({}, {}))


class _StepHook:
    """A function that runs before or after each step of an optimizer until it is removed."""

    def __init__(self, optimizer, hook, is_after):
        self.hooks = _step_hooks(optimizer)[is_after]
        self.hooks[id(self)] = hook

    def remove(self):
        self.hooks.pop(id(self), None)


def _zero_grad(optimizer):
    """Take the gradients away from the Parameters of an optimizer or Cell."""
    if hasattr(optimizer, "zero_grad"):  # of the program's own
        optimizer.zero_grad()
        return
    for parameter in optimizer.parameters if hasattr(optimizer, "parameters") else optimizer.get_parameters():
        parameter.grad = None
