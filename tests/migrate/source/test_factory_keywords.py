"""Dicts of keyword arguments for torch's factories lose what says where a Tensor is."""

import pytest
from converted_text import body


@pytest.mark.parametrize(
    ("made", "converted"),
    [
        ("{'device': d, 'dtype': t}", "{'dtype': t}"),
        ("{'dtype': t, 'device': d, 'layout': l}", "{'dtype': t}"),
        ("{'layout': l, 'device': d.device, 'dtype': t, 'pin_memory': p,}", "{'dtype': t,}"),
        ("dict(device=d, dtype=t)", "dict(dtype=t)"),
        ("dict(dtype=t, device=d)", "dict(dtype=t)"),
        ("{'device': d, 'dtype': t, 'size': s}", "{'device': d, 'dtype': t, 'size': s}"),
        ("{'device': d}", "{'device': d}"),
        ("dict(o, device=d, dtype=t)", "dict(o, device=d, dtype=t)"),
    ],
)
def test_keyword_arguments_of_factories_lose_what_says_where_a_tensor_is(made, converted):
    assert body(f"k = {made}\n") == f"k = {converted}\n"


def test_a_dict_whose_device_is_read_keeps_it():
    text = "k = {'device': d, 'dtype': t}\nprint(k['device'])\n"
    assert body(text) == text
