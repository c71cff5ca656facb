"""Networks as ONNX files, for other programs."""

from sporax._src.checkpoint.onnx import export_onnx as export

__all__ = ["export"]
