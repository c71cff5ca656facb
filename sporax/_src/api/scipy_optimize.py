"""The namespace `scipy.optimize`: minimisation along gradients, and assignments of rows to columns.

The searches decide on the host, step by step; the function and its gradient run as everything else does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sporax._src.api.line_search import Line, Objective, Point, Vector, check_function, search
from sporax._src.base.errors import describe
from sporax._src.core.tensor import Tensor


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
        self.matrix: Any = np.eye(x.size, dtype=x.dtype)

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
        weights = []
        for s, y in reversed(self.pairs):
            weight = (s @ g) / (y @ s)
            weights.append(weight)
            g = g - weight * y
        if self.pairs:
            s, y = self.pairs[-1]
            g = (y @ s) / (y @ y) * g
        for (s, y), weight in zip(self.pairs, reversed(weights), strict=True):
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
        result = search(line, start, before, line_search_maxiter)
        if result.failed:
            status = 2 + result.status
            break
        moved = x.dtype.type(result.point.step) * line.direction
        before, x, turned = value, x + moved, result.point.gradient - gradient
        value, gradient = result.point.value, result.point.gradient
        converged = bool(np.linalg.norm(gradient, norm) < gtol)
        if converged:
            break
        curvature.learn(moved, turned)
        count += 1
    status = 0 if converged else 1 if count == maxiter else status
    hess_inv = None if curvature.matrix is None else Tensor(curvature.matrix)
    failed = status >= 2
    return OptimizeResults(
        Tensor(x),
        converged and not failed,
        status,
        value,
        Tensor(gradient),
        hess_inv,
        objective.calls,
        objective.calls,
        count,
    )


_METHODS = {"bfgs": _Curvature, "lbfgs": _Remembered}
_OPTIONS = {"maxiter", "norm", "gtol", "line_search_maxiter"}


def minimize(
    func: Callable[..., Any],
    x0: Tensor,
    args: tuple[Any, ...] = (),
    method: str | None = None,
    jac: Callable[..., Any] | None = None,
    hess: object = None,
    hessp: object = None,
    bounds: object = None,
    constraints: object = (),
    tol: object = None,
    callback: object = None,
    options: dict[str, Any] | None = None,
) -> OptimizeResults:
    """Find a point where a function of a vector is smallest, going down along its gradient.

    Args:
        func: The function, of a Tensor and `args`; returns a Tensor of one element.
        x0: Where to begin, shape (n,).
        args: Further arguments of `func`.
        method: "BFGS" or "LBFGS".
        jac: The gradient of `func`; None: the result of `grad`.
        hess, hessp, bounds, constraints, tol, callback: Accepted for programs written for SciPy; not used.
        options: Of `maxiter` (None: 200 n), `norm` (the order of the norm of the gradient), `gtol` (how small that
            must become), `line_search_maxiter`, and for LBFGS `history_size`.

    Returns:
        The point and how the search went; `status` is 0 for success, 1 if `maxiter` was reached, > 1 if a line search
        failed.

    Raises:
        TypeError: If `func` cannot be called, `args` is not a tuple, or an option is unknown.
        ValueError: If `method` is none of those.

    Examples:
        >>> import sporax as ms
        >>> result = ms.scipy.optimize.minimize(lambda x: ((x - 3.0) ** 2).sum(), ms.Tensor([0.0]), method="BFGS")
        >>> result.success, result.x.asnumpy().round(3)
        (True, array([3.], dtype=float32))
    """
    if method is None:
        raise ValueError("You must specify a solver.")
    check_function("minimize", func)
    if not isinstance(args, tuple):
        raise TypeError(f"args argument to scipy.optimize.minimize must be a tuple, got {describe(args)}")
    kind = _METHODS.get(method.lower())
    if kind is None:
        raise ValueError(f"Method {method} not recognized; there are 'BFGS' and 'LBFGS'.")
    known = _OPTIONS | ({"history_size"} if kind is _Remembered else set())
    if unknown := sorted(set(options or {}) - known):
        raise TypeError(f"scipy.optimize.minimize: unknown options {unknown} of {method}; known: {sorted(known)}.")
    return _descend(Objective(func, jac, args), x0.asnumpy(), kind, **(options or {}))


def linear_sum_assignment(cost_matrix: Tensor, maximize: bool, dimension_limit: Any = None) -> tuple[Tensor, Tensor]:
    """Assign rows to columns, each at most once, so that the sum of the costs is smallest.

    Args:
        cost_matrix: Shape (rows, columns).
        maximize: Whether to make the sum largest instead.
        dimension_limit: How many columns count; None: all. The others get -1.

    Returns:
        The rows, ascending, and the columns assigned to them: int64, of length min(rows, columns).

    Raises:
        TypeError: If `cost_matrix` is not a Tensor, or `maximize` not a bool.
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
    assignment = np.full((2, min(cost.shape)), -1, np.int64)
    rows, columns = assign(cost[:, :limit], maximize)
    assignment[:, : len(rows)] = rows, columns
    return Tensor(assignment[0]), Tensor(assignment[1])
