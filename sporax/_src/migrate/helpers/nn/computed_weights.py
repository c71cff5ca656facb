"""Weights that are computed from other Parameters: by a hook before each call, or by a parametrization at each read."""

import copy
import itertools
import math

import sporax as mindspore
from sporax import mint, nn, ops


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
    """Make a weight that a hook computes a Parameter again."""
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


def _length(direction, dim):
    """Return the norm of each slice of a weight along a dimension, or of the whole."""
    axes = tuple(i for i in range(direction.ndim) if dim is None or i != dim % direction.ndim)
    norm = (direction * direction).sum(axes, keepdims=True).sqrt()
    return norm.reshape(()) if dim is None else norm


def _weight_norm(module, name="weight", dim=0):
    """Compute a weight from its direction and its norm, for each slice along a dimension or for the whole."""
    data = mindspore.Tensor(getattr(module, name))
    module.insert_param_to_cell(f"{name}_g", mindspore.Parameter(_length(data, dim), name=f"{name}_g"))
    module.insert_param_to_cell(f"{name}_v", mindspore.Parameter(data, name=f"{name}_v"))

    def compute(cell):
        direction = getattr(cell, f"{name}_v")
        return direction * (getattr(cell, f"{name}_g") / _length(direction, dim))

    return _computed(module, name, compute)


def _rows_of(module, dim):
    """Return the dimension of a weight that becomes the rows of a matrix."""
    is_transposed = type(module).__name__.startswith(("ConvTranspose", "_ConvTranspose"))
    return int(is_transposed) if dim is None else dim


def _singular_vectors(matrix, u, v, iterations, eps):
    """Return better estimates of the vectors of the largest singular value of a matrix."""
    fixed = ops.stop_gradient(matrix)
    for _ in range(iterations):
        v = mint.nn.functional.normalize(ops.matmul(fixed.swapaxes(0, 1), u), dim=0, eps=eps)
        u = mint.nn.functional.normalize(ops.matmul(fixed, v), dim=0, eps=eps)
    return u, v


def _spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divide a weight by its largest singular value, which each call in training estimates better."""
    weight, dim = mindspore.Tensor(getattr(module, name)), _rows_of(module, dim)
    module.insert_param_to_cell(f"{name}_orig", mindspore.Parameter(weight, name=f"{name}_orig"))
    rows = weight.shape[dim]
    for key, size in (("u", rows), ("v", math.prod(weight.shape) // rows)):
        drawn = ops.randn(size)
        module.register_buffer(f"{name}_{key}", drawn / drawn.norm())

    def compute(cell):
        original = getattr(cell, f"{name}_orig")
        matrix = original.swapaxes(0, dim).reshape(rows, -1)
        u, v = getattr(cell, f"{name}_u"), getattr(cell, f"{name}_v")
        u, v = _singular_vectors(matrix, u, v, n_power_iterations if cell.training else 0, eps)
        setattr(cell, f"{name}_u", u)
        setattr(cell, f"{name}_v", v)
        return original / (u * ops.matmul(matrix, v)).sum()

    return _computed(module.set_train(), name, compute)


class _Parametrization(nn.CellList):
    """The Cells that compute a weight one after another, and the Parameters that the first one takes."""

    def __init__(self, first, weight):
        super().__init__([first])
        made = first.right_inverse(mindspore.Tensor(weight)) if hasattr(first, "right_inverse") else weight
        values = (
            {"original": made}
            if isinstance(made, mindspore.Tensor)
            else {f"original{i}": x for i, x in enumerate(made)}
        )
        for name, value in values.items():
            setattr(
                self, name, mindspore.Parameter(mindspore.Tensor(value), name=name, requires_grad=weight.requires_grad)
            )
        self.originals = [*values]

    def construct(self):
        value = self[0](*[getattr(self, name) for name in self.originals])
        for cell in list(self)[1:]:
            value = cell(value)
        return value


class _Parametrizations(nn.Cell):
    """The parametrizations of the weights of a Cell, by the names of the weights."""

    def __getitem__(self, name):
        return getattr(self, name)

    def __contains__(self, name):
        return name in self._cells


def _is_parametrized(module, name=None):
    """Return whether the named weight of a Cell, or any of its weights, has a parametrization."""
    found = getattr(module, "parametrizations", None)
    return isinstance(found, _Parametrizations) and (name is None or name in found)


def _parametrized(module, name, parametrization):
    """Compute a weight by a Cell from a Parameter whenever it is read."""
    if _is_parametrized(module, name):
        module.parametrizations[name].append(parametrization)
    else:
        weight = module._params.pop(name)
        if not _is_parametrized(module):
            cls = type(module)
            object.__setattr__(module, "__class__", type(f"Parametrized{cls.__name__}", (cls,), {}))
            module.parametrizations = _Parametrizations()
        setattr(module.parametrizations, name, _Parametrization(parametrization, weight))
        setattr(type(module), name, property(lambda cell: cell.parametrizations[name]()))
        module.parametrizations.prefix = weight.name.removesuffix(name)
    for path, parameter in module.parametrizations.parameters_and_names():
        parameter.name = f"{module.parametrizations.prefix}parametrizations.{path}"
    return module


def _unparametrized(module, name):
    """Make a weight that has a parametrization a Parameter again."""
    data = ops.stop_gradient(getattr(module, name))
    every = module.parametrizations
    delattr(type(module), name)
    every._cells.pop(name)
    if not every._cells:
        module._cells.pop("parametrizations")
        object.__setattr__(module, "__class__", type(module).__bases__[0])
    module.insert_param_to_cell(name, mindspore.Parameter(data, name=every.prefix + name))
    return module


class _WeightNorm(nn.Cell):
    """Computes a weight from its norm and its direction."""

    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def construct(self, norm, direction):
        return direction * (norm / _length(direction, self.dim))

    def right_inverse(self, weight):
        return _length(weight, self.dim), weight


def _normed_parametrized(module, name="weight", dim=0):
    """Compute a weight from its norm and its direction, for each slice along a dimension or for the whole."""
    return _parametrized(module, name, _WeightNorm(dim))


class _SpectralNorm(nn.Cell):
    """Divides a weight by its largest singular value."""

    def __init__(self, weight, iterations, eps, dim):
        super().__init__()
        self.iterations, self.eps, self.dim = iterations, eps, dim
        matrix = self._matrix(mindspore.Tensor(weight))
        u, v = (x / x.norm() for x in map(ops.randn, matrix.shape))
        u, v = _singular_vectors(matrix, u, v, 15, eps)
        self.register_buffer("_u", u)
        self.register_buffer("_v", v)

    def _matrix(self, weight):
        return weight.swapaxes(0, self.dim).reshape(weight.shape[self.dim], -1)

    def construct(self, weight):
        matrix = self._matrix(weight)
        self._u, self._v = _singular_vectors(
            matrix, self._u, self._v, self.iterations if self.training else 0, self.eps
        )
        return weight / (self._u * ops.matmul(matrix, self._v)).sum()


def _spectrally_parametrized(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divide a weight by its largest singular value, which each read in training estimates better."""
    norm = _SpectralNorm(getattr(module, name), n_power_iterations, eps, _rows_of(module, dim))
    return _parametrized(module, name, norm.set_train(module.training))


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
