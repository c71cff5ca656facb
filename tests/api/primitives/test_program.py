"""Operators about the program: functions as operators, copies between devices, casts of nested values."""

from laws.rows import laws_of

test_row = laws_of("sporax._src.api.primitives.program")
