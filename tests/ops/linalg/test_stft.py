"""Windows (Hann, Hamming, Blackman, Bartlett, Kaiser) and the short-time Fourier transform."""

import numpy as np
from laws.rows import laws_of

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.linalg.stft")


def test_windows_of_lengths_in_tensors():
    for view, name in ((ops.BlackmanWindow, "blackman_window"), (ops.BartlettWindow, "bartlett_window")):
        want = getattr(ops, name)(6, periodic=False)
        np.testing.assert_array_equal(view(periodic=False)(Tensor(6, ms.int32)).asnumpy(), want.asnumpy())
    np.testing.assert_array_equal(ops.HammingWindow()(Tensor([6])).asnumpy(), ops.hamming_window(6).asnumpy())
