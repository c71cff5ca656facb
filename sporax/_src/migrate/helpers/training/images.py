"""Images laid side by side and written to files, as `torchvision.utils` does."""

import math

import numpy as np
import PIL.Image

import sporax as mindspore


def _make_grid(tensor, nrow=8, padding=2, normalize=False, value_range=None, scale_each=False, pad_value=0.0):
    """Return images of one size as one, `nrow` of them in each row."""
    if not isinstance(tensor, (mindspore.Tensor, list)):
        raise TypeError(f"tensor or list of tensors expected, got {type(tensor)}")
    images = np.stack([t.asnumpy() for t in tensor]) if isinstance(tensor, list) else tensor.asnumpy()
    images = images.reshape((1,) * (4 - images.ndim) + images.shape)
    images = np.repeat(images, 3, 1) if images.shape[1] == 1 else images
    if normalize:
        axes = (1, 2, 3) if scale_each else None
        low, high = value_range or (images.min(axes, keepdims=True), images.max(axes, keepdims=True))
        images = (images.clip(low, high) - low) / np.maximum(high - low, 1e-5)
        images = images.astype(np.float32)
    if len(images) == 1:
        return mindspore.Tensor(images[0])
    columns = min(nrow, len(images))
    rows = math.ceil(len(images) / columns)
    channels, height, width = images.shape[1], images.shape[2] + padding, images.shape[3] + padding
    grid = np.full((channels, height * rows + padding, width * columns + padding), pad_value, images.dtype)
    for i, image in enumerate(images):
        top, left = i // columns * height + padding, i % columns * width + padding
        grid[:, top : top + image.shape[1], left : left + image.shape[2]] = image
    return mindspore.Tensor(grid)


def _save_image(tensor, fp, format=None, **options):
    """Write images, whose values are from 0 to 1, to a file, as `_make_grid` lays them out."""
    grid = _make_grid(tensor, **options).asnumpy()
    values = (grid.astype(np.float32) * 255 + np.float32(0.5)).clip(0, 255).astype(np.uint8)
    PIL.Image.fromarray(values.transpose(1, 2, 0)).save(fp, format=format)


class _Compose:
    """Several transforms, applied one after the other."""

    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, img):
        for transform in self.transforms:
            img = transform(img)
        return img

    def __repr__(self):
        return "\n".join(["Compose(", *(f"    {transform}" for transform in self.transforms), ")"])


class _PILToTensor:
    """Converts an image to a Tensor with the channels first."""

    def __call__(self, pic):
        return mindspore.Tensor(self._values(pic))

    def _values(self, pic):
        values = np.array(pic)
        return np.ascontiguousarray(np.atleast_3d(values).transpose(2, 0, 1))

    def __repr__(self):
        return f"{type(self).__name__.removeprefix('_')}()"


class _ToTensor(_PILToTensor):
    """Converts an image to a Tensor with the channels first; bytes become numbers from 0 to 1."""

    def __call__(self, pic):
        values = self._values(pic)
        if values.dtype == np.uint8:
            return mindspore.Tensor(values.astype(np.float32) / 255)
        return mindspore.Tensor(values.astype(np.float32) if values.dtype == np.bool_ else values)


class _Normalize:
    """Subtracts a mean from each channel of an image, and divides the channel by a deviation."""

    def __init__(self, mean, std, inplace=False):
        self.mean, self.std, self.inplace = mean, std, inplace

    def __call__(self, tensor):
        mean, std = (np.asarray(values, np.float32).reshape(-1, 1, 1) for values in (self.mean, self.std))
        values = mindspore.Tensor((tensor.asnumpy() - mean) / std)
        return tensor.copy_(values) if self.inplace else values

    def __repr__(self):
        return f"Normalize(mean={self.mean}, std={self.std})"


class _OfArrays:
    """Applies a transform of arrays, with the channels first, to Tensors."""

    def __init__(self, transform):
        self.transform = transform

    def __call__(self, img):
        return mindspore.Tensor(self.transform(img.asnumpy()))
