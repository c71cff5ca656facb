"""Lines of a table that become functions, methods and properties: what they call, and what is taken over from the row."""

from __future__ import annotations

import inspect

import pytest

from sporax._src.base.typing import Array, Static
from sporax._src.bindings.adapters import adapt, views


def scale(x: Array, factor: float = 1, axis: int = 0, *, out: Static = None) -> Array:
    """Return x times `factor` along `axis`.

    Args:
        x: A Tensor.
        factor, axis: A number, and where.
        out: A dtype; needs `axis`.

    Returns:
        A Tensor of the shape of x.

    Raises:
        TypeError: If `x` is no Tensor.
        ValueError: If `axis` is out of range, or `out` is none,
            or the sun shines.
        OSError: Always.

    Examples:
        >>> scale(2)
    """
    return x, factor, axis, out  # pyright: ignore[reportReturnType]


def undocumented(x):
    return x


ROWS = {"scale": scale, "undocumented": undocumented}


def test_functions() -> None:
    made = adapt(
        "one, two(a, dim=3, *, by: int = 2) -> scale(a, double(by), axis=dim)", ROWS, "here", helpers={"double": str}
    )
    assert made["one"] is made["two"] and made["one"].__name__ == "one" and made["one"].__module__ == "sporax.here"
    assert made["one"](5) == (5, "2", 3, None)
    assert str(inspect.signature(made["one"])) == "(a: 'Array', dim: 'int' = 3, *, by: 'int' = 2) -> 'Array'"


def test_text_is_the_row_s_under_own_names() -> None:
    fn = adapt("f(a, dim=None, axis=None) -> scale(a, axis=axis if dim is None else dim)", ROWS, "here")["f"]
    assert (
        fn.__doc__
        == """Return x times `factor` along `axis`.

Args:
    a: A Tensor.
    dim, axis: A number, and where.

Returns:
    A Tensor of the shape of x.

Raises:
    TypeError: If `a` is no Tensor.
    ValueError: If `axis` is out of range, or the sun shines.
    OSError: Always.

Examples:
    >>> scale(2)"""
    )
    same = adapt("f(x, factor=1, axis=0, *, out=None) -> scale(x, factor, axis, out=out)", ROWS, "here")["f"]
    assert same.__doc__ == scale.__doc__


def test_methods_properties_and_notes() -> None:
    method, prop = views(
        """
f(*size, how=1) -> scale(self, tuple(size), out=how)
    Return what it was.
    size: How large.
    TypeError: If it rains.
    (size: int)
    (*size: int)
P -> scale(self, axis=self)
""",
        ROWS,
        "here",
        operand="self",
    )
    assert not method.is_property and method.forms == ["size: int", "*size: int"]
    assert method.function("me", 1, 2) == ("me", (1, 2), 0, 1)
    assert method.function.__annotations__ == {"how": "Static", "return": "Array"}
    summary, arguments, *_, errors, _ = method.function.__doc__.split("\n\n")
    assert summary == "Return what it was."
    assert arguments == "Args:\n    size: How large.\n    how: A dtype; needs `axis`."
    assert errors.splitlines() == [
        "Raises:", "    TypeError: If it rains.", "    ValueError: If `how` is none, or the sun shines.", "    OSError: Always.",
    ]  # fmt: skip
    assert prop.is_property and prop.function("me") == ("me", 1, "me", None)
    assert (
        "Args:" not in prop.function.__doc__
        and "    ValueError: If the Tensor is out of range" in prop.function.__doc__
    )


def test_notes_on_the_result_and_an_example() -> None:
    lines = "f(a) -> scale(a)\n    Return a.\n    At length.\n    Returns: That.\n    >>> f(\n    ...     1)\n    (1,)"
    parts = adapt(lines, ROWS, "here")["f"].__doc__.split("\n\n")
    assert parts[:2] == ["Return a.", "At length."] and parts[3] == "Returns:\n    That."
    assert parts[-1] == "Examples:\n    >>> f(\n    ...     1)\n    (1,)"


def test_rows_without_a_text() -> None:
    made = adapt("f(a) -> undocumented(a)\ng(a) -> undocumented(a)\n    Return a.\n    a: Anything.", ROWS, "here")
    assert made["f"].__doc__ is None
    assert made["g"].__doc__ == "Return a.\n\nArgs:\n    a: Anything."


def test_lines_call_a_row() -> None:
    with pytest.raises(ValueError, match="the line of f calls no row"):
        adapt("f(a) -> scale(a)", ROWS, "here", helpers={"scale": abs})
