"""Optimizers with torch's signatures and `param_groups`, and the schedulers that change their learning rates."""
