"""Lowering: how an operation of JAX is compiled on a platform, and how sporax's replace JAX's own.

They are replaced for the whole process, so they also compile other JAX programs in it, except within `off()`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import jax

from sporax._src.base.jax_compat import hold_operands, replace_lowering
from sporax._src.base.typing import Array

_is_on = jax.make_user_context(True)  # part of the key of `jax.jit`: functions are compiled again when it changes


class Lowering(NamedTuple):
    """A function that replaces JAX's lowering of an operation.

    Attributes:
        primitive: The operation of JAX.
        fits: Returns, from the shapes and dtypes of the arguments and the parameters, whether the function applies.
        fn: The function of the arguments and parameters; None for the lowering that JAX has for other platforms.
        is_opaque: Whether the function makes calls into which XLA does not see. XLA can neither divide them among devices nor
            export them, so the lowering before this one applies there.
    """

    primitive: Any
    fits: Callable[..., bool]
    fn: Callable[..., Array | Sequence[Array]] | None
    is_opaque: bool = False


class Held(NamedTuple):
    """An operand that XLA takes as it is: it does not simplify the operation together with what the operand is computed by.

    Attributes:
        primitive: An element-wise operation of JAX.
        fits: As for `Lowering`.
        position: Which operand.
    """

    primitive: Any
    fits: Callable[..., bool]
    position: int


def install(platform: str, lowerings: Iterable[Lowering | Held]) -> None:
    """Replace JAX's lowerings on a platform; of several for one operation, the last that fits is used."""
    for lowering in lowerings:
        if isinstance(lowering, Held):
            hold_operands(lowering.primitive, platform, lowering.fits, lowering.position, are_on)
        else:
            replace_lowering(
                lowering.primitive, platform, lowering.fits, lowering.fn, are_on, is_opaque=lowering.is_opaque
            )


def are_on() -> bool:
    """Return whether JAX's lowerings are replaced."""
    return bool(_is_on.value)


@contextmanager
def off() -> Iterator[None]:
    """Let JAX compile by its own lowerings.

    Functions of `jax.jit` that are called within it are compiled again, by JAX's own lowerings, and keep both forms.

    Examples:
        >>> import jax, sporax, jax.numpy as jnp
        >>> largest = jax.jit(jnp.argmax)
        >>> with sporax.lowering.off():
        ...     int(largest(jnp.array([1.0, 3.0, 2.0])))
        1
    """
    with _is_on(False):
        yield
