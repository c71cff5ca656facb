"""THOR."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sporax._src.base.errors import describe
from sporax._src.base.typing import Array
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter, ParameterTuple
from sporax._src.core.tensor import Tensor, wrap
from sporax._src.engine import index_checks
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.layer_norm import LayerNorm
from sporax._src.nn.linear import Identity
from sporax._src.nn.parallel.grad_reducer import reducer_of
from sporax._src.nn.thor_conversion import ConvertNetUtils
from sporax._src.nn.thor_layers import Conv2dThor, DenseThor, EmbeddingLookupThor, EmbeddingThor
from sporax._src.ops.math import norms
from sporax._src.ops.nn import update_rules as rules
from sporax._src.optim.optimizer import Optimizer

__all__ = ["thor"]

SPLIT = 128  # the rows of the diagonal blocks that are inverted
_BY_ROWS = (EmbeddingThor, EmbeddingLookupThor)


def _every(param: Parameter) -> bool:
    return True


class ThorGpu(Optimizer):
    r"""THOR (Chen et al., 2021) like MindSpore's for GPUs; created by `thor`, which converts the network first.

    For the weight W (out, in) of a `DenseThor` or `Conv2dThor`, with its second moments A and G (scaled to those of a batch
    without `loss_scale`: G · batch_size² / loss_scale²), λ = damping and n, m the normalizers of a convolution (1 of others),

        g ← (G + √(λ/m) I)⁻¹ · g · (A + √(λ/n) I)⁻¹ / n,

    where only the diagonal blocks of 128 rows of both matrices are inverted, by Cholesky factors. For a table of embeddings g ←
    diag(A / batch_size + √λ)⁻¹ · g · (G + √λ I)⁻¹, of LayerNorm g ← g / (g² / batch_size + √λ). Then, as `decay_filter` and
    `enable_clip_grad` require, g ← g + weight_decay · w, g ← g / max(1, ‖g‖); and v ← momentum · v + g, w ← w - lr · v.

    While the attribute `thor` is False, the last inverses are used.
    """

    slots = {"moments": 0.0}
    thor = True
    split_dim = SPLIT
    params = cached_property(lambda self: self.parameters)

    def __init__(
        self,
        net: Cell,
        learning_rate: Tensor,
        damping: Tensor,
        momentum: float,
        weight_decay: float = 0.0,
        loss_scale: float = 1.0,
        batch_size: int = 32,
        use_nesterov: bool = False,
        decay_filter: Callable[[Parameter], bool] = _every,
        split_indices: list[int] | None = None,
        enable_clip_grad: bool = False,
        frequency: int = 100,
    ) -> None:
        super().__init__(learning_rate, (p for p in net.get_parameters() if p.requires_grad), weight_decay, loss_scale)
        _check(momentum, frequency, learning_rate, damping, use_nesterov)
        self.momentum = Parameter(Tensor(momentum, mstype.float32), name="momentum")
        self.use_nesterov = use_nesterov
        self._make_slots()
        self.net, self.damping = net, damping
        if isinstance(weight_decay, Cell):
            raise TypeError(f"For 'ThorGpu', 'weight_decay' must be a number, got {describe(weight_decay)}.")
        self.batch_size, self.frequency, self.enable_clip_grad = batch_size, frequency, enable_clip_grad
        self.weight_decay = weight_decay
        self.decay_flags = tuple(bool(decay_filter(p)) for p in self.parameters)
        self.cov_step = Parameter(Tensor([0], mstype.int32), name="cov_step", requires_grad=False)
        self._find_layers(net)
        self.grad_reducer = reducer_of(self.matrix_a) or Identity()

    def get_frequency(self) -> int:
        """Return the number of steps between two computations of the inverses."""
        return self.frequency

    def _find_layers(self, net: Cell) -> None:
        """Record which Parameters belong to layers with second moments and which to LayerNorms, and create the inverses."""
        owners: dict[int, Any] = {}
        for _, cell in net.cells_and_names():
            if isinstance(cell, _BY_ROWS):
                owners[id(cell.embedding_table)] = cell
            elif isinstance(cell, DenseThor) or (isinstance(cell, Conv2dThor) and cell.group == 1):
                owners[id(cell.weight)] = cell
            elif isinstance(cell, LayerNorm):
                owners.update({id(cell.gamma): cell, id(cell.beta): cell})
        cells = [owners.get(id(p)) for p in self.parameters]
        self._is_norm = tuple(isinstance(cell, LayerNorm) for cell in cells)
        layers = [c for c in cells if c is not None and not isinstance(c, LayerNorm)]
        self._layer_index = tuple([layers.index(c) if c in layers else None for c in cells])
        self._by_rows = tuple([isinstance(layer, _BY_ROWS) for layer in layers])
        convolutions = [c for c in layers if isinstance(c, Conv2dThor)]
        self._convolution = tuple([convolutions.index(c) if c in convolutions else None for c in layers])
        moments = [(c.matrix_a_cov, c.matrix_g_cov) if c in convolutions else (c.matrix_a, c.matrix_g) for c in layers]
        self.matrix_a_cov, self.matrix_g_cov = (ParameterTuple(m[i] for m in moments) for i in (0, 1))
        self.a_normalizer = ParameterTuple(c.a_normalizer for c in convolutions)
        self.g_normalizer = ParameterTuple(c.g_normalizer for c in convolutions)
        shapes = [(a.shape, g.shape) if a.ndim == 1 else _blocks_of(a.shape[0], g.shape[0]) for a, g in moments]
        self.matrix_a, self.matrix_g = (
            ParameterTuple(_zeros(shape[i], f"matrix_{x}_inv_{k}") for k, shape in enumerate(shapes))
            for i, x in enumerate("ag")
        )

    # --- the step -----------------------------------------------------------------------------------------------------

    def construct(self, gradients: Sequence[Tensor]) -> tuple[bool]:
        """Update every Parameter; while the attribute `thor` is True, compute new inverses first."""
        self._check_gradients(gradients)
        gradients = self.scale_grad(gradients)
        damping = self._damping_of_step()
        if self.thor:
            self._invert(damping)
        rate = self.get_lr()._data.reshape(())
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        for i, grad in enumerate(gradients):
            decay = self.weight_decay if self.weight_decay > 0 and self.decay_flags[i] else None
            self._update_one(i, grad._data, rate, self._preconditioner(i, damping), decay)
        return (True,)

    def update(
        self, w: Array, g: Array, lr: Array, s: dict[str, Array], shared: Callable[[Array], Array], decay: float | None
    ) -> tuple[Array, dict[str, Array]]:
        g = shared(g)
        if decay is not None:
            g = g + decay * w
        if self.enable_clip_grad:
            g = norms.clip_by_norm.raw(g, np.asarray(1, g.dtype))
        momentum = self.momentum._data.astype(w.dtype)
        w, v = rules.momentum(w, s["moments"], lr, g, momentum, self.use_nesterov)
        return w, {"moments": v}

    def _damping_of_step(self) -> Array:
        values, step = self.damping._data, self.cov_step._data
        index_checks.check("ThorGpu", lambda: [("the step in the list of dampings", step, values.size)], ())
        self.cov_step.adopt(step + 1)
        return jnp.asarray(values)[step[0]].astype(jnp.float32)

    def _invert(self, damping: Array) -> None:
        """Compute the inverses, and reduce them over all processes like gradients."""
        pairs = [self._inverses(k, damping) for k in range(len(self.matrix_a))]
        for params, computed in zip((self.matrix_a, self.matrix_g), zip(*pairs, strict=True), strict=False):
            for param, value in zip(params, self.grad_reducer(tuple(map(wrap, computed))), strict=True):
                param.adopt(jnp.broadcast_to(value._data, param.shape))

    def _inverses(self, k: int, damping: Array) -> tuple[Array, Array]:
        a, g = self.matrix_a_cov[k]._data, self.matrix_g_cov[k]._data
        g = g * np.float32(self.batch_size**2 / self.loss_scale**2)
        root = jnp.sqrt(damping)
        if self._by_rows[k]:
            # MindSpore's GPU code multiplies the factor of G with itself untransposed, which is no inverse; this is the inverse.
            return 1 / (a / self.batch_size + root), _inverse(_damped(g, root))
        index = self._convolution[k]
        n, m = (1, 1) if index is None else (p[index]._data[0] for p in (self.a_normalizer, self.g_normalizer))
        a, g = _inverses_of(_damped(a, root / jnp.sqrt(n))), _inverses_of(_damped(g, root / jnp.sqrt(m)))
        return a / jnp.sqrt(n), g / jnp.sqrt(n)

    def _preconditioner(self, i: int, damping: Array) -> Callable[[Array], Array]:
        """Return the function that preconditions the gradient of the i-th Parameter."""
        k = self._layer_index[i]
        if self._is_norm[i]:
            return lambda g: g / (g * g / self.batch_size + jnp.sqrt(damping).astype(g.dtype))
        if k is None:
            return lambda g: g
        dtype = self.parameters[i]._data.dtype
        a, g = (m[k]._data.astype(jnp.promote_types(dtype, jnp.float32)) for m in (self.matrix_a, self.matrix_g))
        if self._by_rows[k]:
            return lambda grad: (a[:, None] * grad) @ g
        return lambda grad: _between(g, grad.reshape(grad.shape[0], -1), a[0]).reshape(grad.shape)


def _check(momentum: Any, frequency: Any, learning_rate: object, damping: Any, use_nesterov: object) -> None:
    kinds = (("momentum", momentum, float), ("learning_rate", learning_rate, Tensor), ("damping", damping, Tensor))
    for name, value, kind in (*kinds, ("use_nesterov", use_nesterov, bool), ("frequency", frequency, int)):
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise TypeError(f"For 'ThorGpu', '{name}' must be {kind.__name__}, got {describe(value)}.")
    if momentum < 0:
        raise ValueError(f"For 'ThorGpu', 'momentum' must be at least 0.0, got {momentum}.")
    if frequency < 2:
        raise ValueError(f"For 'ThorGpu', 'frequency' must be at least 2, got {frequency}.")
    if damping.ndim != 1:
        raise ValueError(
            f"For 'ThorGpu', 'damping' must have one axis, a value for each step, got {describe(damping)}."
        )


def _zeros(shape: tuple[int, ...], name: str) -> Parameter:
    return Parameter(Tensor(np.zeros(shape, np.float32)), name=name, requires_grad=False)


# --- blocks on the diagonal ---------------------------------------------------------------------------------------------


def _blocks_of(a: int, g: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shapes of the inverses of A and G, MindSpore's: that of A has a copy for each block of G."""
    rows, columns = -(-g // SPLIT), -(-a // SPLIT)
    a, g = min(a, SPLIT), min(g, SPLIT)
    return (rows, columns, a, a), (rows, g, g)


def _damped(x: Array, by: Array) -> Array:
    return x + by * jnp.eye(x.shape[0], dtype=x.dtype)


def _diagonal(x: Array) -> Array:
    """Return the blocks of SPLIT rows on the diagonal of x, the last one filled up with the identity; x if it is smaller."""
    size = x.shape[0]
    if size <= SPLIT:
        return x[None]
    count = -(-size // SPLIT)
    whole = jnp.eye(count * SPLIT, dtype=x.dtype).at[:size, :size].set(x).reshape(count, SPLIT, count, SPLIT)
    return jnp.stack([whole[i, :, i] for i in range(count)])


def _inverses_of(x: Array) -> Array:
    """Return the inverses of the diagonal blocks of x, computed one at a time.

    On XLA's CPU the threads of a graph wait for a batch of factors that the same threads compute: two batches in one
    graph hung after some hundred runs (seen with jaxlib 0.10.2 on two cores).
    """
    return jax.lax.map(_inverse, _diagonal(x))


def _inverse(x: Array) -> Array:
    """Return the inverse of a symmetric matrix x = L·Lᵀ: L⁻ᵀ·L⁻¹."""
    lower = jnp.linalg.cholesky(x)
    inverse = jax.scipy.linalg.solve_triangular(lower, jnp.eye(x.shape[0], dtype=x.dtype), lower=True)
    return inverse.T @ inverse


def _between(g: Array, x: Array, a: Array) -> Array:
    """Return G⁻¹·x·A⁻¹ from the diagonal blocks of the inverses."""
    rows, columns = g.shape[0] * g.shape[1], a.shape[0] * a.shape[1]
    padded = jnp.pad(x, ((0, rows - x.shape[0]), (0, columns - x.shape[1])))
    blocks = padded.reshape(g.shape[0], g.shape[1], a.shape[0], a.shape[1])
    out = jnp.einsum("hij,hjwk,wkl->hiwl", g, blocks, a)
    return out.reshape(rows, columns)[: x.shape[0], : x.shape[1]]


def thor(
    net: Cell,
    learning_rate: Tensor,
    damping: Tensor,
    momentum: float,
    weight_decay: float = 0.0,
    loss_scale: float = 1.0,
    batch_size: int = 32,
    use_nesterov: bool = False,
    decay_filter: Callable[[Parameter], bool] = _every,
    split_indices: list[int] | None = None,
    enable_clip_grad: bool = False,
    frequency: int = 100,
) -> ThorGpu:
    """Convert a network (see `ConvertNetUtils`) and return the second-order optimizer THOR of its trainable Parameters.

    `ConvertModelUtils.convert_to_thor_model` creates a Model that computes inverses every `frequency` steps. Other training
    steps compute them each time, unless the program calls the step's `add_flags_recursive(thor=False)` in between.

    Args:
        net: The network, which is changed.
        learning_rate: A Tensor: the learning rate, or one for each step.
        damping: A Tensor of one value for each step.
        momentum: A non-negative float.
        weight_decay: A non-negative number.
        loss_scale: The factor of the loss.
        batch_size: The rows of a batch.
        use_nesterov: Whether to step along g + momentum · v.
        decay_filter: Selects the Parameters that decay. Default: all.
        split_indices: Accepted for MindSpore programs.
        enable_clip_grad: Whether each gradient is scaled down to the norm 1.
        frequency: How many steps there are from one computation of the inverses to the next, at least 2.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If a number is out of range, or `damping` does not have exactly one axis.

    Examples:
        >>> import numpy as np, sporax as ms
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(2, 1))
        >>> opt = ms.nn.thor(net, ms.Tensor([0.1] * 8), ms.Tensor([0.03] * 8), 0.9, batch_size=4, frequency=2)
        >>> step = ms.nn.TrainOneStepCell(ms.nn.WithLossCell(net, ms.nn.MSELoss()), opt)
        >>> x, y = ms.Tensor(np.eye(4, 2, dtype=np.float32)), ms.Tensor(np.ones((4, 1), np.float32))
        >>> losses = [step(x, y).item() for _ in range(8)]
        >>> losses[-1] < losses[0]
        True
    """
    ConvertNetUtils().convert_to_thor_net(net)
    return ThorGpu(
        net, learning_rate, damping, momentum, weight_decay, loss_scale, batch_size, use_nesterov, decay_filter,
        split_indices, enable_clip_grad, frequency,
    )  # fmt: skip
