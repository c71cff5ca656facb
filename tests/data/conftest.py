"""Every test starts with the same settings, seeded with 1, and leaves them as they were."""

import pytest

from sporax._src.data import config

pytest.register_assert_rewrite("dataset_laws")


@pytest.fixture(autouse=True)
def seeded():
    saved = dict(config._values)
    config.set_seed(1)
    yield
    config._values.clear()
    config._values.update(saved)
