"""What names, annotations and methods tell of a value."""

import ast

import pytest
from converted_text import body

from sporax._src.migrate.source.scopes import (
    Binding,
    Class,
    Scopes,
    element_of,
    is_method_of_values,
    may_be_of_tensors,
    own_methods,
    owner_of,
    trains,
)


def test_a_name_of_the_program_that_shadows_torch_is_not_torchs():
    assert body("def f(torch):\n    return torch.cat([1])\n") == "def f(torch):\n    return torch.cat([1])\n"


def test_methods_that_patterns_of_re_have_too_are_left_to_what_is_unknown():
    assert body("a = pattern.sub('b', text)\n") == "a = pattern.sub('b', text)\n"
    assert body("a = torch.t(a).sub(1, alpha=2)\n") == "a = mint.t(a).sub(1, alpha=2)\n"


def test_a_typed_tensor_is_a_tensor():
    assert "n = x.shape" in body("def f(x: torch.FloatTensor):\n    n = x.size()\n")


def scopes_of(text: str) -> Scopes:
    """Return scopes in which names are bound to what they are imported as."""
    scopes = Scopes()
    for name, path in (pair.split("=") for pair in text.split()):
        scopes.bind(name, Binding(path))
    return scopes


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def test_the_innermost_scope_is_asked_first() -> None:
    scopes = scopes_of("x=torch y=torch.nn")
    with scopes.nested():
        scopes.bind("x", Binding(kind="int"))
        assert (scopes.find("x").kind, scopes.find("y").path) == ("int", "torch.nn")
    assert scopes.find("x") == Binding("torch")
    assert scopes.find("z") == Binding()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("T.nn.functional", "torch.nn.functional"),
        ("getattr(T, 'cat')", "torch.cat"),
        ("hasattr(T, 'cat')", ""),
        ("T.float32.is_complex", ""),
        ("other.cat", ""),
        ("T[0]", ""),
    ],
)
def test_a_dotted_name_is_what_it_was_imported_as(text: str, path: str) -> None:
    assert scopes_of("T=torch").path(expression(text)) == path


@pytest.mark.parametrize(
    ("kind", "bases"),
    [
        ("torch.nn.Linear", ["torch.nn.Linear", "torch.nn.Module"]),
        ("torch.nn.Parameter", ["torch.nn.Parameter", "torch.Tensor"]),
        ("torch.nn.init.zeros_", ["torch.nn.init.zeros_"]),
        ("torch.optim.Adam", ["torch.optim.Adam", "torch.optim.Optimizer"]),
        ("torch.optim.lr_scheduler.StepLR", ["torch.optim.lr_scheduler.StepLR", "torch.optim.lr_scheduler.LRScheduler"]),
        ("class:Net", ["class:Net", "torch.nn.ReLU", "torch.nn.Module"]),
        ("", []),
    ],
)  # fmt: skip
def test_a_kind_is_one_of_others(kind: str, bases: list[str]) -> None:
    scopes = Scopes()
    scopes.classes["Net"] = Class("Net", ["torch.nn.ReLU"], {"size": "int"})
    assert scopes.bases(kind) == bases
    assert scopes.is_module(kind) is ("torch.nn.Module" in bases)
    assert scopes.attribute("class:Net", "size") == "int"


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        ("T.Tensor", "torch.Tensor"),
        ("'T.Tensor'", "torch.Tensor"),
        ("'not python'", ""),
        ("Optional[T.LongTensor]", "torch.LongTensor"),
        ("T.Tensor | None", "torch.Tensor"),
        ("typing.List[int]", "list"),
        ("int", "int"),
        ("Own", "class:Own"),
        ("Unknown", ""),
    ],
)
def test_the_kind_that_an_annotation_names(annotation: str, kind: str) -> None:
    scopes = scopes_of("T=torch")
    scopes.classes["Own"] = Class("Own", [])
    assert scopes.annotated(expression(annotation)) == kind


def test_the_kind_of_an_object_of_one_of_several_classes() -> None:
    scopes = scopes_of("nn=torch.nn")
    assert scopes.tested_kind(expression("nn.Linear")) == "torch.nn.Linear"
    assert scopes.tested_kind(expression("(nn.Linear, nn.Conv2d)")) == "torch.nn.Module"
    assert scopes.tested_kind(expression("(nn.Linear, int)")) == ""


def test_what_a_methods_name_alone_tells() -> None:
    assert owner_of("unsqueeze") == ["torch.Tensor"] and owner_of("named_parameters") == ["torch.nn.Module"]
    assert owner_of("sub") == owner_of("count") == owner_of("step") == []
    assert may_be_of_tensors("unsqueeze") and not may_be_of_tensors("split")
    assert is_method_of_values("split") and is_method_of_values("unsqueeze") and not is_method_of_values("act")


def test_methods_of_classes_that_are_no_modules() -> None:
    text = (
        "class A:\n    def f(self): ...\nclass B(nn.Module):\n    def g(self): ...\nclass C(B):\n    def h(self): ...\n"
    )
    assert own_methods(ast.parse(text), {"C"}) == {"f"}


def test_the_elements_of_a_value() -> None:
    kinds = ("each[torch.nn.Parameter]", "torch.Tensor", "torch.LongTensor", "torch.return_types.max", "list")
    assert [*map(element_of, kinds)] == ["torch.nn.Parameter", "torch.Tensor", "torch.LongTensor", "torch.Tensor", ""]


def test_layers_that_compute_something_else_in_training() -> None:
    assert [name for name in ("Dropout", "BatchNorm2d", "Linear", "Sequential", "GELU") if trains(name)] == [
        "Dropout", "BatchNorm2d", "Sequential"
    ]  # fmt: skip
