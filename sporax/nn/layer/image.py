"""Layers of images."""

from sporax._src.nn.image import MSSSIM, PSNR, SSIM, CentralCrop, ImageGradients, PixelShuffle, PixelUnshuffle

__all__ = ["CentralCrop", "ImageGradients", "MSSSIM", "PSNR", "PixelShuffle", "PixelUnshuffle", "SSIM"]
