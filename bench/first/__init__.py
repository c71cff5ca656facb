"""Whole short programs, from the start of Python to the result."""
