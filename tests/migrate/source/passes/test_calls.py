"""Whose function or method a call calls, where only its name or the program's own classes tell."""

import numpy as np
import pytest
from converted_programs import execute
from converted_text import body, converted, reasons

from sporax._src.migrate.source.convert import convert

OWN = "class Learner:\n    def train(self): ...\n    def mean(self, dim): ...\n    def to(self, device): ...\n"


@pytest.mark.parametrize(
    ("text", "converted"),
    [
        ("model.train()", "model.set_train() if isinstance(model, nn.Cell) else model.train()"),
        ("m = [a.b.train(False)]", "m = [(a.b.set_train(False) if isinstance(a.b, nn.Cell) else a.b.train(False))]"),
        ("y = x.mean(axis=0)", "y = (x.mean(0) if isinstance(x, mindspore.Tensor) else x.mean(axis=0))"),
        ("y = x.to('cpu')", "y = _to_any(x, 'cpu')"),
        ("Learner().train()", "Learner().train()"),
    ],
)
def test_a_method_that_a_class_of_the_program_has_too(text, converted):
    assert body(f"{OWN}{text}\n") == f"{OWN}{converted}\n"


def test_a_method_of_an_unknown_object_that_takes_other_arguments_is_no_tensors():
    text = "trainer.train(resume=1)\nimage.transpose(2, 0, 1)\n"
    assert body(text) == text


@pytest.mark.parametrize(
    ("text", "converted"),
    [
        ("net = made().double().eval()", "net = _to_any(made(), mindspore.float64).set_train(False)"),
        ("self.net.half()", "_to_any(self.net, mindspore.float16)"),
        ("net.float()", "_to_any(net, mindspore.float32)"),
        ("x = batch.float() + y", "x = batch.float() + y"),
        ("x = y.bfloat16()", "x = _to_any(y, mindspore.bfloat16)"),
    ],
)
def test_a_cast_of_what_may_be_a_network(text, converted):
    assert body(f"{text}\n") == f"{converted}\n"


CASTS = """import torch

def cast(value):
    value.float()
    return value.double()

given = torch.nn.Linear(2, 1, bias=False).half()
with torch.no_grad():
    given.weight.fill_(0.5)
found = [str(cast(value)(torch.ones(1, 2).double()).dtype) for value in (given,)] + [str(cast(torch.ones(2)).dtype)]
found = [name.split(".")[-1].lower() for name in found]
"""


def test_a_cast_of_a_network_that_only_the_run_knows():
    exec(CASTS, theirs := {})
    execute(convert(CASTS), ours := {})
    assert ours["found"] == theirs["found"]


def test_a_mixin_has_the_methods_of_modules():
    text = "class Mixin:\n    def f(self):\n        return next(self.parameters()), self.size()\n"
    assert "return next(_parameters(self)), self.size()" in body(text)


def test_the_next_of_parameters_is_a_parameter():
    assert "return _Device(" in body("def f(m):\n    return next(m.parameters()).device\n")


def test_the_initialiser_of_a_base_by_its_name():
    assert "nn.Cell.__init__(self)" in body(
        "class Net(nn.Module):\n    def __init__(self):\n        nn.Module.__init__(self)\n"
    )


DATA = """import torch, types
from torch.autograd import Variable

def values(batch, x):
    made = Variable(x, requires_grad=True)
    return made.data + 1, batch.data.cpu().numpy().tolist(), x.data.numpy().tolist(), x.data.cpu()[0].item()

batch = types.SimpleNamespace(data=torch.tensor([1.0, 2.0]))
found = [v.tolist() if hasattr(v, "tolist") else v for v in values(batch, batch.data)]
"""


def test_data_of_what_is_no_known_tensor():
    exec(DATA, theirs := {})
    done = convert(DATA)
    assert "ops.stop_gradient(made) + 1" in done.text
    execute(done, ours := {})
    assert ours["found"] == theirs["found"]


def test_method_of_an_unknown_object():
    assert converted("def evaluate(net):", "    net.eval()")[-1] == "    net.set_train(False)"


def test_method_that_a_class_of_the_file_has_too():
    lines = ("class Agent:", "    def train(self): ...", "def run(agent):", "    agent.train()")
    assert converted(*lines)[-1] == "    agent.set_train() if isinstance(agent, nn.Cell) else agent.train()"


def test_inplace_of_a_function_that_is_chosen_is_refused() -> None:
    (reason,) = reasons("y = (torch.relu if a else torch.sigmoid)(x, inplace=True)\n")
    assert "call each function by its own name" in reason


@pytest.mark.parametrize(
    "text",
    [
        "import matplotlib.pyplot as plt\nfig, ax = plt.subplots()\nax.scatter(x, y, c=z, s=3)\n",
        "import numpy as np\na = np.arange(3)\na.take([1], axis=0, mode='clip')\n(a + 1).take(i, axis=0)\n",
        "import pandas as pd\npd.read_csv(f).cumsum(axis=0, skipna=True)\n",
    ],
)
def test_methods_of_other_libraries_stay(text: str) -> None:
    assert body(text) == text


ARRAYS = """import numpy as np
import torch

def facts(a, i):
    tiles = a.repeat(2), a.repeat(2, 0)
    numbers = a.trace(), a.std(), a.var(0), a[:, i].std(), a.clip(0, 1), a.prod(0), a.dot(a), a.argmin(0), a.cumprod(1)
    return [*tiles, *numbers, a.sum(1), a.mean(axis=0), a.argmax(0), a.flatten()]

def of_a_tensor(t):
    return [t.repeat(2, 1), t.std(), t.std(dim=0), t.trace(), t.max(1).values, t.max(1)[1], t.clip(0, 1), t.prod(1)]

square = [[0.5, 2.0], [3.0, -1.0]]
found = [np.asarray(v) for v in [*facts(np.array(square), 1), *of_a_tensor(torch.tensor(square))]]
"""


def test_methods_that_arrays_have_too_work_for_arrays_and_tensors() -> None:
    exec(ARRAYS, theirs := {})
    execute(convert(ARRAYS), ours := {})
    for expected, value in zip(theirs["found"], ours["found"], strict=True):
        np.testing.assert_allclose(value, expected, 1e-6)


@pytest.mark.parametrize(
    ("text", "converted"),
    [
        ("y = a.std()", "y = (mint.std(a) if isinstance(a, mindspore.Tensor) else a.std())"),
        ("a.repeat(2)", "a.tile((2,)) if isinstance(a, mindspore.Tensor) else a.repeat(2)"),
        ("y = a.repeat(1, 2, 3)", "y = a.tile((1, 2, 3))"),
        ("y = a.std(dim=0)", "y = mint.std(a, 0)"),
        ("y = f(a).std()", "y = mint.std(f(a))"),
        ("y = a.trace()", "y = a.diagonal().sum()"),
        ("y = a.flatten(1)", "y = a.flatten(start_dim=1)"),
        ("y = (a * b).sum(axis=-1)", "y = (a * b).sum(-1)"),
        ("y = torch.exp(a).std()", "y = mint.std(mint.exp(a))"),
    ],
)
def test_a_method_of_arrays_asks_only_where_a_tensors_call_differs(text: str, converted: str) -> None:
    assert body(f"{text}\n") == f"{converted}\n"
