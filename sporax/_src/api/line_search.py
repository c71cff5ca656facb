"""Line search: a step along a direction that fulfils the strong Wolfe conditions, decided on the host."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor
from sporax._src.transform.grad import value_and_grad

Vector = np.ndarray


@dataclass
class Objective:
    """A function of a vector with its gradient, and the number of calls."""

    func: Callable[..., Any]
    jac: Callable[..., Any] | None
    args: tuple[Any, ...]
    calls: int = 0

    def __call__(self, x: Vector) -> tuple[float, Vector]:
        """Return the value and the gradient at a point."""
        self.calls += 1
        at = Tensor(x)
        if self.jac is None:
            value, gradient = value_and_grad(self.func, 0)(at, *self.args)
        else:
            value, gradient = self.func(at, *self.args), self.jac(at, *self.args)
        return float(value.asnumpy()), gradient.asnumpy()


@dataclass
class Point:
    """A step along a direction: its length, the value there, the slope along the direction, the gradient."""

    step: float
    value: float
    slope: float
    gradient: Vector


@dataclass
class Search:
    """The result of a line search: the point, whether it is acceptable, how many steps were tried, and why it ended."""

    point: Point
    failed: bool
    tries: int
    status: int


@dataclass
class Line:
    """The objective along a direction, and the strong Wolfe conditions on a step."""

    objective: Objective
    origin: Vector
    direction: Vector
    c1: float
    c2: float
    start: Point | None = None

    def at(self, step: float) -> Point:
        """Return the point at a step."""
        value, gradient = self.objective(self.origin + self.origin.dtype.type(step) * self.direction)
        return Point(step, value, float(gradient @ self.direction), gradient)

    def falls(self, p: Point) -> bool:
        """Return whether the value falls enough."""
        assert self.start is not None
        return p.value <= self.start.value + self.c1 * p.step * self.start.slope

    def is_flat(self, p: Point) -> bool:
        """Return whether the slope is small enough."""
        assert self.start is not None
        return abs(p.slope) <= -self.c2 * self.start.slope


def search(line: Line, start: Point, before: float | None, maxiter: int) -> Search:
    """Find a step that fulfils the strong Wolfe conditions (Nocedal and Wright, algorithm 3.5)."""
    line.start = start
    step = first_step(start, before)
    previous = start
    for tries in range(1, maxiter + 1):
        now = line.at(step)
        if not line.falls(now) or (tries > 1 and now.value >= previous.value):
            return zoom(line, previous, now, tries)
        if line.is_flat(now):
            return Search(now, False, tries, 0)
        if now.slope >= 0:
            return zoom(line, now, previous, tries)
        previous, step = now, 2 * step
    return Search(start, True, maxiter, 3)


def first_step(start: Point, before: float | None) -> float:
    """Return 1, or the smaller step at which a parabola through the last two values has its minimum."""
    if before is None or start.slope == 0:
        return 1.0
    guess = 2.02 * (start.value - before) / start.slope
    return min(guess, 1.0) if np.isfinite(guess) else 1.0


def zoom(line: Line, low: Point, high: Point, tries: int, rounds: int = 10) -> Search:
    """Find a step between two, of which the first has the lower value (Nocedal and Wright, algorithm 3.6)."""
    assert line.start is not None
    failed = Point(1.0, low.value, low.slope, line.start.gradient)
    third: tuple[float, float] | None = None
    for _ in range(rounds):
        now = line.at(between(low, high, third))
        if not line.falls(now) or now.value >= low.value:
            third, high = (high.step, high.value), now
            continue
        if line.is_flat(now):
            return Search(now, False, tries, 0)
        if now.slope * (high.step - low.step) >= 0:
            third, high = (high.step, high.value), low
        else:
            third = (low.step, low.value)
        low = now
    return Search(failed, True, tries, 1)


def between(low: Point, high: Point, third: tuple[float, float] | None) -> float:
    """Return where a cubic, else a parabola, through the points has its minimum, if that is well inside; else the middle."""
    width = high.step - low.step
    for guess, margin in ((cubic(low, high, third), 0.2), (parabola(low, high), 0.1)):
        if guess is not None and abs(2 * (guess - low.step) / width - 1) < 1 - 2 * margin:
            return guess
    return (low.step + high.step) / 2


def cubic(a: Point, b: Point, third: tuple[float, float] | None) -> float | None:
    """Return the minimum of the cubic through a, b and a third point, with the slope at a."""
    if third is None:
        return None
    db, dc = b.step - a.step, third[0] - a.step
    with np.errstate(all="ignore"):
        scale = np.float64(db * dc) ** 2 * (db - dc)
        rb, rc = b.value - a.value - a.slope * db, third[1] - a.value - a.slope * dc
        k3, k2 = (dc**2 * rb - db**2 * rc) / scale, (db**3 * rc - dc**3 * rb) / scale
        minimum = a.step + (-k2 + np.sqrt(k2**2 - 3 * k3 * a.slope)) / (3 * k3)
    return float(minimum) if np.isfinite(minimum) else None


def parabola(a: Point, b: Point) -> float | None:
    """Return the minimum of the parabola through a and b, with the slope at a."""
    width = b.step - a.step
    with np.errstate(all="ignore"):
        minimum = a.step - a.slope / (2 * (np.float64(b.value) - a.value - a.slope * width) / width**2)
    return float(minimum) if np.isfinite(minimum) else None


class LineSearchResults(NamedTuple):
    """What `line_search` returns: `a_k` is the step, `f_k` and `g_k` the value and gradient there; status 0 is success."""

    failed: bool
    nit: int
    nfev: int
    ngev: int
    k: int
    a_k: float
    f_k: float
    g_k: Tensor
    status: int


def line_search(
    f: Callable[..., Any],
    xk: Tensor,
    pk: Tensor,
    jac: Callable[..., Any] | None = None,
    gfk: Tensor | None = None,
    old_fval: Any = None,
    old_old_fval: Any = None,
    c1: float = 1e-4,
    c2: float = 0.9,
    maxiter: int = 20,
) -> LineSearchResults:
    """Find a step along a direction that fulfils the strong Wolfe conditions.

    Args:
        f: A function of a vector.
        xk: The point, shape (n,).
        pk: The direction, shape (n,).
        jac: The gradient of `f`; None: the result of `grad`.
        gfk, old_fval: The gradient and value at `xk`, if they are known.
        old_old_fval: The value at the point before.
        c1, c2: How much the value, and the slope, must fall.
        maxiter: How many steps to try.

    Raises:
        TypeError: If `f` cannot be called.

    Examples:
        >>> import sporax as ms
        >>> result = ms.scipy.optimize.line_search(lambda x: (x * x).sum(), ms.Tensor([2.0]), ms.Tensor([-1.0]))
        >>> result.failed, result.a_k
        (False, 1.0)
    """
    check_function("line_search", f)
    objective = Objective(f, jac, ())
    line = Line(objective, xk.asnumpy(), pk.asnumpy(), c1, c2)
    if old_fval is None or gfk is None:
        start = line.at(0.0)
    else:
        gradient = gfk.asnumpy()
        start = Point(0.0, float(old_fval), float(gradient @ line.direction), gradient)
    result = search(line, start, None if old_old_fval is None else float(old_old_fval), maxiter)
    p, calls = result.point, objective.calls
    return LineSearchResults(
        result.failed, result.tries, calls, calls, result.tries + 1, p.step, p.value, Tensor(p.gradient), result.status
    )


def check_function(name: str, fn: object) -> None:
    """Raise TypeError if `fn` cannot be called."""
    if not callable(fn):
        raise TypeError(f"scipy.optimize.{name}: expected a function, got {describe(fn)}.")
