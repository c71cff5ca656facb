"""What users see of the operators, as views of the rows, and of datasets.

Reading order: `tensor` (methods of Tensor), `primitives` (classes), `ops` (both together, and the namespace), `transforms` and
`collectives` (what `ops` has besides), `mint`, `numpy`, `custom`, SciPy's names; and `dataset`, the pipeline over Tensors.
"""
