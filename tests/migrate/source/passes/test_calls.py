"""Whose function or method a call calls, where only its name or the program's own classes tell."""

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
