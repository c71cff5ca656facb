"""Operators of a program's own.

Reading order: `custom` (runs them), `hybrid` (writes them in Python), `registration` and `described` (MindSpore's way to state
them).
"""
