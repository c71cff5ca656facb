"""Names that stand for types of Tensors make Tensors."""

import pytest
from converted_programs import assert_same_answers, execute

from sporax._src.migrate.source.convert import convert

TYPES = """import torch, numpy as np

def early():
    return T(2, 3).fill_(1.0), T(np.full((2,), 2.0)), L([1, 2]), H(), U(2).zero_()

fast = torch.cuda.is_available()
T = torch.cuda.FloatTensor if fast else torch.FloatTensor
U = torch.cuda.FloatTensor if fast else torch.Tensor
L = torch.LongTensor
H = torch.HalfTensor

class Maker:
    def __init__(self):
        self.kind = torch.cuda.FloatTensor if fast else torch.FloatTensor

    def make(self, x):
        return self.kind(x.shape[0], 1).fill_(0.5), x.type(self.kind), x.type(T)

made = [*early(), *Maker().make(torch.ones(2, dtype=torch.int32))]
found = [(tuple(x.shape), str(x.dtype).split(".")[-1], x.numpy().ravel().tolist()) for x in made]
"""


@pytest.mark.parametrize("target", ["mint", "classic"])
def test_a_name_of_a_type_of_tensors_makes_them(target):
    exec(TYPES, theirs := {})
    done = convert(TYPES, target=target)
    assert not done.todo, done.todo
    execute(done, ours := {})
    assert [(shape, dtype.lower(), values) for shape, dtype, values in ours["found"]] == theirs["found"]


def test_a_type_of_tensors_makes_them_in_map() -> None:
    assert_same_answers(
        "import torch\n"
        "L = torch.LongTensor\n"
        "a, b = map(torch.LongTensor, zip([1, 2], [3, 4]))\n"
        "c, d = map(torch.Tensor, ([1, 2], [3]))\n"
        "e, = map(L, [[5]])\n"
        "answers = [[x.tolist(), str(x.dtype).split('.')[-1].lower()] for x in (a, b, c, d, e)]\n"
    )


def test_a_tensor_is_an_instance_of_its_type() -> None:
    assert_same_answers(
        "import torch\n"
        "L = torch.LongTensor\n"
        "x, i = torch.ones(2), torch.arange(2)\n"
        "answers = [[isinstance(v, torch.FloatTensor), isinstance(v, L), isinstance(v, (int, torch.LongTensor)),\n"
        "            isinstance(v, torch.cuda.FloatTensor), not isinstance(v, torch.cuda.LongTensor) or 0,\n"
        "            isinstance(v, (torch.cuda.LongTensor, torch.LongTensor)), isinstance(v, torch.Tensor)]\n"
        "           for v in (x, i)] + [isinstance(3, (int, torch.LongTensor)), isinstance('a', L)]\n"
    )


def test_mixed_types_of_devices_are_refused() -> None:
    done = convert("import torch\n\ndef f(x):\n    return isinstance(x, (torch.cuda.FloatTensor, torch.LongTensor))\n")
    assert [reason for _, reason in done.todo] == [
        "types of torch and of torch.cuda are mixed; compare the dtype of the Tensor"
    ]
