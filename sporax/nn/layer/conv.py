"""Convolutions."""

from sporax._src.nn.convolution import Conv1d, Conv2d, Conv3d
from sporax._src.nn.convolution_transpose import Conv1dTranspose, Conv2dTranspose, Conv3dTranspose

__all__ = ["Conv1d", "Conv1dTranspose", "Conv2d", "Conv2dTranspose", "Conv3d", "Conv3dTranspose"]
