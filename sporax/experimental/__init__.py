"""What MindSpore keeps under `experimental`."""

from sporax.experimental import optim

__all__ = ["optim"]
