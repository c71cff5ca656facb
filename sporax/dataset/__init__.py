"""mindspore.dataset: sources, transformations, samplers and settings of the data pipeline."""

from typing import TYPE_CHECKING

from sporax._src.api import dataset as _dataset
from sporax._src.api.dataset import *  # noqa: F403
from sporax._src.train.callbacks.waited import WaitedDSCallback

if TYPE_CHECKING:  # imported when a program first asks for them
    from sporax.dataset import audio, config, text, transforms, utils, vision

__all__ = ["WaitedDSCallback", "audio", "config", "text", "transforms", "utils", "vision"]
__all__ += _dataset.__all__
