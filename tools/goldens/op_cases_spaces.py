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
ops.scalar_ge(2, 3) @
ops.scalar_gt(2, 3) @
ops.scalar_le(2, 3) @
ops.scalar_max(2, 3) @
ops.scalar_min(2, 3) @
ops.bool_not(True) @
ops.is_(a, None) @ r(2)
ops.is_not(a, None) @ r(2)
ops.tuple_len((1, 2)) @
ops.tuple_getitem((1, 2), 1) @
ops.tuple_setitem((1, 2), 1, 5) @
ops.tuple_equal((1, 2), (1, 2)) @
ops.list_len([1, 2]) @
ops.list_getitem([1, 2], 1) @
ops.list_setitem([1, 2], 1, 5) @
ops.list_equal([1, 2], [1, 2]) @
ops.make_tuple(1, 2) @
ops.make_list(1, 2) @
ops.make_slice(0, 2, 1) @
ops.dict_getitem(dict(x=1), 'x') @
ops.in_dict('x', dict(x=1)) @
ops.not_in_dict('x', dict(x=1)) @
LogSpace(3, 2)(a, b) @ np.array(1, np.float32), np.array(3, np.float32)
FractionalAvgPool([1.0, 1.5, 1.5, 1.0], False, False, True, 1, 2)(a)[0].shape @ r(1, 6, 6, 2)
FractionalMaxPool([1.0, 1.5, 1.5, 1.0], False, False, True, 1, 2)(a)[0].shape @ r(1, 6, 6, 2)
ConvertToDynamic()(a) @ r(2, 3)
TopTypeof()(a) @ r(2)
mint.sigmoid(a) @ r(3)
ms.numpy.empty((2, 3)).shape @
ms.numpy.empty_like(a).shape @ r(2, 3)
ops.where(a > 0, a, b) @ r(3), r(3)
a.where(a > 0, b) @ r(3), r(3)
a.get_bytes() @ r(3)
a.numpy().shape @ r(3)
a.hooks() @ r(3)
a.data_sync(True) @ r(3)
"""
