"""What a user should look at: libraries that need torch, and networks that the text makes indirectly."""

import ast

import pytest

from sporax._src.migrate.source.project import migrate
from sporax._src.migrate.source.review import points


def texts(text: str, packages: tuple[str, ...] = ()) -> list[tuple[int, str]]:
    return [(line, said.partition(" ")[0]) for line, said in points(ast.parse(text), {"Net"}, packages)]


def test_libraries_that_need_torch_are_named_at_each_use() -> None:
    text = "import timm\nfrom ema_pytorch import EMA as E\nx = timm.create_model('a')\ny = E(x)\n"
    assert texts(text) == [(1, "timm"), (2, "ema_pytorch"), (3, "timm"), (4, "ema_pytorch")]
    assert texts(text, ("timm",)) == [(2, "ema_pytorch"), (4, "ema_pytorch")]
    assert texts("import numpy\nfrom .timm import f\n") == []


@pytest.mark.parametrize(
    "text",
    ["kinds = {'a': Net}", "f = partial(Net)", "kind = Net", "def f(): return Net", "kinds = [Net]", "g(kind=Net)"],
)
def test_networks_that_are_passed_on(text: str) -> None:
    assert [said for _, said in points(ast.parse(text), {"Net"}, ())] == [
        "the network Net is made indirectly; check its training mode and its weights"
    ]


@pytest.mark.parametrize("text", ["cls(3)", "getattr(nn, kind)(3)"])
def test_classes_that_the_text_does_not_name(text: str) -> None:
    ((line, said),) = points(ast.parse(text), {"Net"}, ())
    assert line == 1 and said.endswith("makes an object of a class that the text does not name")


@pytest.mark.parametrize(
    "text", ["Net()", "isinstance(x, Net)", "super(Net, self)", "getattr(x, 'a')()", "class B(Net): ..."]
)
def test_what_needs_no_look(text: str) -> None:
    assert texts(text) == []


def test_a_report_groups_them(tmp_path) -> None:
    (tmp_path / "a.py").write_text("import torch\nimport timm\nx = timm.f(torch.ones(2))\n")
    (tmp_path / "b.py").write_text("import timm\n")
    report = migrate(tmp_path)
    assert [*report.review.values()] == [["a.py:2", "a.py:3"]]
