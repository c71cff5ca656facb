"""What a program asks of torch itself is answered by what the map has."""

import pytest
from converted_text import body


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("hasattr(torch, 'cat')", "True"),
        ("hasattr(torch.nn.functional, 'no_such')", "False"),
        ("hasattr(torch, 'linalg')", "True"),
        ("getattr(torch, 'cat')", "mint.cat"),
        ("getattr(torch, 'no_such', nn.Linear)", "mint.nn.Linear"),
        ("getattr(getattr(torch, 'special', None), 'erf')", "mint.erf"),
        ("hasattr(x, 'cat')", "hasattr(x, 'cat')"),
        ("'silu' in dir(torch.nn.functional)", "True"),
        ("'no_such' in dir(torch.nn.functional)", "False"),
        ("'silu' in dir(x)", "'silu' in dir(x)"),
    ],
)
def test_what_is_asked_of_torch_is_answered(asked, answer):
    assert body(f"y = {asked}\n") == f"y = {answer}\n"


@pytest.mark.parametrize(
    ("asked", "helper"),
    [
        ("getattr(torch.nn, kind)()", "_layer_named(kind)()"),
        ("getattr(torch.nn.functional, 'r' + 'elu')", "_function_named('r' + 'elu')"),
        ("getattr(torch.optim, kind)", "_optimizer_named(kind)"),
    ],
)
def test_a_computed_name_is_found_when_the_program_runs(asked, helper):
    assert body(f"y = {asked}\n") == f"y = {helper}\n"
