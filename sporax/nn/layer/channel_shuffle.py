"""ChannelShuffle."""

from sporax._src.nn.image import ChannelShuffle

__all__ = ["ChannelShuffle"]
