"""Operators of a program's own: `custom` runs them, `hybrid` writes them in Python, `registration` states them MindSpore's way."""
