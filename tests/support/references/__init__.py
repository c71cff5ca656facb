"""Oracles in NumPy, SciPy and torch that rows name in `ref`."""
