"""New networks: a converted class starts in training mode as a Module does, with the paths of its Parameters as names."""

import pytest
import torch
from converted_programs import execute

from sporax._src.migrate.source.convert import convert

HEAD = """
import functools
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(0.5)
        self.layers = self._make()
    def _make(self):
        return nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    @classmethod
    def build(cls):
        return cls()
    @staticmethod
    def layer():
        return nn.Dropout(0.1)

NETS = {"net": Net}

def make(kind=Net, **keywords):
    return kind(**keywords)
"""


def of(net):
    """Return the mode of each Cell or Module, in order."""
    inner = net.modules() if isinstance(net, torch.nn.Module) else [cell for _, cell in net.cells_and_names()]
    return [one.training for one in inner]


def modes(text):
    """Return the modes of `net` under torch and converted, for both targets."""
    scope = {}
    exec(compile(HEAD + text, "torch", "exec"), scope)
    answers = [of(scope["net"])]
    for target in ("mint", "classic"):
        here = {}
        execute(convert(HEAD + text, target=target), here)
        answers.append(of(here["net"]))
    return answers


@pytest.mark.parametrize(
    "made",
    ["Net()", "Net.build()", "Net.layer()", "NETS['net']()", "make()", "functools.partial(Net)()", "(lambda: Net())()",
     "nn.Sequential(Net(), nn.Dropout())", "nn.Sequential(Net().eval(), nn.Dropout())", "[Net() for _ in range(2)][1]",
     "nn.ModuleList([Net().eval()])", "nn.Dropout(0.5)", "nn.Dropout(0.5).eval()", "Net().eval()"],
)  # fmt: skip
def test_the_mode_of_what_is_made(made):
    torchs, mint, classic = modes(f"net = {made}\n")
    assert torchs == mint == classic


CLASSES = {
    "part_in_evaluation": """
        self.teacher = Net().eval()
        self.drop = nn.Dropout()
""",
    "part_set_later": """
        self.teacher = Net()
        self.norm = nn.BatchNorm1d(2)
        self.teacher.eval()
        self.norm.train(False)
        self.drop = nn.Dropout()
""",
    "set_by_a_method": """
        self.norm, self.drop = nn.BatchNorm1d(2), nn.Dropout()
        self.freeze()
        self.more = nn.Dropout()
""",
    "early_return": """
        self.drop = nn.Dropout()
        if self.drop.p == 0.5:
            return
        self.teacher = Net()
""",
    "early_return_on_one_line": """
        self.drop = nn.Dropout()
        if self.drop.p == 0.1: return
        self.teacher = Net()
""",
    "what_was_passed": """
        self.teacher = teacher
        self.drop = nn.Dropout()
""",
    "on_one_line": """
        self.drop = nn.Dropout(); self.teacher = teacher; self.teacher.eval()
""",
}


@pytest.mark.parametrize("body", CLASSES.values(), ids=CLASSES)
def test_parts_keep_the_mode_that_they_were_set_to(body):
    text = f"""
class Outer(nn.Module):
    def __init__(self, teacher):
        super().__init__(){body}
    def freeze(self):
        self.norm.eval()

class Inner(Outer):
    def __init__(self, teacher):
        super().__init__(teacher)
        self.last = nn.Dropout()

teacher = Net()
teacher.drop.eval()
net = Inner(teacher)
"""
    torchs, mint, classic = modes(text)
    assert torchs == mint == classic
    assert True in torchs


def test_a_train_method_of_the_class_is_not_called():
    torchs, mint, classic = modes("""
class Frozen(Net):
    def __init__(self):
        super().__init__()
        self.last = nn.Dropout()
    def train(self, mode=True):
        super().train(mode)
        self.last.eval()
        return self
net = Frozen()
""")
    assert torchs == mint == classic and all(torchs)


def test_parameters_have_their_paths_as_names():
    text = (
        HEAD
        + """
class Lists(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.ModuleList(), nn.ModuleList()
        for _ in range(2):
            self.a.append(nn.Linear(2, 2))
            self.b.append(nn.Linear(2, 2))
        self.net = Net()
        self.scale = nn.Parameter(torch.ones(2))
net = Lists()
"""
    )
    scope, here = {}, {}
    exec(compile(text, "torch", "exec"), scope)
    execute(convert(text), here)
    names = [parameter.name for parameter in here["net"].trainable_params()]
    assert sorted(names) == sorted(name for name, _ in scope["net"].named_parameters())


def test_what_is_written():
    text = "import torch\nfrom torch import nn\nclass A(nn.Module):\n    def __init__(self):\n        super().__init__()\na = A()\n"
    lines = convert(text).text.splitlines()
    assert lines[-2:] == ["        _new_module(self)", "a = A()"]
    short = convert("from torch import nn\nclass A(nn.Module):\n    def __init__(self): super().__init__()\n").text
    assert "    def __init__(self): super().__init__(); _new_module(self)" in short
