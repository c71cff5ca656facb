"""References for windows and the short-time Fourier transform."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.signal import get_window


def _window(name, length, periodic=True):
    return get_window(name, length, fftbins=periodic) if length else np.zeros(0)


def hann(length, periodic=True, dtype=None):
    return _window("hann", length, periodic)


def hamming(length, periodic=True, alpha=0.54, beta=0.46):
    n = length if periodic else length - 1
    return np.array([alpha - beta * np.cos(2 * np.pi * k / n) if length > 1 else 1 for k in range(length)])


def blackman(length, periodic=True):
    return _window("blackman", int(length), periodic)


def bartlett(length, periodic=True):
    return _window("bartlett", int(length), periodic)


def kaiser(length, periodic=True, beta=12.0):
    return _window(("kaiser", beta), length, periodic)


def stft(x, n, hop=None, win=None, window=None, center=True, pad_mode: Any = "REFLECT", normalized=False, **named):
    hop, win = hop or n // 4, win or n
    window = np.ones(win) if window is None else window
    lead = (n - win) // 2
    full = np.concatenate([np.zeros(lead), window, np.zeros(n - win - lead)])
    if center:
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(n // 2, n // 2)], mode=pad_mode.lower())
    real = not np.iscomplexobj(x)
    rows = n // 2 + 1 if named.get("onesided", real) else n
    matrix = np.exp(-2j * np.pi * np.outer(np.arange(rows), np.arange(n)) / n)
    frames = [x[..., s : s + n] * full for s in range(0, x.shape[-1] - n + 1, hop)]
    out = np.stack([f @ matrix.T for f in frames], -1) / (np.sqrt(n) if normalized else 1)
    return out if named.get("return_complex", not real) else np.stack([out.real, out.imag], -1)
