"""Primitive classes that compute gradients: ``expression @ inputs``; a name without a module before it is such a class."""

GRADIENTS = """
"""
