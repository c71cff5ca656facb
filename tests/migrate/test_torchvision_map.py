"""What becomes of torchvision, which the tests do not have: the calls that are written."""

import pytest

from sporax._src.migrate.source.convert import convert


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
