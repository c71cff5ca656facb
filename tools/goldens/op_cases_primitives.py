"""Primitive classes that no row names: ``expression @ inputs``; a name without a module before it is such a class."""

PRIMITIVES = """
"""
