"""Functions of `mindspore.scipy`, and what `mindspore.numpy` has beyond calls of operators: ``expression @ inputs``."""

_LOWER = "np.array([[2, 0, 0], [1, 3, 0], [-1, 1, 4]], np.float32)"
_SYMMETRIC = "np.array([[4, 1, 0], [1, 3, 1], [0, 1, 2]], np.float32)"

SPACES = f"""
scipy.linalg.block_diag(a, b) @ r(2, 2), r(1, 3)
scipy.linalg.cholesky(a) @ {_SYMMETRIC}
scipy.linalg.cholesky(a, lower=True) @ {_SYMMETRIC}
scipy.linalg.cho_factor(a) @ {_SYMMETRIC}
scipy.linalg.cho_factor(a, lower=True) @ {_SYMMETRIC}
scipy.linalg.cho_solve((a, True), b) @ {_LOWER}, r(3, 2)
scipy.linalg.eigh(a, eigvals_only=True) @ {_SYMMETRIC}
scipy.linalg.inv(a) @ {_SYMMETRIC}
scipy.linalg.lu(a) @ {_LOWER}
scipy.linalg.lu_factor(a) @ {_SYMMETRIC}
scipy.linalg.solve_triangular(a, b, lower=True) @ {_LOWER}, r(3, 2)
scipy.linalg.solve_triangular(a, b, trans='T', lower=True) @ {_LOWER}, r(3)
scipy.linalg.solve_triangular(a, b, lower=True, unit_diagonal=True) @ {_LOWER}, r(3)
scipy.optimize.linear_sum_assignment(a, False, ms.Tensor(3)) @ p(9).reshape(3, 3)
scipy.optimize.linear_sum_assignment(a, True, ms.Tensor(3)) @ p(9).reshape(3, 3)
scipy.optimize.minimize(lambda x: ((x - 1) ** 2).sum(), a, method='BFGS', options=dict(maxiter=None, gtol=1e-6)).x @ r(3)
ms.numpy.mgrid[0:5, 1:4] @
ms.numpy.mgrid[0:1:3j] @
ms.numpy.ogrid[0:5:2, 1:4] @
ms.numpy.promote_types(ms.float32, ms.float64) @
ms.numpy.promote_types(ms.int32, ms.float16) @
ms.numpy.result_type('i2', a, True) @ r(2)
ms.numpy.result_type(a, b) @ i(3, 2), r(2)
ops.partial(lambda x, y: x - y, a)(b) @ r(2), r(2)
ops.make_range(5) @
ops.make_range(1, 7, 2) @
ops.scalar_log(2.0) @
ops.scalar_add(2, 3.5) @
ops.scalar_sub(2, 3.5) @
ops.scalar_mul(2, 3.5) @
ops.scalar_div(7, 2) @
ops.scalar_floordiv(7, 2) @
ops.scalar_mod(7, 3) @
ops.scalar_pow(2, 3) @
ops.scalar_uadd(2) @
ops.scalar_usub(2) @
ops.scalar_eq(2, 2.0) @
ops.scalar_lt(2, 3) @
ops.tuple_reversed((1, 2, 3)) @
"""
