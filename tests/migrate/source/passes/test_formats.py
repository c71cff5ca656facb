"""What a program formats as numbers, and the text inside an f-string."""

import ast

import pytest
from converted_text import body

from sporax._src.migrate.source.convert import convert


def test_the_inside_of_an_f_string_is_converted():
    assert body('print(f"{torch.cat([x], axis=0)!r:>{w}}")\n') == 'print(f"{mint.cat([x], dim=0)!r:>{w}}")\n'


@pytest.mark.parametrize(
    ("text", "converted"),
    [
        ('f"{x:.4f} {x} {x!r:>9} {x.item():.1f} {n:d}"', 'f"{_number(x):.4f} {x} {x!r:>9} {x.item():.1f} {n:d}"'),
        ('"{} {:.2f} {y:.1%}".format(a, x, y=y)', '"{} {:.2f} {y:.1%}".format(a, _number(x), y=_number(y))'),
        ('"{1:.2f} {0:.2e}".format(a, *b)', '"{1:.2f} {0:.2e}".format(_number(a), *b)'),
    ],
)
def test_tensors_are_formatted_as_numbers(text, converted):
    assert body(f"s = {text}\n") == f"s = {converted}\n"


def test_quotes_inside_a_text():
    """A text ends at its own quotes before Python 3.12."""
    for text in ("f'{m.weight}'", 'f"{m.weight}"'):
        ast.parse(convert(f"import torch\ntorch.nn.Tanh()\nprint({text})\n", target="classic").text)


@pytest.mark.parametrize(
    ("text", "converted"),
    [
        ("str(x.dtype)", "_text(x.dtype)"),
        ("repr(torch.int8)", "_text(mindspore.int8)"),
        ("str(config['dtype'])", "_text(config['dtype'])"),
        ("str(dtype)", "_text(dtype)"),
        ("str(x)", "str(x)"),
        ("repr(dtype)", "repr(dtype)"),
        ("str(config['name'])", "str(config['name'])"),
    ],
)
def test_dtypes_as_text(text, converted):
    assert body(f"s = {text}\n") == f"s = {converted}\n"
