"""Settings under one name: those that mean the same, and those that differ."""

import numpy as np
import pytest

from sporax._src.migrate.compare import settings

LAYER = {"library": True, "source": []}
SAME = [
    ("Conv2d", {"padding": [1, 1], "kernel_size": [3, 3]}, {"padding": 1, "pad_mode": "pad", "kernel_size": [3, 3]}),
    ("Conv2d", {"padding": [1, 2]}, {"padding": [1, 1, 2, 2], "pad_mode": "pad"}),
    (
        "Conv2d",
        {"padding": 1, "kernel_size": 3, "stride": 1},
        {"padding": 0, "pad_mode": "same", "kernel_size": 3, "stride": 1},
    ),
    ("Conv2d", {"padding": "valid", "groups": 2}, {"padding": 0, "pad_mode": "valid", "group": 2}),
    ("Conv1d", {"padding": [1], "stride": [2]}, {"padding": [0, 0, 1, 1], "pad_mode": "pad", "stride": [1, 2]}),
    ("MaxPool2d", {"kernel_size": 2, "stride": None}, {"kernel_size": 2, "stride": 2}),
    ("GELU", {"approximate": "tanh"}, {"approximate": True}),
    ("Dropout", {"p": 0.25}, {"p": None, "keep_prob": 0.75}),
    ("MSELoss", {"reduction": "sum"}, {"average": False, "reduce": True}),
    ("Adam", {"betas": [0.9, 0.999]}, {"beta1": 0.9, "beta2": 0.999}),
    ("SGD", {"lr": 0.1}, {"learning_rate": float(np.float32(0.1))}),
]


@pytest.mark.parametrize(("kind", "ours", "theirs"), SAME)
def test_settings_that_mean_the_same(kind: str, ours: dict, theirs: dict) -> None:
    both = ({**LAYER, "kind": kind, "settings": given} for given in (ours, theirs))
    assert settings.differences(*both) == []


def test_settings_of_the_programs_own_classes() -> None:
    both = [{"kind": "Mine", "library": False, "settings": {"heads": n, "scale": 0.5}} for n in (2, 4)]
    assert settings.sentence(settings.differences(*both)) == "heads is 2 in the reference and 4 here"
