"""Mixed precision: selection of the Cells that compute in half precision."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import PRIMITIVES, Primitive
from sporax._src.core import dtype as mstype
from sporax._src.core.dtype import Type
from sporax._src.core.scope import traceable
from sporax._src.core.tensor import Tensor, is_tensor
from sporax._src.core.tree import map_leaves
from sporax._src.engine.amp import ByOperator
from sporax._src.nn.activation import PReLU, ReLU
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.cell.precision import casting, in_dtype
from sporax._src.nn.convolution import Conv1d, Conv2d, Conv3d
from sporax._src.nn.convolution_transpose import Conv1dTranspose, Conv2dTranspose, Conv3dTranspose
from sporax._src.nn.layer_norm import LayerNorm
from sporax._src.nn.linear import Dense
from sporax._src.nn.normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d
from sporax._src.nn.recurrent import GRUCell, LSTMCell, RNNCell
from sporax._src.nn.wrap import TrainOneStepCell, WithLossCell, micro_size_of
from sporax._src.optim.optimizer import Optimizer
from sporax._src.processes.parallel_context import pipelining
from sporax._src.train.loss_scale import DynamicLossScaleManager, LossScaleManager, TrainOneStepWithLossScaleCell

_log = logging.getLogger("sporax.train")
LEVELS = ("O0", "O1", "O2", "O3", "auto")
_WHITE = (Conv1d, Conv2d, Conv3d, Conv1dTranspose, Conv2dTranspose, Conv3dTranspose, Dense, LSTMCell, RNNCell, GRUCell)
_WHITE_PRIMITIVES = ("Conv2D", "Conv3D", "Conv2DTranspose", "Conv3DTranspose", "Conv2DBackpropInput", "MatMul", "BatchMatMul",
                     "PReLU", "ReLU", "Ger")  # fmt: skip
# The layer that calls nothing but a Primitive, or that and a sum with its bias.
_LAYERS = {"ReLU": ReLU, "PReLU": PReLU, "MatMul": Dense, "Conv2D": Conv2d, "Conv3D": Conv3d,
           "Conv2DTranspose": Conv2dTranspose, "Conv3DTranspose": Conv3dTranspose}  # fmt: skip
BLACK: list[type[Cell]] = [BatchNorm1d, BatchNorm2d, BatchNorm3d, LayerNorm]
_HALVES = (mstype.float16, mstype.bfloat16)


def check_level(label: str, name: str, level: object) -> None:
    """Raise if `level` is no level of mixed precision."""
    if not isinstance(level, str):
        raise TypeError(f"{label}: {name} must be a string, got {describe(level)}.")
    if level not in LEVELS:
        raise ValueError(f"{label}: {name} must be one of {', '.join(LEVELS)}, got {level!r}.")


@functools.cache
def white_list() -> list[type[Cell] | type[Primitive]]:
    """Return the list that level O1 uses; programs that import it from inside MindSpore add entries."""
    return [*_WHITE, *(PRIMITIVES[name] for name in _WHITE_PRIMITIVES)]


def get_white_list() -> list[type[Cell] | type[Primitive]]:
    """Return the classes of Cells and Primitives that level O1 computes in half precision, as a new list."""
    return list(white_list())


def get_black_list() -> list[type[Cell]]:
    """Return the classes that level O2 keeps in float32, as a new list."""
    return list(BLACK)


def auto_mixed_precision(network: Any, amp_level: str = "O0", dtype: Any = mstype.float16) -> Any:
    """Make a network compute in half precision, and return it; Parameters stay in float32.

    Args:
        network: The network; for `"auto"` also a function.
        amp_level: `"O0"` nothing; `"O1"` the Cells of `get_white_list()`, and its Primitives if they are attributes of
            Cells; `"O2"` everything but the Cells of `get_black_list()`; `"O3"` everything. With these levels the
            outputs are float32. `"auto"`: products and convolutions in half precision, exponentials, logarithms, norms
            and losses in float32, and everything else in the dtype of its operands; the outputs may be of half
            precision.
        dtype: `float16` or `bfloat16`.

    Raises:
        TypeError: If `network` is not a Cell (for `"auto"`: nor a function).
        ValueError: If `amp_level` or `dtype` is unknown.

    Examples:
        >>> import sporax as ms
        >>> net = ms.amp.auto_mixed_precision(ms.nn.Dense(2, 1), "O2", ms.bfloat16)
        >>> net(ms.Tensor([[1.0, 2.0]])).dtype, net.weight.dtype
        (mindspore.float32, mindspore.float32)
    """
    check_level("auto_mixed_precision", "amp_level", amp_level)
    if amp_level == "auto" and callable(network) and not isinstance(network, Cell):
        return _by_operator(network, dtype)
    _check("auto_mixed_precision", network, dtype)
    if amp_level != "O0":
        _note_level(network, amp_level)
    if amp_level == "auto":
        network._sporax_computes_in(ByOperator(dtype.np_dtype), f"auto_mixed_precision({dtype})")
    if amp_level == "O1":
        return _narrow_only(network, tuple(white_list()), dtype)
    if amp_level in ("O2", "O3"):
        return _narrow_all_but(network, tuple(BLACK) if amp_level == "O2" else (), dtype)
    return network


def _note_level(network: Cell, level: str) -> None:
    """Store the level in the network; another level adds casts to those of the first."""
    before = network._amp_level
    if before not in ("", level):
        _log.warning(
            "the network's auto mixed precision level is adjusted from %s to %s; repeated calls add casts, which take time.",
            *(before, level),
        )
    network._sporax_quietly("_amp_level", level)


def custom_mixed_precision(
    network: Cell,
    *,
    white_list: list[type[Cell] | type[Primitive]] | None = None,
    black_list: list[type[Cell]] | None = None,
    dtype: Type = mstype.float16,
) -> Cell:
    """Make a network compute in half precision by a list of classes, and return it.

    Args:
        network: The network.
        white_list: The classes of Cells, and of Primitives that are attributes of Cells, to compute in `dtype`.
        black_list: The classes of Cells to keep in float32; all others compute in `dtype`. Exactly one of the two lists
            must be given.
        dtype: `float16` or `bfloat16`.

    Raises:
        TypeError: If `network` is not a Cell, or a list holds something else than classes of Cells.
        ValueError: If both lists or none of them are given, or `dtype` is unknown.

    Examples:
        >>> import sporax as ms
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(2, 2), ms.nn.ReLU())
        >>> net = ms.amp.custom_mixed_precision(net, white_list=[ms.nn.Dense], dtype=ms.bfloat16)
        >>> net(ms.Tensor([[1.0, 2.0]])).dtype
        mindspore.float32
    """
    _check("custom_mixed_precision", network, dtype)
    if (white_list is None) == (black_list is None):
        given = "both" if white_list is not None else "none"
        raise ValueError(f"custom_mixed_precision: expected one of white_list and black_list, got {given}.")
    name, chosen = ("white_list", white_list) if white_list is not None else ("black_list", black_list)
    if not isinstance(chosen, list):
        raise TypeError(f"custom_mixed_precision: {name} must be a list, got {describe(chosen)}.")
    kinds, told = ((Cell, Primitive), "Cells or Primitives") if name == "white_list" else (Cell, "Cells")
    for item in chosen:
        if not isinstance(item, type) or not issubclass(item, kinds):
            raise TypeError(f"custom_mixed_precision: {name} must hold classes of {told}, got {describe(item)}.")
    return (_narrow_only if name == "white_list" else _narrow_all_but)(network, tuple(chosen), dtype)


def _by_operator(fn: Callable[..., Any], dtype: Any) -> Callable[..., Any]:
    _check_half("auto_mixed_precision", dtype)

    @functools.wraps(fn)
    def run(*args: object, **kwargs: object) -> Any:
        with casting(ByOperator(dtype.np_dtype)):
            return traceable(fn)(*args, **kwargs)

    return run


def _check(label: str, network: object, dtype: Type) -> None:
    if not isinstance(network, Cell):
        raise TypeError(f"{label}: network must be a Cell, got {describe(network)}.")
    _check_half(label, dtype)


def _check_half(label: str, dtype: Type) -> None:
    if dtype not in _HALVES:
        raise ValueError(f"{label}: dtype must be float16 or bfloat16, got {describe(dtype)}.")


def _narrow_only(network: Cell, classes: tuple[type, ...], dtype: Type) -> Cell:
    layers = [_LAYERS[c.__name__] for c in classes if issubclass(c, Primitive) and c.__name__ in _LAYERS]
    for _, cell in network.cells_and_names():
        if type(cell) in (*classes, *layers) and cell._sporax_float_dtype is None:
            cell.to_float(dtype)
            cell.register_forward_hook(_widen)
            continue
        for name, value in vars(cell).items():
            if isinstance(value, Primitive) and type(value) in classes:
                value.__class__ = _narrowed(type(value), dtype)
                cell._sporax_invalidate(f"mixed precision of '{name}'")
    return network


@functools.cache
def _narrowed(primitive: type[Primitive], dtype: Type) -> type[Primitive]:
    """Return the class of Primitives like these that compute in `dtype` and return float32."""

    def call(self: Primitive, *args: object, **kwargs: object) -> Any:
        args, kwargs = in_dtype((args, kwargs), dtype)
        with casting(dtype.np_dtype):
            return to_float32(primitive.__call__(self, *args, **kwargs))

    return type(primitive.__name__, (primitive,), {"__call__": call, "__module__": primitive.__module__})


def _narrow_all_but(network: Cell, classes: tuple[type, ...], dtype: Type) -> Cell:
    _tell_overridden(network, classes, dtype)
    network.to_float(dtype)
    for _, cell in network.cells_and_names():
        if isinstance(cell, classes):
            cell.to_float(mstype.float32)
    network.register_forward_hook(_widen)
    return network


def _tell_overridden(network: Cell, classes: tuple[type, ...], dtype: Type) -> None:
    """Warn of Cells whose dtype of `to_float` is overridden by mixed precision."""
    for name, cell in network.cells_and_names():
        asked, coming = cell._sporax_float_dtype, mstype.float32 if isinstance(cell, classes) else dtype
        if isinstance(asked, np.dtype) and asked != coming.np_dtype:
            _log.warning(
                "%s: mixed precision computes it in %s, though to_float asked for %s: call to_float after it, or leave it out.",
                *(name or type(network).__name__, str(coming).lower(), asked),
            )


def _widen(cell: Cell, inputs: object, outputs: object) -> Any:
    return to_float32(outputs)


def to_float32(value: object) -> Any:
    """Return the nested value with half-precision Tensors cast to float32."""
    narrow = [t.np_dtype for t in _HALVES]

    def widen(t: Tensor) -> Tensor:
        return t.astype(mstype.float32) if t._data.dtype in narrow else t

    return map_leaves(widen, value, is_tensor)


class OutputTo32(Cell):
    """A network whose half-precision results are cast to float32; its Parameters keep their names.

    Args:
        backbone: The network.
    """

    def __init__(self, backbone: Callable[..., Any]) -> None:
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return to_float32(self._backbone(*args, **kwargs))


class OutputTo16(Cell):
    """A network whose result is cast to a half precision; its Parameters keep their names.

    Args:
        backbone: The network.
        dtype: `float16` or `bfloat16`.
    """

    def __init__(self, backbone: Callable[..., Any], dtype: Type = mstype.float16) -> None:
        super().__init__(auto_prefix=False)
        self._backbone, self.dtype = backbone, dtype

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return self._backbone(*args, **kwargs).astype(self.dtype)


class WideLoss(Cell):
    """A loss that receives half-precision operands as float32."""

    def __init__(self, loss_fn: Callable[..., Any]) -> None:
        super().__init__(auto_prefix=False)
        self._loss_fn = loss_fn

    def construct(self, logits: Any, label: Any) -> Any:
        return self._loss_fn(to_float32(logits), to_float32(label))


def build_train_network(
    network: Cell,
    optimizer: object,
    loss_fn: Callable[..., Any] | None = None,
    level: str = "O0",
    boost_level: str = "O0",
    **kwargs: object,
) -> Cell:
    """Return the training step of a network: loss, mixed precision, loss scale, update; it is in training mode.

    Args:
        network: The network; with `loss_fn=None` its output is the loss.
        optimizer: The optimizer.
        loss_fn: The loss.
        level: See `auto_mixed_precision`.
        boost_level: Accepted for MindSpore programs.
        cast_model_type: `float16` or `float32`, instead of the level's.
        keep_batchnorm_fp32: Whether normalisation stays in float32, instead of the level's.
        loss_scale_manager: A `LossScaleManager`; with level O2 the default is a `DynamicLossScaleManager`; otherwise
            there is none.

    Raises:
        TypeError: If an argument has an unexpected type.
        ValueError: If `level` or an option is unknown.

    Examples:
        >>> import sporax as ms
        >>> net = ms.nn.Dense(2, 1)
        >>> step = ms.amp.build_train_network(net, ms.nn.SGD(net.trainable_params()), ms.nn.MSELoss(), "O3")
        >>> step(ms.Tensor([[1.0, 1.0]]), ms.Tensor([[1.0]])).dtype
        mindspore.float32
    """
    check_level("build_train_network", "level", level)
    if not isinstance(optimizer, Optimizer):
        hint = " Write train.OptaxOptimizer(params, it)." if hasattr(optimizer, "update") else ""
        raise TypeError(f"build_train_network: optimizer must be an Optimizer, got {describe(optimizer)}.{hint}")
    manager = _read_options(level, kwargs)
    if level != "O0" or kwargs.get("cast_model_type") == mstype.float16:
        network = _cast(network, level, kwargs)
        loss_fn = None if loss_fn is None else WideLoss(loss_fn)
    with_loss = network if loss_fn is None else WithLossCell(network, loss_fn)
    update = None if manager is None else manager.get_update_cell()
    if update is not None:
        return TrainOneStepWithLossScaleCell(with_loss, optimizer, update).set_train()
    scale = 1.0 if manager is None else manager.get_loss_scale()
    if pipelining() is not None:  # gradients of micro batches are averaged
        scale /= micro_size_of(with_loss) or 1
    return TrainOneStepCell(with_loss, optimizer, scale).set_train()


def _read_options(level: str, options: dict[str, Any]) -> LossScaleManager | None:
    unknown = sorted(set(options) - {"loss_scale_manager", "keep_batchnorm_fp32", "cast_model_type"})
    if unknown:
        raise ValueError(f"build_train_network: unknown option {', '.join(unknown)}.")
    keep, cast = options.get("keep_batchnorm_fp32", True), options.get("cast_model_type", mstype.float32)
    if not isinstance(keep, bool):
        raise TypeError(f"build_train_network: keep_batchnorm_fp32 must be a bool, got {describe(keep)}.")
    if cast not in (mstype.float16, mstype.float32):
        raise TypeError(f"build_train_network: cast_model_type must be float16 or float32, got {describe(cast)}.")
    manager = options.get("loss_scale_manager", DynamicLossScaleManager() if level == "O2" else None)
    if manager is not None and not isinstance(manager, LossScaleManager):
        shown = describe(manager)
        raise TypeError(f"build_train_network: loss_scale_manager must be a LossScaleManager or None, got {shown}.")
    return manager


def _cast(network: Cell, level: str, options: dict[str, Any]) -> Cell:
    if options.get("cast_model_type") == mstype.float16:
        level = "O2" if options.get("keep_batchnorm_fp32", level == "O2") else "O3"
    elif "cast_model_type" in options and level in ("O2", "O3"):
        return network
    elif level == "O2" and options.get("keep_batchnorm_fp32") is False:
        level = "O3"
    network = auto_mixed_precision(network, level)
    return OutputTo32(network) if level == "auto" else network
