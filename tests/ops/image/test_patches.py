"""Parts of images and volumes: glimpses, patches, resampling to a scale and place, random boxes, dilation."""

import numpy as np
from laws.rows import laws_of

from sporax import Tensor, ops

test_row = laws_of("sporax._src.ops.image.patches")


def test_noise_lies_outside_of_the_image(run):
    x, offsets = Tensor(np.full((1, 4, 4, 1), 9.0, np.float32)), Tensor([[-1.0, -1.0]])
    for noise in ("uniform", "gaussian"):
        out = run(lambda a, b, n=noise: ops.ExtractGlimpse(noise=n)(a, (40, 40), b), x, offsets).asnumpy()[0, :, :, 0]
        assert (out[20:24, 20:24] == 9).all()
        drawn = out[out != 9]
        assert drawn.size == 40 * 40 - 16
        low, high, mean = (0, 1, 0.5) if noise == "uniform" else (-6, 6, 0)
        assert drawn.min() >= low and drawn.max() <= high and abs(drawn.mean() - mean) < 0.1
