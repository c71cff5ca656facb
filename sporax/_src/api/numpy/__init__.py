"""`numpy`: NumPy's names over Tensors; `asarray` registers, `namespace` collects, one file a topic between them."""
