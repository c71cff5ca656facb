"""mindspore.scipy.linalg: factorisations and solvers with SciPy's signatures."""

from sporax._src.api.scipy_linalg import (
    block_diag,
    cho_factor,
    cho_solve,
    cholesky,
    eigh,
    inv,
    lstsq,
    lu,
    lu_factor,
    solve_triangular,
)

__all__ = [
    "block_diag",
    "cho_factor",
    "cho_solve",
    "cholesky",
    "eigh",
    "inv",
    "lstsq",
    "lu",
    "lu_factor",
    "solve_triangular",
]
