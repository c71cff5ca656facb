"""The language of the map: what a row says, and what of torchvision and torch's settings its rows write."""

import ast
import re

import pytest
from converted_programs import execute
from converted_text import HEAD

import sporax as ms
from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.torch_map.rows import Parameter, Row, _read, every_row, shown, table


def test_the_rounding_of_float32_is_the_contexts():
    before = {name: ms.get_context(name) for name in ("matmul_allow_tf32", "conv_allow_tf32")}
    done = convert(
        HEAD
        + "torch.set_float32_matmul_precision('high')\n"
        + "torch.backends.cudnn.allow_tf32 = False\n"
        + "seen = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32\n"
    )
    try:
        execute(done, scope := {})
        assert scope["seen"] == (True, False)
        assert ms.get_context("matmul_allow_tf32") and not ms.get_context("conv_allow_tf32")
    finally:
        ms.set_context(**before)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("T.RandomHorizontalFlip(0.3)", "dataset.vision.RandomHorizontalFlip(prob=0.3)"),
        ("T.Normalize((0.5,), (0.2,))", "_Normalize((0.5,), (0.2,))"),
        ("T.Resize(8, T.InterpolationMode.BICUBIC)", "dataset.vision.Resize(8, dataset.vision.Inter.BICUBIC)"),
        (
            "T.RandomCrop(32, padding=4, padding_mode='reflect')",
            "dataset.vision.RandomCrop(32, 4, padding_mode=dataset.vision.Border.REFLECT)",
        ),
    ],
)
def test_transform(call, expected):
    result = convert(f"import torchvision.transforms as T\nt = {call}\n")
    assert not result.todo
    assert result.text.splitlines()[-1] == f"t = {expected}"


def test_net_of_torchvision_is_left():
    result = convert("import torchvision\nnet = torchvision.models.resnet18()\n")
    assert "convert the file of torchvision that defines it" in result.todo[0][1]


def read(text: str) -> dict[str, list[Row]]:
    rows: dict[str, list[Row]] = {}
    _read(text, "x.rows", rows)
    return rows


def test_a_row_says_both_sides_and_what_is_otherwise() -> None:
    (row,) = read(
        "# comment\n\ntorch.f(a, b: int=0, /, *c, d=None, **e) -> mint.f(a, b) => tuple\n    classic: ops.f(a)\n"
        "    differs: It rounds.\n    note: it raises\n    drop: d\n    float: a\n    try: torch.f(X)\n"
    )["torch.f"]
    assert row.parameters == (
        Parameter("a", form="positional"),
        Parameter("b", "int", "0", "positional"),
        Parameter("c", form="star"),
        Parameter("d", default="None", form="keyword"),
        Parameter("e", form="stars"),
    )
    assert [ast.unparse(row.expression(target)) for target in ("mint", "classic")] == ["mint.f(a, b)", "ops.f(a)"]
    assert (row.result, row.differs, row.notes) == ("tuple", ("It rounds.",), ("it raises",))
    assert (row.drop, row.floats, row.examples) == ({"d"}, {"a"}, ("torch.f(X)",))
    assert shown(row.parameters) == "a, b=0, *c, d=None, **e"


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("torch.f(a) -> mint.f(a)", "torch.Tensor"),
        ("torch.nn.Net(a) -> nn.Net(a)", "torch.nn.Net"),
        ("torch.f(a) -> mint.f(a) => int", "int"),
        ("torch.pi -> math.pi => float", "float"),
        ("torch.newaxis -> None", ""),
    ],
)
def test_the_kind_of_a_result(text: str, result: str) -> None:
    ((row,),) = read(text).values()
    assert row.result == result


def test_what_has_no_counterpart_and_what_is_converted_otherwise() -> None:
    rows = read("torch.a() -> missing: there is none\n    remedy: use b\ntorch.b() -> rewritten: f()()\n")
    assert (rows["torch.a"][0].missing, rows["torch.a"][0].target) == ("there is none. use b", "")
    assert (rows["torch.b"][0].rewritten, rows["torch.b"][0].target) == ("f()()", "")


def test_rows_of_one_name_are_tried_in_order_and_aliases_have_them_all() -> None:
    rows = read("torch.a(x: int) -> mint.a(x)\ntorch.a(x) -> mint.b(x)\ntorch.c = torch.a\n")
    assert [row.target for row in rows["torch.c"]] == ["mint.a(x)", "mint.b(x)"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "torch.a(x) mint.a(x)",
            "x.rows:1: 'torch.a(x) mint.a(x)' is no row of the map: it reads `name(parameters) -> ",
        ),
        ("\ntorch.a(x) -> mint.a(", "x.rows:2: 'torch.a(x) -> mint.a(' is no row of the map: "),
        ("torch.a(x) -> mint.a(x)\n    says: b", "x.rows:1: 'torch.a(x) -> mint.a(x)' is no row of the map: 'says'"),
        ("torch.a = torch.b", "x.rows:1: 'torch.a = torch.b' is no row of the map: 'torch.b'"),
    ],
)
def test_what_is_no_row_is_told_with_its_place(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=re.escape(reason)):
        read(text)


def test_a_call_is_converted_by_no_row_that_is_rewritten() -> None:
    rewritten = {name for name, rows in every_row().items() if rows[0].rewritten}
    assert "torch.autograd.grad" in rewritten and not rewritten & table().keys()
    assert every_row().keys() - table().keys() == rewritten
