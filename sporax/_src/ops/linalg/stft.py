"""Windows (Hann, Hamming, Blackman, Bartlett, Kaiser) and the short-time Fourier transform."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from sporax._src.base.typing import Array, OptArray, Static
from sporax._src.bindings.primitive import primitives
from sporax._src.core import dtype as mstype
from sporax._src.core.tensor import Tensor
from sporax._src.engine.table import composite, internal, op

_REF = "references.spectra."
_ERRORS = (("-1", "window_length"), ("5.0", "window_length"), ("5, 1", "periodic"), ("5, dtype=ms.int32", "dtype"))


def _angles(window_length: object, periodic: object) -> np.ndarray:
    """Return 2·π·k / n for k up to the length, n being the length, or one less for a window that is not periodic."""
    if isinstance(window_length, bool) or not isinstance(window_length, int):
        raise TypeError(f"window_length must be an integer, got {type(window_length).__name__}.")
    if window_length < 0:
        raise ValueError(f"window_length must not be negative, got {window_length}.")
    if not isinstance(periodic, bool):
        raise TypeError(f"periodic must be a bool, got {type(periodic).__name__}.")
    return 2 * np.pi * np.arange(window_length) / max(window_length if periodic else window_length - 1, 1)


def _window(values: np.ndarray, dtype: mstype.TypeLike, usual: Any) -> Array:
    if dtype is not None and dtype not in (mstype.float16, mstype.float32, mstype.float64, mstype.bfloat16):
        raise TypeError(f"dtype must be a float dtype, got {dtype}.")
    values = np.ones(1) if values.size == 1 else values
    return jnp.asarray(values).astype(mstype.to_numpy(usual if dtype is None else dtype))


@op(ref=_REF + "hann", cases=("7", "6, False", "1", "0", "5, dtype=ms.float16"), errors=_ERRORS, grad=0)
def hann_window(window_length: int, periodic: bool = True, *, dtype: Static = None) -> Array:
    """Return the window ½ - ½·cos(2·π·k / n), k = 0 to window_length - 1.

    Args:
        window_length: The number of elements.
        periodic: Whether n is the length, as transforms want it, rather than the length - 1.
        dtype: A float dtype; float64 if None.

    Raises:
        TypeError: If `window_length` is not an int, `periodic` not a bool, or the dtype not a float dtype.
        ValueError: If `window_length` is negative.

    Examples:
        >>> ops.hann_window(4).asnumpy().round(3)
        array([0. , 0.5, 1. , 0.5])
    """
    return _window(0.5 - 0.5 * np.cos(_angles(window_length, periodic)), dtype, mstype.float64)


@op(
    ref=_REF + "hamming",
    cases=("8", "7, False, 0.3, 0.7", "1", "0"),
    errors=(*_ERRORS, ("5, True, 'a'", "alpha")),
    grad=0,
)
def hamming_window(
    window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, *, dtype: Static = None
) -> Array:
    """Return the window α - β·cos(2·π·k / n), k = 0 to window_length - 1.

    Args:
        window_length: The number of elements.
        periodic: Whether n is the length, as transforms want it, rather than the length - 1.
        alpha, beta: The coefficients.
        dtype: A float dtype; float32 if None.

    Raises:
        TypeError: If `window_length` is no int, `periodic` no bool, a coefficient no float, or the dtype no float
            dtype.
        ValueError: If `window_length` is negative.

    Examples:
        >>> ops.hamming_window(4).asnumpy().round(3)
        array([0.08, 0.54, 1.  , 0.54], dtype=float32)
    """
    angles = _angles(window_length, periodic)
    for name, value in (("alpha", alpha), ("beta", beta)):
        if not isinstance(value, float):
            raise TypeError(f"{name} must be a float, got {type(value).__name__}.")
    return _window(alpha - beta * np.cos(angles), dtype, mstype.float64 if window_length < 2 else mstype.float32)


@op(
    ref=_REF + "blackman",
    cases=("7", "6, False", "1", "0"),
    errors=(*_ERRORS, ("D([7], np.int32)", "window_length")),
    grad=0,
    primitive="BlackmanWindow(periodic=True, dtype=None)",
)
def blackman_window(window_length: int, periodic: bool = True, *, dtype: Static = None) -> Array:
    """Return the window 0.42 - 0.5·cos(2·π·k / n) + 0.08·cos(4·π·k / n), k = 0 to window_length - 1.

    Args:
        window_length: The number of elements, or a Tensor of it.
        periodic: Whether n is the length, as transforms want it, rather than the length - 1.
        dtype: A float dtype; float32 if None.

    Raises:
        TypeError: If `window_length` is not an int, `periodic` not a bool, or the dtype not a float dtype.
        ValueError: If `window_length` is negative.

    Examples:
        >>> ops.blackman_window(4).asnumpy().round(2)[1:]
        array([0.34, 1.  , 0.34], dtype=float32)
    """
    a = _angles(window_length, periodic)
    return _window(0.42 - 0.5 * np.cos(a) + 0.08 * np.cos(2 * a), dtype, mstype.float32)


@op(
    ref=_REF + "bartlett",
    cases=("7", "6, False", "1", "0"),
    errors=_ERRORS,
    grad=0,
    primitive="BartlettWindow(periodic=True, dtype=None)",
)
def bartlett_window(window_length: int, periodic: bool = True, *, dtype: Static = None) -> Array:
    """Return the triangular window 1 - |2·k / n - 1|, k = 0 to window_length - 1.

    Args:
        window_length: The number of elements.
        periodic: Whether n is the length, as transforms want it, rather than the length - 1.
        dtype: A float dtype; float32 if None.

    Raises:
        TypeError: If `window_length` is not an int, `periodic` not a bool, or the dtype not a float dtype.
        ValueError: If `window_length` is negative.

    Examples:
        >>> ops.bartlett_window(4).asnumpy()
        array([0. , 0.5, 1. , 0.5], dtype=float32)
    """
    return _window(1 - np.abs(_angles(window_length, periodic) / np.pi - 1), dtype, mstype.float32)


@op(ref=_REF + "kaiser", cases=("7", "6, False, 3.0", "1", "0"), errors=_ERRORS, grad=0)
def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, *, dtype: Static = None) -> Array:
    """Return the window I₀(β·√(1 - (2·k / n - 1)²)) / I₀(β), k = 0 to window_length - 1.

    Args:
        window_length: The number of elements.
        periodic: Whether n is the length, as transforms want it, rather than the length - 1.
        beta: The shape: higher values make narrower windows.
        dtype: A float dtype; float64 if None.

    Raises:
        TypeError: If `window_length` is not an int, `periodic` not a bool, or the dtype not a float dtype.
        ValueError: If `window_length` is negative.

    Examples:
        >>> ops.kaiser_window(4).asnumpy().round(3)
        array([0.   , 0.216, 1.   , 0.216])
    """
    position = _angles(window_length, periodic) / np.pi - 1
    return _window(np.i0(beta * np.sqrt(1 - np.square(position))) / np.i0(np.asarray(beta)), dtype, mstype.float64)


# --- the short-time Fourier transform --------------------------------------------------------------------------------


def _frames(x: Array, n_fft: int, hop: int) -> Array:
    """Return the pieces (..., count, n_fft) of x that start every `hop` elements."""
    count = (x.shape[-1] - n_fft) // hop + 1
    return x[..., np.arange(count)[:, None] * hop + np.arange(n_fft)]


@internal("STFT")
def _stft(
    x: Array, window: OptArray, n_fft: int, hop: int, length: int, normalized: bool, onesided: bool, whole: bool
) -> Array:
    if not 0 < n_fft <= x.shape[-1]:
        raise ValueError(f"n_fft must be in (0, {x.shape[-1]}], got {n_fft}.")
    if not 0 < hop:
        raise ValueError(f"hop_length must be positive, got {hop}.")
    if not 0 < length <= n_fft:
        raise ValueError(f"win_length must be in (0, {n_fft}], got {length}.")
    if window is not None and window.shape != (length,):
        raise ValueError(f"window must have shape [{length}], got {list(window.shape)}.")
    frames = _frames(x, n_fft, hop)
    shape = jnp.ones(length, frames.dtype) if window is None else window
    left = (n_fft - length) // 2
    frames = frames * jnp.pad(shape, (left, n_fft - length - left)).astype(jnp.promote_types(shape.dtype, frames.dtype))
    wide = jnp.complex128 if frames.dtype in (jnp.float64, jnp.complex128) else jnp.complex64
    out = jnp.fft.fft(frames.astype(wide), norm="ortho" if normalized else "backward")
    out = jnp.swapaxes(out[..., : n_fft // 2 + 1] if onesided else out, -1, -2)
    return out if whole else jnp.stack([out.real, out.imag], -1)


@internal("stft")
def _centred(x: Array, n_fft: int, mode: str) -> Array:
    half = n_fft // 2
    if mode == "reflect" and half >= x.shape[-1]:
        raise ValueError(f"x must have more than {half} elements to be padded by reflection, got {x.shape[-1]}.")
    return jnp.pad(x, [(0, 0)] * (x.ndim - 1) + [(half, half)], mode)


_MODES = {
    "reflect": "reflect",
    "constant": "constant",
    "replicate": "edge",
    "symmetric": "symmetric",
    "circular": "wrap",
}


@composite(
    ref=_REF + "stft",
    cases=(
        "T(2, 100), 16",
        "T(100), 16, 5, 12, P(12), normalized=True, return_complex=True",
        "T(40), 16, 5, center=False, onesided=False, return_complex=True",
        "T(40), 16, pad_mode='CONSTANT'",
        "C(40), 8, 4",
    ),
    errors=(
        ("T(2, 3, 40), 8", "1 or 2 axes"),
        ("T(10), 16, center=False", "n_fft"),
        ("T(10), 32", "reflection"),
        ("T(40), 8, 0", "hop_length"),
        ("T(40), 8, 4, 9", "win_length"),
        ("T(40), 8, 4, 6, T(7)", "window must have shape"),
        ("T(40), 8, pad_mode='mirror'", "pad_mode"),
        ("C(40), 8, onesided=True", "onesided"),
        ("T(40), 8, center=1", "center"),
    ),
)
def stft(
    x: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "REFLECT",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
) -> Tensor:
    """Return the short-time Fourier transform X[w, m] = Σₖ window[k]·x[m·hop + k]·exp(-2πi·w·k / n_fft).

    Args:
        x: A signal, or several, (..., time).
        n_fft: The size of the transform.
        hop_length: The distance of frames; a quarter of n_fft if None.
        win_length: The length of the window, in the middle of each frame; n_fft if None.
        window: The window; ones if None.
        center: Whether the signal is padded by half of n_fft on both sides, so that frames stand around their times.
        pad_mode: "REFLECT", "CONSTANT", "REPLICATE", "SYMMETRIC" or "CIRCULAR".
        normalized: Whether to divide by √n_fft.
        onesided: Whether only the n_fft / 2 + 1 first frequencies are returned; by default, for real signals.
        return_complex: Whether the result is complex; by default, for complex signals; otherwise it has an axis (real, imaginary).

    Returns:
        A Tensor (..., frequencies, frames) or (..., frequencies, frames, 2).

    Raises:
        TypeError: If `x` has another number of axes, or a flag is not a bool.
        ValueError: If a size does not fit, `pad_mode` is unknown, or `onesided` is set for complex values.

    Examples:
        >>> ops.stft(ops.ones((16,)), 4).shape
        (3, 17, 2)
    """
    if x.ndim not in (1, 2):
        raise TypeError(f"ops.stft: x must have 1 or 2 axes, got shape {list(x.shape)}.")
    for name, flag in (("center", center), ("normalized", normalized)):
        if not isinstance(flag, bool):
            raise TypeError(f"ops.stft: {name} must be a bool, got {type(flag).__name__}.")
    if not isinstance(pad_mode, str) or pad_mode.lower() not in _MODES:
        raise ValueError(f"ops.stft: pad_mode must be one of {', '.join(_MODES)}, got {pad_mode!r}.")
    whole = x.is_complex() or (window is not None and window.is_complex())
    if whole and onesided:
        raise ValueError("ops.stft: onesided must not be True for a complex signal or window.")
    x = _centred(x, n_fft, _MODES[pad_mode.lower()]) if center else x
    hop = n_fft // 4 if hop_length is None else hop_length
    length = n_fft if win_length is None else win_length
    onesided = not whole if onesided is None else onesided
    return _stft(
        x, window, n_fft, hop, length, normalized, onesided, whole if return_complex is None else return_complex
    )


primitives(
    """\
HammingWindow(periodic=True, alpha=0.54, beta=0.46, dtype=None)(length: Tensor) -> \
hamming_window(int(length.item()), periodic, alpha, beta, dtype=dtype or float32)
    Return the window α - β·cos(2·π·k / n), k = 0 to length - 1.
    length: A Tensor of one integer.
    dtype: A float dtype; float32 if None.
    TypeError: If `periodic` is not a bool, a coefficient not a float, or the dtype not a float dtype.
    ValueError: If `length` is negative.
    >>> ops.HammingWindow()(Tensor([4])).asnumpy().round(3)
    array([0.08, 0.54, 1.  , 0.54], dtype=float32)
STFT(n_fft, hop_length, win_length, normalized, onesided, return_complex)(x, window) -> \
_stft(x, window, n_fft, hop_length, win_length, normalized, onesided, return_complex)
    Return the short-time Fourier transform of signals that are not padded.
    x: A signal, or several, (..., time).
    window: The window (win_length,).
    n_fft: The size of the transform.
    hop_length: The distance of frames.
    win_length: The length of the window.
    normalized: Whether to divide by √n_fft.
    onesided: Whether only the n_fft / 2 + 1 first frequencies are returned.
    return_complex: Whether the result is complex; otherwise it has an axis (real, imaginary).
    ValueError: If a size does not fit.
    >>> ops.STFT(4, 2, 4, False, True, True)(ops.ones((16,)), ops.ones((4,))).shape
    (3, 7)
""",
    globals() | {"float32": mstype.float32},
)
