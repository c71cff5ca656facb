"""Activation layers, and `get_activation`, which finds one by name."""

from __future__ import annotations

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.bindings.primitive import holds, own
from sporax._src.core import dtype as mstype
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.checks import flag, label, of_type, positive, tensor_input
from sporax._src.nn.parallel.marked_operators import cut_as
from sporax._src.nn.softmax import LogSoftmax, LogSoftmaxExt, Softmax, Softmax2d, Softmin
from sporax._src.ops.math.elementwise import sigmoid
from sporax._src.ops.math.trigonometry import tanh
from sporax._src.ops.nn import activation

__all__ = [
    "CELU", "ELU", "GELU", "FastGelu", "Hardtanh", "HShrink", "HSigmoid", "HSwish", "LeakyReLU", "LogSigmoid",
    "Mish", "PReLU", "PReLUExt", "ReLU", "ReLU6", "RReLU", "SeLU", "Sigmoid", "SiLU", "SoftShrink", "Softsign",
    "Tanh", "Tanhshrink", "Threshold", "get_activation",
]  # fmt: skip


class _Plain(Cell):
    """A layer without arguments."""

    def __init__(self) -> None:
        super().__init__()


class ReLU(_Plain):
    """Computes max(input, 0), see `ops.relu`.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.ReLU()(ms.Tensor([-1.0, 2.0])).asnumpy()
        array([0., 2.], dtype=float32)
    """

    relu = holds("ReLU")

    def construct(self, input: Tensor) -> Tensor:
        return cut_as(self, "relu", activation.relu, input)


class ReLU6(_Plain):
    """Computes min(max(x, 0), 6), see `ops.relu6`."""

    relu6 = holds("ReLU6")

    def construct(self, x: Tensor) -> Tensor:
        return activation.relu6(x)


class LeakyReLU(Cell):
    """Computes x where it is positive and alpha · x elsewhere, see `ops.leaky_relu`.

    Args:
        alpha: The slope of the negative part.
    """

    def __init__(self, alpha: float = 0.2) -> None:
        super().__init__()
        self.alpha = alpha

    def construct(self, x: Tensor) -> Tensor:
        return activation.leaky_relu(x, self.alpha)


class RReLU(Cell):
    """Computes x where it is positive and a · x elsewhere, each a drawn from [lower, upper), see `ops.rrelu`.

    Args:
        lower, upper: The bounds of the slopes.

    Raises:
        TypeError: If a bound is no number.
        ValueError: If lower > upper.
    """

    def __init__(self, lower: float = 1 / 8, upper: float = 1 / 3) -> None:
        super().__init__()
        of_type(self, "upper", upper, (float, int))
        of_type(self, "lower", lower, (float, int))
        if lower > upper:
            raise ValueError(f"{label(self)}: upper must be at least lower, got lower={lower}, upper={upper}.")
        self._bounds = float(lower), float(upper)
        self.lower, self.upper = Tensor(lower, mstype.float32), Tensor(upper, mstype.float32)

    sign = holds("Sign")

    def construct(self, x: Tensor) -> Tensor:
        tensor_input(self, x=x)
        return activation.rrelu(x, *self._bounds)


class SeLU(_Plain):
    """Computes the self-normalising exponential unit, see `ops.selu`."""

    selu = holds("SeLU")

    def construct(self, input_x: Tensor) -> Tensor:
        return activation.selu(input_x)


class SiLU(_Plain):
    """Computes x · sigmoid(x), see `ops.silu`."""

    def construct(self, x: Tensor) -> Tensor:
        return activation.silu(x)


class ELU(Cell):
    """Computes x where it is positive and alpha · (exp(x) - 1) elsewhere, see `ops.elu`.

    Args:
        alpha: The scale of the negative part.
    """

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = of_type(self, "alpha", alpha, float)

    elu = holds("Elu", own.alpha)

    def construct(self, x: Tensor) -> Tensor:
        return activation.elu(x, self.alpha)


class CELU(Cell):
    """Computes max(0, x) + min(0, alpha · (exp(x / alpha) - 1)), see `ops.celu`.

    Args:
        alpha: The scale of the negative part, not 0.
    """

    def __init__(self, alpha: float = 1.0) -> None:
        super().__init__()
        self.alpha = of_type(self, "alpha", alpha, float)
        if alpha == 0:
            raise ValueError(f"{label(self)}: alpha must not be 0.")

    celu = holds("CeLU", own.alpha)

    def construct(self, x: Tensor) -> Tensor:
        return activation.celu(x, self.alpha)


class Tanh(_Plain):
    """Computes tanh(x), see `ops.tanh`."""

    tanh = holds("Tanh")

    def construct(self, x: Tensor) -> Tensor:
        return tanh(x)


class Tanhshrink(_Plain):
    """Computes x - tanh(x), see `ops.tanhshrink`."""

    def construct(self, x: Tensor) -> Tensor:
        return activation.tanhshrink(x)


class Hardtanh(Cell):
    """Clips x to [min_val, max_val], see `ops.hardtanh`.

    Args:
        min_val, max_val: The bounds, the first less than the second.
    """

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0) -> None:
        super().__init__()
        if min_val >= max_val:
            raise ValueError(f"{label(self)}: min_val must be less than max_val, got {min_val} and {max_val}.")
        self.min_val, self.max_val = min_val, max_val

    def construct(self, x: Tensor) -> Tensor:
        return activation.hardtanh(x, self.min_val, self.max_val)


class GELU(Cell):
    """Computes x · Φ(x), Φ the normal distribution function, see `ops.gelu`.

    Args:
        approximate: Whether to use the tanh form (the default) instead of the exact one.
    """

    def __init__(self, approximate: bool = True) -> None:
        super().__init__()
        self.approximate = "tanh" if flag(self, "approximate", approximate) else "none"

    gelu = holds("GeLU")

    def construct(self, x: Tensor) -> Tensor:
        return cut_as(self, "gelu", lambda x: activation.gelu(x, self.approximate), x)


class FastGelu(_Plain):
    """Computes x · sigmoid(1.702 x), see `ops.fast_gelu`."""

    fast_gelu = holds("FastGeLU")

    def construct(self, x: Tensor) -> Tensor:
        return activation.fast_gelu(x)


class Sigmoid(_Plain):
    """Computes 1 / (1 + exp(-x)), see `ops.sigmoid`."""

    sigmoid = holds("Sigmoid")

    def construct(self, x: Tensor) -> Tensor:
        return sigmoid(x)


class Softsign(_Plain):
    """Computes x / (1 + |x|), see `ops.softsign`."""

    softsign = holds("Softsign")

    def construct(self, x: Tensor) -> Tensor:
        return activation.softsign(x)


_FLOATS: tuple[type, ...] = (float, np.float32)


class PReLU(Cell):
    """Computes x where it is positive and w · x elsewhere, w a Parameter with one value, or one for each channel.

    Args:
        channel: 1, or the number of channels (axis 1 of x).
        w: The initial value: a float, a list of floats or a Tensor of shape (channel,).

    Raises:
        TypeError: If `channel` is not an integer or `w` has another type.
        ValueError: If `channel` is not positive, or `w` has another length or dtype.
    """

    def __init__(self, channel: int = 1, w: float | list[float] | Tensor = 0.25) -> None:
        super().__init__()
        positive(self, "channel", channel)
        self.w = Parameter(self._initial(channel, w), name="a")

    def _initial(self, channel: int, w: object) -> Tensor:
        if isinstance(w, _FLOATS):
            return Tensor(np.full(channel, w, np.float32))
        if isinstance(w, list):
            if len(w) != channel or not all(isinstance(v, _FLOATS) for v in w):
                raise ValueError(f"{label(self)}: a list w must hold channel={channel} floats, got {w}.")
            return Tensor(w, mstype.float32)
        if not isinstance(w, Tensor):
            raise TypeError(f"{label(self)}: w must be a float, a list of floats or a Tensor, got {describe(w)}.")
        if w.dtype not in (mstype.float16, mstype.float32) or w.shape != (channel,):
            raise ValueError(
                f"{label(self)}: a Tensor w must be float16 or float32 of shape [{channel}], got {describe(w)}."
            )
        return w

    prelu = holds("PReLU")

    def construct(self, x: Tensor) -> Tensor:
        return activation.prelu(x, self.w)


class PReLUExt(Cell):
    """Computes input where it is positive and weight · input elsewhere.

    Args:
        num_parameters: 1, or the number of channels (axis 1 of the input).
        init: The initial value.
        dtype: The dtype of the Parameter `weight`; float32 if None.
    """

    def __init__(self, num_parameters: int = 1, init: float = 0.25, dtype: mstype.TypeLike | None = None) -> None:
        super().__init__()
        self.weight = Parameter(Tensor(np.full(num_parameters, init, np.float32), dtype), name="weight")

    def construct(self, input: Tensor) -> Tensor:
        return activation.prelu(input, self.weight)


class HSwish(_Plain):
    """Computes x · relu6(x + 3) / 6, see `ops.hardswish`."""

    hswish = holds("HSwish")

    def construct(self, input: Tensor) -> Tensor:
        return activation.hardswish(input)


class HSigmoid(_Plain):
    """Computes relu6(x + 3) / 6, see `ops.hardsigmoid`."""

    hsigmoid = holds("HSigmoid")

    def construct(self, input: Tensor) -> Tensor:
        return activation.hardsigmoid(input)


class LogSigmoid(_Plain):
    """Computes ln(1 / (1 + exp(-x))), see `ops.logsigmoid`."""

    mul, exp, add, rec, log = holds("Mul"), holds("Exp"), holds("Add"), holds("Reciprocal"), holds("Log")

    def construct(self, input_x: Tensor) -> Tensor:
        return activation.logsigmoid(input_x)


class SoftShrink(Cell):
    """Moves x by lambd towards 0, see `ops.softshrink`.

    Args:
        lambd: The threshold.
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = float(of_type(self, "lambd", lambd, (float, int)))

    softshrink = holds("SoftShrink", own.lambd)

    def construct(self, input: Tensor) -> Tensor:
        return activation.softshrink(input, self.lambd)


class HShrink(Cell):
    """Computes x where |x| > lambd and 0 elsewhere, see `ops.hardshrink`.

    Args:
        lambd: The threshold.
    """

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = float(of_type(self, "lambd", lambd, (float, int)))

    hshrink = holds("HShrink", own.lambd)

    def construct(self, input: Tensor) -> Tensor:
        return activation.hardshrink(input, self.lambd)


class Threshold(Cell):
    """Computes x where it exceeds `threshold` and `value` elsewhere, see `ops.threshold`.

    Args:
        threshold: The threshold.
        value: The result for elements that do not exceed the threshold.
    """

    def __init__(self, threshold: float, value: float) -> None:
        super().__init__()
        self.threshold, self.value = threshold, value

    def construct(self, input_x: Tensor) -> Tensor:
        return activation.threshold(input_x, self.threshold, self.value)


class Mish(_Plain):
    """Computes x · tanh(ln(1 + exp(x))), see `ops.mish`."""

    mish = holds("Mish")

    def construct(self, input_x: Tensor) -> Tensor:
        return activation.mish(input_x)


ACTIVATIONS: dict[str, type[Cell]] = {
    "softmin": Softmin, "softmax": Softmax, "softmax2d": Softmax2d, "logsoftmax": LogSoftmax,
    "logsoftmaxExt": LogSoftmaxExt,
    "relu": ReLU, "relu6": ReLU6, "rrelu": RReLU, "silu": SiLU, "tanh": Tanh, "tanhshrink": Tanhshrink,
    "hardtanh": Hardtanh,
    "gelu": GELU, "fast_gelu": FastGelu, "elu": ELU, "sigmoid": Sigmoid, "softsign": Softsign, "prelu": PReLU,
    "preluExt": PReLUExt, "leakyrelu": LeakyReLU, "hswish": HSwish, "hsigmoid": HSigmoid, "logsigmoid": LogSigmoid,
    "softshrink": SoftShrink, "hshrink": HShrink, "threshold": Threshold, "mish": Mish,
}  # fmt: skip


def get_activation(name: str | None, prim_name: str | None = None) -> Cell | None:
    """Return a new activation layer by name, None for None.

    Args:
        name: A name such as `"relu"`.
        prim_name: The name of the calling layer, for the error message.

    Raises:
        KeyError: If the name is unknown.

    Examples:
        >>> import sporax as ms
        >>> ms.nn.get_activation("relu")
        ReLU()
    """
    if name is None:
        return None
    if name not in ACTIVATIONS:
        raise KeyError(
            f"{label(prim_name or 'get_activation')}: the activation must be one of {list(ACTIVATIONS)}, "
            f"got {describe(name)}."
        )
    return ACTIVATIONS[name]()
