"""Level 1: types, Tensors, Parameters, and the two ways a program runs (scope and tape)."""
