"""Short-time Fourier transforms of signals, and their inverses."""

from sporax import mint, ops


def _padded_window(window, n_fft, win_length, like):
    """Return a window with zeros on both sides, as long as a frame."""
    length = n_fft if win_length is None else win_length
    window = mint.ones((length,), dtype=like.dtype) if window is None else window
    left = (n_fft - length) // 2
    return mint.nn.functional.pad(window, (left, n_fft - length - left))


def _stft(
    x,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    pad_mode="reflect",
    normalized=False,
    onesided=None,
    return_complex=None,
):
    """Return the spectra of overlapping frames of signals."""
    signal = mint.unsqueeze(x, 0) if x.ndim == 1 else x
    if center:
        ends = (n_fft // 2, n_fft // 2)
        signal = mint.squeeze(mint.nn.functional.pad(mint.unsqueeze(signal, 1), ends, mode=pad_mode), 1)
    starts = mint.arange(0, signal.shape[-1] - n_fft + 1, hop_length or n_fft // 4)
    index = mint.unsqueeze(starts, 1) + mint.arange(n_fft)
    pieces = mint.reshape(mint.index_select(signal, -1, mint.flatten(index)), (signal.shape[0], *index.shape))
    pieces = pieces * _padded_window(window, n_fft, win_length, pieces)
    whole = ops.is_complex(pieces) if onesided is None else not onesided
    spectra = (ops.fft if whole else ops.rfft)(pieces, n_fft, -1, "ortho" if normalized else "backward")
    spectra = mint.transpose(spectra, -2, -1)
    spectra = mint.squeeze(spectra, 0) if x.ndim == 1 else spectra
    return spectra if return_complex or return_complex is None else ops.view_as_real(spectra)


def _added_overlapping(pieces, hop):
    """Return the sum of frames that each begin `hop` after the one before."""
    batch, count, size = pieces.shape
    index = mint.flatten(mint.unsqueeze(mint.arange(count) * hop, 1) + mint.arange(size))
    zeros = mint.zeros((batch, (count - 1) * hop + size), dtype=pieces.dtype)
    return mint.index_add(zeros, 1, index, mint.reshape(pieces, (batch, -1)))


def _istft(
    x,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    normalized=False,
    onesided=None,
    length=None,
):
    """Return the signals from the spectra that `_stft` made of them."""
    hop = hop_length or n_fft // 4
    spectra = mint.transpose(mint.unsqueeze(x, 0) if x.ndim == 2 else x, -2, -1)
    norm = "ortho" if normalized else "backward"
    if onesided is False:
        pieces = ops.real(ops.ifft(spectra, n_fft, -1, norm))
    else:
        pieces = ops.irfft(spectra, n_fft, -1, norm)
    window = _padded_window(window, n_fft, win_length, pieces)
    weight = _added_overlapping(mint.broadcast_to(mint.square(window), (1, *pieces.shape[1:])), hop)
    signal = _added_overlapping(pieces * window, hop) / mint.where(weight == 0, mint.ones_like(weight), weight)
    start = n_fft // 2 if center else 0
    end = signal.shape[1] - start if length is None else min(start + length, signal.shape[1])
    signal = signal[:, start:end]
    if length is not None:
        signal = mint.nn.functional.pad(signal, (0, length - signal.shape[1]))
    return mint.squeeze(signal, 0) if x.ndim == 2 else signal
