"""Types, Tensors, Parameters, and the two ways a program runs.

Reading order: `dtype`, `execution` (what runs now), `scope` (a trace), `tape` (PyNative gradients), `views`, `tensor`,
`parameter`, `generator` (random state), `stateful` (what transforms know of Cells), `tree`.
"""
