"""The operators with which mindnlp (`mindtorch/_prims/ascend`) asks an Ascend device for overflows."""

from __future__ import annotations

from sporax._src.compat.no_kernel import without_kernel

NPUClearFloatStatusV2 = without_kernel("NPUClearFloatStatusV2", "")
NPUGetFloatStatusV2 = without_kernel("NPUGetFloatStatusV2", "")
