"""Primitive classes that write into Parameters: ``expression @ inputs``; a name without a module before it is such a class."""

STATES = """
"""
