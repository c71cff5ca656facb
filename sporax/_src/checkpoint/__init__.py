"""Saving and loading Parameters.

Reading order: `serialization` (names matched, rest reported), `formats` (bytes to arrays and back), `convert`, `background`,
`sharded` (runs on several devices), `orbax_folder`; `export` (a graph with its Parameters) and `open_sizes`.
"""
