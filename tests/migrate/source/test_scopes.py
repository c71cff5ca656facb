"""What names, annotations and methods tell of a value."""

from converted_text import body


def test_a_name_of_the_program_that_shadows_torch_is_not_torchs():
    assert body("def f(torch):\n    return torch.cat([1])\n") == "def f(torch):\n    return torch.cat([1])\n"


def test_methods_that_patterns_of_re_have_too_are_left_to_what_is_unknown():
    assert body("a = pattern.sub('b', text)\n") == "a = pattern.sub('b', text)\n"
    assert body("a = torch.t(a).sub(1, alpha=2)\n") == "a = mint.t(a).sub(1, alpha=2)\n"


def test_a_typed_tensor_is_a_tensor():
    assert "n = x.shape" in body("def f(x: torch.FloatTensor):\n    n = x.size()\n")
