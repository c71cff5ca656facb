"""The namespace `scipy.optimize`: minimisation along gradients, and assignments of rows to columns.

The searches decide on the host, step by step; the function and its gradient run as everything else does.
"""

from __future__ import annotations

from collections import deque
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
    """A function of a vector with its gradient, and how often each was asked for."""

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
    """What a line search found: the point, whether that is acceptable, how many steps were tried, and why it ended."""

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
        """Tell whether the value falls enough."""
        assert self.start is not None
        return p.value <= self.start.value + self.c1 * p.step * self.start.slope

    def is_flat(self, p: Point) -> bool:
        """Tell whether the slope is small enough."""
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
        found = a.step + (-k2 + np.sqrt(k2**2 - 3 * k3 * a.slope)) / (3 * k3)
    return float(found) if np.isfinite(found) else None


def parabola(a: Point, b: Point) -> float | None:
    """Return the minimum of the parabola through a and b, with the slope at a."""
    width = b.step - a.step
    with np.errstate(all="ignore"):
        found = a.step - a.slope / (2 * (np.float64(b.value) - a.value - a.slope * width) / width**2)
    return float(found) if np.isfinite(found) else None


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
        jac: The gradient of `f`; None: that which `grad` gives.
        gfk, old_fval: The gradient and value at `xk`, if they are known.
        old_old_fval: The value at the point before.
        c1, c2: How much the value, and the slope, must fall.
        maxiter: How many steps to try.

    Raises:
        TypeError: If `f` cannot be called.

    Examples:
        >>> import sporax as ms
        >>> found = ms.scipy.optimize.line_search(lambda x: (x * x).sum(), ms.Tensor([2.0]), ms.Tensor([-1.0]))
        >>> found.failed, found.a_k
        (False, 1.0)
    """
    _check_function("line_search", f)
    objective = Objective(f, jac, ())
    line = Line(objective, xk.asnumpy(), pk.asnumpy(), c1, c2)
    if old_fval is None or gfk is None:
        start = line.at(0.0)
    else:
        gradient = gfk.asnumpy()
        start = Point(0.0, float(old_fval), float(gradient @ line.direction), gradient)
    found = search(line, start, None if old_old_fval is None else float(old_old_fval), maxiter)
    p, calls = found.point, objective.calls
    return LineSearchResults(
        found.failed, found.tries, calls, calls, found.tries + 1, p.step, p.value, Tensor(p.gradient), found.status
    )


class OptimizeResults(NamedTuple):
    """What `minimize` returns: the point, the value `fun` and gradient `jac` there, and how the search went."""

    x: Tensor
    success: bool
    status: int
    fun: float
    jac: Tensor
    hess_inv: Tensor | None
    nfev: int
    njev: int
    nit: int


class _Curvature:
    """The inverse of the second derivative, as BFGS estimates it from steps and differences of gradients."""

    def __init__(self, x: Vector, _: int) -> None:
        self.matrix: Vector | None = np.eye(x.size, dtype=x.dtype)

    def times(self, g: Vector) -> Vector:
        """Return the estimate times a vector."""
        return self.matrix @ g

    def learn(self, s: Vector, y: Vector) -> None:
        """Take in a step and how the gradient changed along it."""
        rho = 1 / (y @ s)
        left = np.eye(s.size, dtype=s.dtype) - rho * np.outer(s, y)
        self.matrix = left @ self.matrix @ left.T + rho * np.outer(s, s)


class _Remembered:
    """The same estimate, applied without ever being a matrix, from the last steps (L-BFGS)."""

    matrix = None

    def __init__(self, x: Vector, history_size: int) -> None:
        self.pairs: deque[tuple[Vector, Vector]] = deque(maxlen=history_size)

    def times(self, g: Vector) -> Vector:
        """Return the estimate times a vector: the two loops of Nocedal and Wright, algorithm 7.4."""
        kept = []
        for s, y in reversed(self.pairs):
            weight = (s @ g) / (y @ s)
            kept.append(weight)
            g = g - weight * y
        if self.pairs:
            s, y = self.pairs[-1]
            g = (y @ s) / (y @ y) * g
        for (s, y), weight in zip(self.pairs, reversed(kept), strict=True):
            g = g + (weight - (y @ g) / (y @ s)) * s
        return g

    def learn(self, s: Vector, y: Vector) -> None:
        """Take in a step and how the gradient changed along it."""
        if y @ s > 1e-10:
            self.pairs.append((s, y))


def _descend(
    objective: Objective,
    x0: Vector,
    kind: Any,
    maxiter: int | None = None,
    norm: float = np.inf,
    gtol: float = 1e-5,
    line_search_maxiter: int = 10,
    history_size: int = 20,
) -> OptimizeResults:
    x, curvature = x0, kind(x0, history_size)
    value, gradient = objective(x)
    before = value + float(np.linalg.norm(gradient)) / 2
    converged, count, status = bool(np.linalg.norm(gradient, np.inf) < gtol), 0, -1
    maxiter = 200 * x.size if maxiter is None else maxiter
    while count < maxiter:
        line = Line(objective, x, -curvature.times(gradient), 1e-4, 0.9)
        start = Point(0.0, value, float(gradient @ line.direction), gradient)
        found = search(line, start, before, line_search_maxiter)
        if found.failed:
            status = 2 + found.status
            break
        moved = x.dtype.type(found.point.step) * line.direction
        before, x, turned = value, x + moved, found.point.gradient - gradient
        value, gradient = found.point.value, found.point.gradient
        converged = bool(np.linalg.norm(gradient, norm) < gtol)
        if converged:
            break
        curvature.learn(moved, turned)
        count += 1
    status = 0 if converged else 1 if count == maxiter else status
    hess_inv = None if curvature.matrix is None else Tensor(curvature.matrix)
    failed = status >= 2
    return OptimizeResults(
        Tensor(x), converged and not failed, status, value, Tensor(gradient), hess_inv, objective.calls, objective.calls, count
    )


_METHODS = {"bfgs": _Curvature, "lbfgs": _Remembered}
_OPTIONS = {"maxiter", "norm", "gtol", "line_search_maxiter"}


def minimize(
    func: Callable[..., Any],
    x0: Tensor,
    args: tuple[Any, ...] = (),
    method: str | None = None,
    jac: Callable[..., Any] | None = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    tol: Any = None,
    callback: Any = None,
    options: dict[str, Any] | None = None,
) -> OptimizeResults:
    """Find a point where a function of a vector is smallest, going down along its gradient.

    Args:
        func: The function, of a Tensor and `args`; returns a Tensor of one element.
        x0: Where to begin, shape (n,).
        args: Further arguments of `func`.
        method: "BFGS" or "LBFGS".
        jac: The gradient of `func`; None: that which `grad` gives.
        hess, hessp, bounds, constraints, tol, callback: Accepted for programs written for SciPy; not used.
        options: Of `maxiter` (None: 200 n), `norm` (the order of the norm of the gradient), `gtol` (how small that
            must become), `line_search_maxiter`, and for LBFGS `history_size`.

    Returns:
        The point and how the search went; `status` is 0 for success, 1 if `maxiter` was reached, > 1 if a line search
        failed.

    Raises:
        TypeError: If `func` cannot be called, `args` is no tuple, or an option is unknown.
        ValueError: If `method` is none of those.

    Examples:
        >>> import sporax as ms
        >>> found = ms.scipy.optimize.minimize(lambda x: ((x - 3.0) ** 2).sum(), ms.Tensor([0.0]), method="BFGS")
        >>> found.success, found.x.asnumpy().round(3)
        (True, array([3.], dtype=float32))
    """
    if method is None:
        raise ValueError("You must specify a solver.")
    _check_function("minimize", func)
    if not isinstance(args, tuple):
        raise TypeError(f"args argument to scipy.optimize.minimize must be a tuple, got {describe(args)}")
    kind = _METHODS.get(method.lower())
    if kind is None:
        raise ValueError(f"Method {method} not recognized; there are 'BFGS' and 'LBFGS'.")
    known = _OPTIONS | ({"history_size"} if kind is _Remembered else set())
    if unknown := sorted(set(options or {}) - known):
        raise TypeError(f"scipy.optimize.minimize: unknown options {unknown} of {method}; known: {sorted(known)}.")
    return _descend(Objective(func, jac, args), x0.asnumpy(), kind, **(options or {}))


def _check_function(name: str, fn: Any) -> None:
    if not callable(fn):
        raise TypeError(f"scipy.optimize.{name}: expected a function, got {describe(fn)}.")


def linear_sum_assignment(cost_matrix: Tensor, maximize: bool, dimension_limit: Any = None) -> tuple[Tensor, Tensor]:
    """Assign rows to columns, each at most once, so that the sum of the costs is smallest.

    Args:
        cost_matrix: Shape (rows, columns).
        maximize: Whether to make the sum largest instead.
        dimension_limit: How many columns count; None: all. The places of the others hold -1.

    Returns:
        The rows, ascending, and the columns assigned to them: int64, of length min(rows, columns).

    Raises:
        TypeError: If `cost_matrix` is no Tensor, or `maximize` no bool.
        ValueError: If `cost_matrix` has not two axes.

    Examples:
        >>> import sporax as ms
        >>> rows, columns = ms.scipy.optimize.linear_sum_assignment(ms.Tensor([[4.0, 1.0], [2.0, 3.0]]), False)
        >>> columns.asnumpy()
        array([1, 0])
    """
    from scipy.optimize import linear_sum_assignment as assign

    if not isinstance(cost_matrix, Tensor) or not isinstance(maximize, bool):
        raise TypeError(
            "scipy.optimize.linear_sum_assignment: expected a Tensor and a bool, "
            f"got {describe(cost_matrix)} and {describe(maximize)}."
        )
    cost = cost_matrix.asnumpy()
    if cost.ndim != 2:
        raise ValueError(f"scipy.optimize.linear_sum_assignment: the rank must be equal to 2, got shape {cost.shape}.")
    limit = cost.shape[1] if dimension_limit is None else min(int(dimension_limit), cost.shape[1])
    found = np.full((2, min(cost.shape)), -1, np.int64)
    rows, columns = assign(cost[:, :limit], maximize)
    found[:, : len(rows)] = rows, columns
    return Tensor(found[0]), Tensor(found[1])
