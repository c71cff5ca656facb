"""Layers made of layers."""

from sporax._src.nn.combined import Conv2dBnAct, DenseBnAct

__all__ = ["Conv2dBnAct", "DenseBnAct"]
