"""Statements in one spelling, and the first that differs."""

import re

import pytest

from sporax._src.migrate.compare import source

SPELLINGS = [
    ("x = torch.cat([a, b], dim=1)", "x = ops.concat((a, b), axis=1)"),
    ("x = x.softmax(-1)", "x = ops.softmax(x, axis=-1)"),
    ("y = x.view(2, -1).transpose(1, 2)", "y = ops.reshape(x, (2, -1)).swapaxes(1, 2)"),
    ("y = x.permute(0, 2, 1)", "y = x.transpose((0, 2, 1))"),
    ("y = torch.bmm(a, b) + c", "y = a @ b + c"),
    ("n = x.size(0)", "n = x.shape[0]"),
    ("y = F.relu(x).mean(dim=1, keepdim=True)", "y = mint.nn.functional.relu(x).mean(axis=1, keep_dims=True)"),
    ("if x.size(0) > 1:", "if x.shape[0] > 1:"),
]


@pytest.mark.parametrize(("ours", "theirs"), SPELLINGS)
def test_one_spelling(ours: str, theirs: str) -> None:
    assert source.one_spelling(ours) == source.one_spelling(theirs)
    assert source.difference([ours], [theirs]) == ""


def test_the_first_statement_that_differs() -> None:
    ours = ["a = f(x)", "b = torch.sum(a, dim=1)", "return b"]
    found = source.difference(ours, ["a = f(x)", "b = ops.sum(a, 2)", "return b"])
    assert re.fullmatch(
        r"the code differs first at `b = torch.*`, which is `.*` here: sum has axis=1 there and axis=2 here", found
    )
    assert source.difference(ours, ours[:1] + ours[2:]) == "`b = torch.sum(a, dim=1)` of the reference is missing here"
    assert source.difference(ours[1:], ours) == "`a = f(x)` is not in the reference"
    assert source.difference([], ours) == source.difference(ours, []) == ""
