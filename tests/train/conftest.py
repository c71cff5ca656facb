"""Assertions in the table of metrics say what was compared."""

import pytest

pytest.register_assert_rewrite("metric_tables")
