"""Conversion of weights between PyTorch and MindSpore, in both directions.

Reading order: `convert`, `entries`, `match`, `carry`; the tables `layers` and `optimizer_rows` with `rules`, `heads`,
`norms_of_weights`; `names`, `nets`, `optimizer_state`, `transfer`, `verify`, `report`; the files: `files`, `torch_files`.
"""
