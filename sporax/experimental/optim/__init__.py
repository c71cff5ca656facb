"""Optimizers with torch's signatures."""

__all__: list[str] = []
