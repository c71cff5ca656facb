"""Windows of signals."""

import math

import sporax as mindspore
from sporax import mint, ops


def _window_positions(M, sym, dtype):
    """Return the positions of a window's points, from 0 to 1 or, if it is periodic, just below 1."""
    size = max(M - 1 if sym else M, 1)
    return mint.arange(M).to(mindspore.float32 if dtype is None else dtype) / size


def _window_cosines(M, a, sym=True, dtype=None):
    """Return the alternating sum of cosines with the weights `a`."""
    at = _window_positions(M, sym, dtype) * (2 * math.pi)
    if M == 1:
        return mint.ones_like(at)
    terms = [weight * (-1) ** i * mint.cos(at * i) for i, weight in enumerate(a)]
    return sum(terms[1:], terms[0])


def _window_general_hamming(M, alpha=0.54, sym=True, dtype=None):
    """Return a raised cosine."""
    return _window_cosines(M, [alpha, 1 - alpha], sym, dtype)


def _window_bartlett(M, sym=True, dtype=None):
    """Return a triangle."""
    if M == 1:
        return mint.ones((1,), dtype=dtype)
    return 1 - mint.abs(2 * _window_positions(M, sym, dtype) - 1)


def _window_cosine(M, sym=True, dtype=None):
    """Return half a wave of the sine."""
    points = mint.arange(M).to(mindspore.float32 if dtype is None else dtype) + 0.5
    return mint.sin(points * (math.pi / (M if sym or M == 1 else M + 1)))


def _window_centered(M, sym, dtype):
    """Return the distances of a window's points from its middle."""
    return mint.arange(M).to(mindspore.float32 if dtype is None else dtype) - (M - 1 if sym or M == 1 else M) / 2


def _window_exponential(M, center=None, tau=1.0, sym=True, dtype=None):
    """Return an exponential decay to both sides of the center."""
    shift = 0 if center is None else (M - 1 if sym or M == 1 else M) / 2 - center
    return mint.exp(mint.abs(_window_centered(M, sym, dtype) + shift) / -tau)


def _window_gaussian(M, std=1.0, sym=True, dtype=None):
    """Return a bell curve."""
    return mint.exp(mint.square(_window_centered(M, sym, dtype) / std) * -0.5)


def _window_kaiser(M, beta=12.0, sym=True, dtype=None):
    """Return Kaiser's window."""
    if M == 1:
        return mint.ones((1,), dtype=dtype)
    at = 2 * _window_positions(M, sym, dtype) - 1
    return ops.i0(beta * mint.sqrt(mint.clamp(1 - mint.square(at), min=0))) / ops.i0(mint.full_like(at[:1], beta))


def _kaiser_window(window_length, periodic=True, beta=12.0, dtype=None):
    """Return Kaiser's window, of float32 where no dtype is given."""
    return ops.kaiser_window(window_length, periodic, beta, dtype=mindspore.float32 if dtype is None else dtype)
