"""What calls of graphs return or raise."""

from collections.abc import Callable

from sporax import Tensor


def outcome(fn: Callable[[Tensor], object], value: float) -> object:
    """Return what a call returns, or the class, the text and the attributes of what it raises."""
    try:
        return str(fn(Tensor(value)))
    except Exception as error:
        return type(error), str(error), getattr(error, "code", None)
