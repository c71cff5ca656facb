"""Weights that a hook computes from other Parameters before each call: norms of weights, masks."""

import copy
import itertools
import math

import sporax as mindspore
from sporax import mint, ops


def _computed(module, name, compute):
    """Set a weight of a Cell to the result of a function before each call."""

    def assign(cell, inputs):
        setattr(cell, name, compute(cell))

    module._params.pop(name)
    hooks = getattr(module, "computed_weights", {})
    module.computed_weights = {**hooks, name: module.register_forward_pre_hook(assign)}
    assign(module, ())
    return module


def _is_computed(module, name=None):
    """Return whether the named weight of a Cell, or any of its weights, is computed."""
    hooks = getattr(module, "computed_weights", {})
    return bool(hooks) if name is None else name in hooks


def _is_pruned(module):
    """Return whether a weight of a Cell or of one inside it is masked."""
    cells = [cell for _, cell in module.cells_and_names()]
    return any(hasattr(cell, f"{name}_mask") for cell in cells for name in getattr(cell, "computed_weights", {}))


def _remove_computed(module, name="weight"):
    """Make a computed weight a Parameter again."""
    hooks = dict(module.computed_weights)
    hooks.pop(name).remove()
    module.computed_weights = hooks
    data = getattr(module, name)
    delattr(module, name)
    for source in [key for key in module._params if key in (f"{name}_g", f"{name}_v", f"{name}_orig")]:
        module._params.pop(source)
    module._buffers.pop(f"{name}_mask", None)
    module.insert_param_to_cell(name, mindspore.Parameter(ops.stop_gradient(data), name=name))
    return module


def _weight_norm(module, name="weight", dim=0):
    """Compute a weight from its direction and its norm, for each slice along a dimension or for the whole."""
    weight = getattr(module, name)
    axes = tuple(i for i in range(weight.ndim) if dim is None or i != dim % weight.ndim)

    def length(direction):
        norm = (direction * direction).sum(axes, keepdims=True).sqrt()
        return norm.reshape(()) if dim is None else norm

    data = mindspore.Tensor(weight)
    module.insert_param_to_cell(f"{name}_g", mindspore.Parameter(length(data), name=f"{name}_g"))
    module.insert_param_to_cell(f"{name}_v", mindspore.Parameter(data, name=f"{name}_v"))

    def compute(cell):
        direction = getattr(cell, f"{name}_v")
        return direction * (getattr(cell, f"{name}_g") / length(direction))

    return _computed(module, name, compute)


def _spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divide a weight by its largest singular value, which each call in training estimates better."""
    weight = mindspore.Tensor(getattr(module, name))
    dim = int(type(module).__name__.startswith(("ConvTranspose", "_ConvTranspose"))) if dim is None else dim
    module.insert_param_to_cell(f"{name}_orig", mindspore.Parameter(weight, name=f"{name}_orig"))
    rows = weight.shape[dim]
    for key, size in (("u", rows), ("v", math.prod(weight.shape) // rows)):
        drawn = ops.randn(size)
        module.register_buffer(f"{name}_{key}", drawn / drawn.norm())

    def compute(cell):
        original = getattr(cell, f"{name}_orig")
        matrix = original.swapaxes(0, dim).reshape(rows, -1)
        fixed, u, v = ops.stop_gradient(matrix), getattr(cell, f"{name}_u"), getattr(cell, f"{name}_v")
        for _ in range(n_power_iterations if cell.training else 0):
            v = mint.nn.functional.normalize(ops.matmul(fixed.swapaxes(0, 1), u), dim=0, eps=eps)
            u = mint.nn.functional.normalize(ops.matmul(fixed, v), dim=0, eps=eps)
        setattr(cell, f"{name}_u", u)
        setattr(cell, f"{name}_v", v)
        return original / (u * ops.matmul(matrix, v)).sum()

    return _computed(module.set_train(), name, compute)


def _parametrized(module, name, parametrization):
    """Compute a weight by a Cell from a Parameter."""
    data = mindspore.Tensor(getattr(module, name))
    module.insert_param_to_cell(f"{name}_orig", mindspore.Parameter(data, name=f"{name}_orig"))
    return _computed(module, name, lambda cell: parametrization(getattr(cell, f"{name}_orig")))


def _masked(module, name, mask):
    """Multiply a weight by a mask in addition to earlier masks."""
    mask = mask.to(getattr(module, name).dtype)
    if _is_computed(module, name):
        setattr(module, f"{name}_mask", getattr(module, f"{name}_mask") * mask)
        setattr(module, name, getattr(module, f"{name}_orig") * getattr(module, f"{name}_mask"))
        return module
    data = mindspore.Tensor(getattr(module, name))
    module.insert_param_to_cell(f"{name}_orig", mindspore.Parameter(data, name=f"{name}_orig"))
    module.register_buffer(f"{name}_mask", mask)
    return _computed(module, name, lambda cell: getattr(cell, f"{name}_orig") * getattr(cell, f"{name}_mask"))


def _pruned_count(amount, size):
    """Return an amount, given as a number of elements or as a fraction of the size, as a number of elements."""
    return amount if isinstance(amount, int) else round(amount * size)


def _without_least(scores, count):
    """Return a mask: 0 for the smallest scores and 1 for the others."""
    flat = scores.reshape(-1)
    ranks = ops.argsort(ops.argsort(flat))
    return (ranks >= count).reshape(scores.shape)


def _pruned_by_size(module, name, amount, importance_scores=None):
    """Mask the elements of a weight that are nearest to zero."""
    weight = getattr(module, name)
    scores = (weight if importance_scores is None else importance_scores).abs()
    return _masked(module, name, _without_least(scores, _pruned_count(amount, scores.size)))


def _pruned_at_random(module, name, amount):
    """Mask random elements of a weight."""
    weight = getattr(module, name)
    return _masked(module, name, _without_least(ops.rand(*weight.shape), _pruned_count(amount, weight.size)))


def _pruned_by_norm(module, name, amount, n, dim, importance_scores=None):
    """Mask the slices of a weight along a dimension whose norm is smallest."""
    weight = getattr(module, name)
    scores = weight if importance_scores is None else importance_scores
    slices = scores.swapaxes(0, dim).reshape(weight.shape[dim], -1).abs()
    norms = slices.max(1) if n == math.inf else (slices**n).sum(1)
    mask = _without_least(norms, _pruned_count(amount, norms.size))
    shape = [1] * weight.ndim
    shape[dim] = weight.shape[dim]
    return _masked(module, name, mask.reshape(shape).broadcast_to(weight.shape))


def _fused(layer, norm):
    """Return a layer with the following batch norm, in evaluation mode, folded into it."""
    fused = copy.deepcopy(layer)
    scale = norm.weight / (norm.running_var + norm.eps).sqrt()
    bias = 0 if layer.bias is None else layer.bias
    fused.weight.set_data(layer.weight * scale.reshape(-1, *[1] * (layer.weight.ndim - 1)))
    shift = mindspore.Tensor((bias - norm.running_mean) * scale + norm.bias)
    if fused.bias is None:
        fused.bias = mindspore.Parameter(shift, name="bias")
    else:
        fused.bias.set_data(shift)
    return fused


def _ntuple(n):
    """Return a function that makes a tuple of its argument: a single value is repeated n times."""
    return lambda x: tuple(x) if hasattr(x, "__iter__") else tuple(itertools.repeat(x, n))
