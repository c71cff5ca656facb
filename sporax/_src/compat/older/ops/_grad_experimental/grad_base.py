"""The register of gradients of operators."""

from sporax._src.compat.legacy.gradients import bprop_getters

__all__ = ["bprop_getters"]
