"""Assertions in the tables of optimizers say what was compared."""

import pytest

pytest.register_assert_rewrite("optimizer_tables", "optimizer_laws")
