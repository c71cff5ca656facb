"""Functions and methods of Tensors."""
