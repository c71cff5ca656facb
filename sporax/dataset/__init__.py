"""mindspore.dataset: sources, transformations, samplers and settings of the data pipeline."""

from sporax._src.api import dataset as _dataset
from sporax._src.api.dataset import *  # noqa: F403
from sporax._src.train.callbacks.waited import WaitedDSCallback
from sporax.dataset import audio, config, text, transforms, utils, vision

__all__ = ["WaitedDSCallback", "audio", "config", "text", "transforms", "utils", "vision"]
__all__ += _dataset.__all__
