"""Programs with complex numbers: absolute values are real, and random numbers may be complex."""

import ast

import pytest
from converted_programs import assert_same_answers
from converted_text import body

from sporax._src.migrate.source.program import Program, has_complex

_VALUES = "import torch\nc = torch.fft.fft(torch.arange(4.0))\nx = torch.tensor([-1.0, 2.0])\n"


@pytest.mark.parametrize("absolute", ["abs({})", "torch.abs({})", "{}.abs()", "torch.absolute({})", "{}.absolute()"])
def test_absolute_values_of_complex_numbers_are_real(absolute):
    of_complex, of_real = absolute.format("c"), absolute.format("x")
    text = f"{_VALUES}a, b = {of_complex}, {of_real}\nanswers = [str(a.dtype), a.tolist(), b.tolist(), abs(-2)]\n"
    assert_same_answers(text.replace("str(a.dtype)", "a.dtype.is_complex"), atol=1e-5)


def test_a_function_that_is_given_complex_numbers_returns_real_ones():
    text = f"{_VALUES}def amplitude(v):\n    return abs(v).mean(0)\nanswers = [amplitude(c).tolist(), amplitude(x).tolist()]\n"
    assert_same_answers(text, atol=1e-5)


def test_programs_without_complex_numbers_keep_their_absolute_values():
    text = "def f(x):\n    return abs(x) + x.abs()\n"
    assert body(text) == text
    assert "_abs(x) + _abs(x)" in body(text, program=Program(has_complex=True))
    assert not has_complex(ast.parse("import torch\ntorch.abs(x)"))
    assert has_complex(ast.parse("from torch.fft import rfft"))


def test_a_function_of_the_program_that_is_called_abs_stays():
    text = f"{_VALUES}def abs(v):\n    return 3\nanswers = [abs(c)]\n"
    assert_same_answers(text)


@pytest.mark.parametrize("name", ["rand", "randn"])
def test_random_numbers_may_be_complex(name):
    draw = f"torch.{name}(2, 3, dtype=torch.complex64)"
    text = f"import torch\ny = {draw}\nz = torch.{name}(2)\nanswers = [y.is_complex(), list(y.shape), list(z.shape)]\n"
    assert_same_answers(text)


def test_complex_normal_numbers_have_variance_1():
    text = "import torch\ny = torch.randn(40000, dtype=torch.complex64)\nanswers = [round(float((y.abs() ** 2).mean()), 1)]\n"
    assert_same_answers(text)
