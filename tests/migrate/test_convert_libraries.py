"""What large packages write: redundant parentheses, imports further down, mixins, types that are asked for and annotated."""

import ast

import pytest
from converted_programs import execute

from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.program import Program, mixins, module_classes

HEAD = "import torch\nfrom torch import nn\n# begin\n"


def body(text, **options):
    """Return a converted program without its imports and helpers."""
    done = convert(HEAD + text, **options)
    assert not done.todo, done.todo
    return done.text.partition("# begin\n")[2]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("torch.ones(((2, 3)), device=d)\n", "mint.ones(((2, 3)))\n"),
        ("torch.ones((2,  # rows )\n  3), device=d)\n", "mint.ones((2,  # rows )\n  3))\n"),
        ("torch.cat((a), axis=(1))\n", "mint.cat((a), dim=(1))\n"),
        (
            "x = torch.ones([2])\ny = x\nx += (a + b)\nprint(y)\n",
            "x = mint.ones([2])\ny = x\nx.add_((a + b))\nprint(y)\n",
        ),
    ],
)
def test_parentheses_around_an_argument_stay_with_it(text, expected):
    assert body(text) == expected


def test_functions_see_names_imported_further_down():
    text = "def f(xs):\n    return T.cat(xs)\nif fast:\n    import torch as T\n"
    assert "return mint.cat(xs)" in convert(text).text


def test_a_test_of_a_class_tells_the_kind():
    text = "def init(m, x):\n    if isinstance(m, nn.Embedding) and m:\n        m.weight.data[m.padding_idx].zero_()\n"
    assert "m.weight[m.padding_idx] = m.weight[m.padding_idx].zero_()" in body(text)
    text = "def f(x, i):\n    if isinstance(x, torch.Tensor):\n        x.data[0].zero_()\n    x.data.foo()\n"
    assert "x[0] = x[0].zero_()" in body(text)
    text = "def f(m):\n    if isinstance(m, (nn.Conv2d, nn.Linear)):\n        m.train(False)\n"
    assert "m.set_train(False)" in body(text)


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("Optional[torch.LongTensor]", "Optional[mindspore.Tensor]"),
        ("nn.Embedding", "mint.nn.Embedding"),
        ("nn.Module", "nn.Cell"),
        ("torch.dtype", "mindspore.Type"),
        ("nn.CTCLoss", "nn.Cell"),
    ],
)
def test_annotations_name_types(annotation, expected):
    assert body(f"def f(x: {annotation}) -> {annotation}: ...\ny: {annotation}\n") == (
        f"def f(x: {expected}) -> {expected}: ...\ny: {expected}\n"
    )


def test_a_typed_tensor_is_a_tensor():
    assert "n = x.shape" in body("def f(x: torch.FloatTensor):\n    n = x.size()\n")


def test_classes_of_other_frameworks_are_no_modules():
    trees = [
        ast.parse("import flax.linen as nn\nclass A(nn.Module): ..."),
        ast.parse("from torch import nn\nclass B(nn.Module): ..."),
        ast.parse("from package.layers import B\nclass C(B): ..."),
    ]
    assert module_classes(trees) == {"B", "C"}


def test_a_class_is_a_module_where_one_of_its_name_is():
    trees = [ast.parse("class A(nn.Module): ..."), ast.parse("class A(Other): ...")]
    assert module_classes(trees) == {"A"}


def test_a_method_of_an_unknown_object_that_takes_other_arguments_is_no_tensors():
    text = "trainer.train(resume=1)\nimage.transpose(2, 0, 1)\n"
    assert body(text) == text


def test_a_known_object_is_told_of():
    (todo,) = convert(f"{HEAD}x = torch.ones(2)\nx.transpose(2, 0, 1)\n").todo
    assert "torch.Tensor.transpose: no row of the map takes this call" in todo[1]


def test_forward_as_a_value():
    text = "class Net(nn.Module):\n    def f(self):\n        return check(self.forward, self.forward(1))\n"
    assert "return check(self.construct, self.construct(1))" in body(text)
    text = "class Mixin:\n    def f(self):\n        return check(self.forward)\n"
    assert "return check(self.construct)" in body(text)
    text = "class Own:\n    def forward(self): ...\n    def f(self):\n        return self.forward\n"
    assert body(text) == text


def test_a_mixin_has_the_methods_of_modules():
    text = "class Mixin:\n    def f(self):\n        return next(self.parameters()), self.size()\n"
    assert "return next(_parameters(self)), self.size()" in body(text)


def test_super_is_the_object_where_no_method_is_called():
    text = "class Net(nn.Module):\n    def cuda(self, *args, **kwargs):\n        return super().cuda(*args, **kwargs)\n"
    assert "return self\n" in body(text)
    text = "class Net(nn.Module):\n    def double(self):\n        return super().double()\n"
    assert "return _cast(self, mindspore.float64)\n" in body(text)


def test_methods_as_values():
    assert body("f = torch.Tensor.item\ng = torch.Tensor.size\n") == (
        "f = mindspore.Tensor.item\ng = (lambda self: self.shape)\n"
    )


def test_parameters_of_a_forward_that_are_known_otherwise():
    text = "class Net(nn.Module):\n    def forward(self, x, flag=False, kind: Kind = None):\n        return x, ~flag, ~kind\n"
    assert "return x, ~flag, ~kind" in body(text)


def test_what_is_left_keeps_the_names_it_reads():
    text = "import torch\nfrom torch import nn, fft\n\n@f\nclass Net(nn.Module): ...\ntorch.nothing(fft.nothing)\n"
    assert convert(text).text.splitlines()[:3] == ["import torch", "from mindspore import nn", "from torch import fft"]


def test_what_is_left_may_read_no_torch():
    text = f"{HEAD}def f(x: torch.Tensor):\n    y = x.t()\n    y.add_(1)\n    return x\n"
    done = convert(text)
    assert len(done.todo) == 1
    assert "torch" not in {n.id for n in ast.walk(ast.parse(done.text)) if isinstance(n, ast.Name)}
    assert "import torch" not in done.text


@pytest.mark.parametrize(
    ("base", "given", "expected_base", "expected"),
    [
        ("Embedding", "a, b, padding_idx=c, sparse=True", "mint.nn.Embedding", "a, b, padding_idx=c"),
        ("Linear", "a, b, bias=False, device=d", "mint.nn.Linear", "a, b, bias=False"),
        ("LeakyReLU", "0.1", "_LeakyReLU", "0.1"),
        ("LayerNorm", "*a, **b", "mint.nn.LayerNorm", "*a, **b"),
    ],
)
def test_a_layer_to_derive_from_and_its_arguments(base, given, expected_base, expected):
    text = f"class Own(nn.{base}):\n    def __init__(self, a, b, c, d):\n        super().__init__({given})\n"
    assert body(text) == text.replace(f"nn.{base}", expected_base).replace(given, expected)


def test_the_first_parameter_of_a_static_method_is_no_object():
    text = "class Own:\n    @staticmethod\n    def f(mask: torch.Tensor):\n        return mask.size()\n"
    assert "return mask.shape" in body(text)


def test_the_device_of_what_may_be_a_tensor():
    text = "def f(x, y):\n    return x.device.type, torch.zeros(2, device=y.device), y.device\n"
    assert "return _device_of(x).type, mint.zeros((2,)), y.device\n" in body(text)


def test_the_next_of_parameters_is_a_parameter():
    assert "return _Device(" in body("def f(m):\n    return next(m.parameters()).device\n")


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("self.b = nn.Buffer(torch.ones([2]), persistent=False)", 'self.register_buffer("b", mint.ones([2]), False)'),
        ("self.b = nn.Buffer(x)", 'self.register_buffer("b", x)'),
    ],
)
def test_a_buffer_is_registered(line, expected):
    text = f"class Net(nn.Module):\n    def __init__(self, x):\n        {line}\n"
    assert f"        {expected}\n" in body(text)


def test_a_buffer_without_a_name_is_told_of():
    (todo,) = convert(f"{HEAD}f(nn.Buffer(x))\n").todo
    assert "a Cell's buffer is made by register_buffer" in todo[1]


def test_the_initialiser_of_a_base_by_its_name():
    assert "nn.Cell.__init__(self)" in body(
        "class Net(nn.Module):\n    def __init__(self):\n        nn.Module.__init__(self)\n"
    )


def test_a_module_of_the_package_is_no_tensor():
    text = "from . import init\ninit.normal_(x.weight, 0)\ninit.zero_()\n"
    assert body(text) == text


@pytest.mark.parametrize(
    "text",
    [
        "if found:\n    if found:\n        from torch.nn import Linear\nelse:\n    Linear = str\nclass Net(Linear): ...\n",
        "try:\n    from torch.nn import Linear\nexcept ImportError:\n    Linear = None\nclass Net(Linear): ...\n",
    ],
)
def test_a_name_that_is_imported_where_it_can_be(text):
    assert "class Net(mint.nn.Linear): ...\n" in convert(text).text


@pytest.mark.parametrize("text", ["torch.Tensor.gather = f\n", "del nn.Linear\n", "for torch.relu in fs: ...\n"])
def test_what_replaces_a_function_of_torch_is_told_of(text):
    done = convert(HEAD + text)
    assert "is assigned: this has no effect on calls of its counterpart" in done.todo[0][1]
    assert text in done.text


def test_a_mixin_of_modules_computes_as_they_do():
    text = "class Head:\n    def forward(self, x): ...\n    def train(self): ...\nclass Net(Head, nn.Module): ...\n"
    trees = [ast.parse(HEAD + text)]
    modules = module_classes(trees)
    program = Program(modules, mixins=mixins(trees, modules))
    assert program.mixins == {"Head"}
    assert body(text, program=program) == text.replace("forward", "construct").replace("nn.Module", "nn.Cell")


def test_forward_of_a_class_that_is_asked_for():
    text = "class Net(nn.Module):\n    def f(self):\n        return type(self).forward is g\n"
    assert "return type(self).construct is g" in body(text)


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
