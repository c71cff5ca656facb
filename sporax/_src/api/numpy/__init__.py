"""`numpy`: NumPy's names over Tensors.

Reading order: `asarray` (how functions are registered), `creation`, `arrays`, `elementwise`, `reduction`, `products`, `sets`,
`namespace` (all together).
"""
