"""What users see of the operators and of datasets.

Reading order: `tensor` (methods of Tensor), `primitives` (classes), `ops` (both together, and the namespace), `transforms` and
`collectives` (what `ops` has besides), `mint`, `numpy`, `custom`, `contiguous`; `scipy_linalg`, `scipy_optimize` with
`line_search`; `dispatch_mode`; and `dataset`, the pipeline over Tensors, whose rows `dataset_messages` sends.
"""
