"""Losses: `regression`, `classification`, `pairs`, `sequence`."""
