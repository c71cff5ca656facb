"""Pooling: `pooling`, `adaptive`, `fractional`."""
