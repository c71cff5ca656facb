"""Saving and loading Parameters.

Reading order: `serialization` (matches names, reports the rest), `formats` (bytes to arrays and back), `convert`,
`background`, `sharded` (runs on several devices), `orbax_folder`; `export` (a graph with its Parameters),
`onnx` and `open_sizes`.
"""
