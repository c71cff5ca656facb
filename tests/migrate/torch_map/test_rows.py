"""The language of the map: what a row says, and what of torchvision and torch's settings its rows write."""

import pytest
from converted_programs import execute
from converted_text import HEAD

import sporax as ms
from sporax._src.migrate.source.convert import convert


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
