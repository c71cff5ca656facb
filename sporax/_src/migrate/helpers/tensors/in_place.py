"""Augmented assignments as in torch: `x += y` writes into a Tensor, and every other name of it shows the change."""

import operator

import sporax as mindspore


def _data(x):
    """Return what a program writes into that writes into `x.data`: no gradient passes through the write."""
    if isinstance(x, mindspore.Tensor):
        return x if isinstance(x, mindspore.Parameter) else mindspore.ops.stop_gradient(x)
    return x.data


def _written(x, y, function, in_place):
    """Write `function(x, y)` into a Tensor; give everything else Python's augmented assignment."""
    if isinstance(x, mindspore.Tensor):
        return x.copy_(function(x, y))
    return in_place(x, y)


def _iadd(x, y):
    """Return `x` after `x += y`."""
    return _written(x, y, operator.add, operator.iadd)


def _isub(x, y):
    """Return `x` after `x -= y`."""
    return _written(x, y, operator.sub, operator.isub)


def _imul(x, y):
    """Return `x` after `x *= y`."""
    return _written(x, y, operator.mul, operator.imul)


def _itruediv(x, y):
    """Return `x` after `x /= y`."""
    return _written(x, y, operator.truediv, operator.itruediv)


def _ifloordiv(x, y):
    """Return `x` after `x //= y`."""
    return _written(x, y, operator.floordiv, operator.ifloordiv)


def _imod(x, y):
    """Return `x` after `x %= y`."""
    return _written(x, y, operator.mod, operator.imod)


def _ipow(x, y):
    """Return `x` after `x **= y`."""
    return _written(x, y, operator.pow, operator.ipow)


def _iand(x, y):
    """Return `x` after `x &= y`."""
    return _written(x, y, operator.and_, operator.iand)


def _ior(x, y):
    """Return `x` after `x |= y`."""
    return _written(x, y, operator.or_, operator.ior)


def _ixor(x, y):
    """Return `x` after `x ^= y`."""
    return _written(x, y, operator.xor, operator.ixor)


def _ilshift(x, y):
    """Return `x` after `x <<= y`."""
    return _written(x, y, mindspore.ops.bitwise_left_shift, operator.ilshift)


def _irshift(x, y):
    """Return `x` after `x >>= y`."""
    return _written(x, y, mindspore.ops.bitwise_right_shift, operator.irshift)
