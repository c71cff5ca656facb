"""Assertions in the tables of layers and distributions say what was compared."""

import pytest

pytest.register_assert_rewrite("layer_tables", "probability_tables")
