"""One file: what is converted, what stays as it is, and what is left to do, said where it stands."""

import ast
import types

import pytest
from converted_programs import execute

from sporax._src.migrate.source.convert import convert
from sporax._src.migrate.source.diagnostics import MARK, Converted, Diagnostics
from sporax._src.migrate.source.helper_modules import files, homes, import_lines
from sporax._src.migrate.source.program import Program, module_classes
from sporax._src.migrate.source.source_text import ConversionFault, Edit, Source


def body(text, **options):
    """Return a converted program without its imports and helpers."""
    done = convert(f"import torch\nimport torch.nn as nn\n# begin\n{text}", **options)
    assert not done.todo, done.todo
    return done.text.partition("# begin\n")[2]


def reasons(text):
    return [reason for _, reason in convert(f"import torch\n{text}").todo]


def test_a_file_without_torch_comes_back_byte_for_byte():
    text = "# coding: utf-8\r\nimport numpy as np\n\n\nx = { 'a':1,\t'b' : np.zeros( 3 ) }  # é\n"
    assert convert(text).text == text


def test_comments_layout_and_line_order_stay():
    text = (
        "def f(a,   b):   # two\n"
        "    return torch.cat([a,\n"
        "                      b],   # both\n"
        "                     axis=0)\n"
    )
    assert body(text) == text.replace("torch.cat", "mint.cat").replace("axis=0", "dim=0")


@pytest.mark.parametrize(
    "imports",
    [
        "import torch",
        "import torch as T",
        "from torch import cat",
        "from torch import cat as C",
        "from torch import *",
    ],
)
def test_names_are_resolved_through_imports(imports):
    name = {"import torch": "torch.cat", "import torch as T": "T.cat", "from torch import cat as C": "C"}.get(
        imports, "cat"
    )
    done = convert(f"{imports}\nx = {name}([], 0)\n")
    assert done.text == "from mindspore import mint\nx = mint.cat([], 0)\n"
    assert done.used == {"torch.cat": 1}


def test_a_name_of_the_program_that_shadows_torch_is_not_torchs():
    assert body("def f(torch):\n    return torch.cat([1])\n") == "def f(torch):\n    return torch.cat([1])\n"


def test_a_variable_of_the_program_keeps_its_name():
    done = convert("import torch\nmint = 3\nx = torch.cat([], mint)\n")
    assert done.text == "import mindspore\nmint = 3\nx = mindspore.mint.cat([], mint)\n"


def test_modules_become_cells():
    text = "class Net(nn.Module):\n    def forward(self, x):\n        return x\nnet = Net()\ny = net.forward(1)\n"
    expected = "class Net(nn.Cell):\n    def construct(self, x):\n        return x\nnet = Net().set_train()\ny = net.construct(1)\n"
    assert body(text) == expected


def test_modules_of_other_files_are_known():
    trees = [ast.parse("class A(nn.Module): ..."), ast.parse("class B(a.A): ..."), ast.parse("class C: ...")]
    modules = module_classes(trees)
    assert modules == {"A", "B"}
    text = "from .b import B\nclass D(B):\n    def forward(self): ...\n"
    assert convert(text, program=Program(modules)).text == text.replace("forward", "construct")


@pytest.mark.parametrize(
    ("torch_text", "converted"),
    [
        ("torch.add(a, b, out=c)", "c = mint.add(a, b)"),
        ("r = torch.add(a, b, out=c)", "r = c = mint.add(a, b)"),
        ("f(torch.add(a, b, out=c))", "f((c := mint.add(a, b)))"),
    ],
)
def test_out_is_assigned(torch_text, converted):
    assert body(f"{torch_text}\n") == f"{converted}\n"


def test_what_says_where_a_tensor_is_goes():
    text = "x = torch.tensor([1.0], device='cuda', requires_grad=True, dtype=torch.float64)\n"
    assert body(text) == "x = mindspore.tensor([1.0], dtype=mindspore.float64)\n"


@pytest.mark.parametrize(
    ("made", "converted"),
    [
        ("{'device': d, 'dtype': t}", "{'dtype': t}"),
        ("{'dtype': t, 'device': d, 'layout': l}", "{'dtype': t}"),
        ("{'layout': l, 'device': d.device, 'dtype': t, 'pin_memory': p,}", "{'dtype': t,}"),
        ("dict(device=d, dtype=t)", "dict(dtype=t)"),
        ("dict(dtype=t, device=d)", "dict(dtype=t)"),
        ("{'device': d, 'dtype': t, 'size': s}", "{'device': d, 'dtype': t, 'size': s}"),
        ("{'device': d}", "{'device': d}"),
        ("dict(o, device=d, dtype=t)", "dict(o, device=d, dtype=t)"),
    ],
)
def test_keyword_arguments_of_factories_lose_what_says_where_a_tensor_is(made, converted):
    assert body(f"k = {made}\n") == f"k = {converted}\n"


@pytest.mark.parametrize(
    ("call", "converted"),
    [
        ("torch.zeros(2, n, **k)", "mint.zeros((2, n), **k)"),
        ("torch.zeros(n, **k)", "mint.zeros(n, **k)"),
        ("torch.nn.Linear(2, 3, bias=False, **k)", "mint.nn.Linear(2, 3, bias=False, **k)"),
        ("net.add_module(*n)", "_add_module(net, *n)"),
        ("net.add_module('a', *n)", "_add_module(net, 'a', *n)"),
    ],
)
def test_arguments_are_passed_on_where_they_are_the_same(call, converted):
    assert body(f"def f(n, **k):\n    return {call}\n") == f"def f(n, **k):\n    return {converted}\n"


def test_keywords_that_may_mean_something_else_are_refused():
    done = convert("import torch\ny = torch.nn.Bilinear(2, 3, 4, **k)\n")
    reason = "torch.nn.Bilinear: arguments that come by * or ** cannot be told apart; write them out"
    assert done.todo == [(2, reason)]


def test_a_dict_whose_device_is_read_keeps_it():
    text = "k = {'device': d, 'dtype': t}\nprint(k['device'])\n"
    assert body(text) == text


def test_decorators_that_change_nothing_here_go():
    decorators = "@torch.jit.ignore\n@torch.jit.ignore(drop=True)\n@torch.compiler.disable()\n"
    assert body(f"{decorators}@other\ndef f(x):\n    return x\n") == "@other\ndef f(x):\n    return x\n"


def test_arguments_go_with_the_comma_behind_them():
    assert body("torch.cuda.empty_cache()\ntorch.cuda.synchronize(\n    d,\n)\n") == (
        "mindspore.runtime.empty_cache()\nmindspore.runtime.synchronize(\n    )\n"
    )


def test_an_object_that_is_not_asked_goes_with_what_is_converted_in_it():
    converted = "d = _Device(mindspore.get_context('device_target').lower())\n"
    assert body("d = torch.empty(0, device=torch.device('cpu')).device\n").endswith(converted)


def test_methods_that_patterns_of_re_have_too_are_left_to_what_is_unknown():
    assert body("a = pattern.sub('b', text)\n") == "a = pattern.sub('b', text)\n"
    assert body("a = torch.t(a).sub(1, alpha=2)\n") == "a = mint.t(a).sub(1, alpha=2)\n"


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("hasattr(torch, 'cat')", "True"),
        ("hasattr(torch.nn.functional, 'no_such')", "False"),
        ("hasattr(torch, 'linalg')", "True"),
        ("getattr(torch, 'cat')", "mint.cat"),
        ("getattr(torch, 'no_such', nn.Linear)", "mint.nn.Linear"),
        ("getattr(getattr(torch, 'special', None), 'erf')", "mint.erf"),
        ("hasattr(x, 'cat')", "hasattr(x, 'cat')"),
        ("'silu' in dir(torch.nn.functional)", "True"),
        ("'no_such' in dir(torch.nn.functional)", "False"),
        ("'silu' in dir(x)", "'silu' in dir(x)"),
    ],
)
def test_what_is_asked_of_torch_is_answered(asked, answer):
    assert body(f"y = {asked}\n") == f"y = {answer}\n"


def test_a_module_of_torch_that_is_passed_on_is_refused():
    done = convert("import torch\nimport torch.nn.functional as F\nfrom torch import nn\nf = getattr(F, name)\n")
    reason = "torch.nn.functional is a namespace; write the names that are used of it"
    assert done.todo == [(4, reason)]
    assert done.text == f"import torch.nn.functional as F\n{MARK}{reason}\nf = getattr(F, name)\n"


def test_the_inside_of_an_f_string_is_converted():
    assert body('print(f"{torch.cat([x], axis=0)!r:>{w}}")\n') == 'print(f"{mint.cat([x], dim=0)!r:>{w}}")\n'


OWN = "class Learner:\n    def train(self): ...\n    def mean(self, dim): ...\n    def to(self, device): ...\n"


@pytest.mark.parametrize(
    ("text", "converted"),
    [
        ("model.train()", "model.set_train() if isinstance(model, nn.Cell) else model.train()"),
        ("m = [a.b.train(False)]", "m = [(a.b.set_train(False) if isinstance(a.b, nn.Cell) else a.b.train(False))]"),
        ("y = x.mean(axis=0)", "y = (x.mean(dim=0) if isinstance(x, mindspore.Tensor) else x.mean(axis=0))"),
        ("y = x.to('cpu')", "y = _to_any(x, 'cpu')"),
        ("Learner().train()", "Learner().train()"),
    ],
)
def test_a_method_that_a_class_of_the_program_has_too(text, converted):
    assert body(f"{OWN}{text}\n") == f"{OWN}{converted}\n"


def test_a_loop_tells_what_its_elements_are():
    text = (
        "def f(net, other):\n    for i, (name, p) in enumerate(net.named_parameters()):\n        p.data = p.data * 2\n"
        "    for p, q in zip(net.parameters(), other.parameters()):\n        p.data = q.data\n"
    )
    assert "p.assign_value(ops.stop_gradient(p) * 2)" in body(text)
    assert "p.assign_value(ops.stop_gradient(q))" in body(text)


@pytest.mark.parametrize(
    ("text", "converted"),
    [
        ("o = torch.optim.SGD(ps,\n    lr=1)", "o = mindspore.experimental.optim.SGD(_distinct(ps),\n    lr=1)"),
        ("o = torch.optim.SGD(lr=1, params=ps)", "o = mindspore.experimental.optim.SGD(lr=1, params=_distinct(ps))"),
        ("o = torch.optim.SGD(p for p in ps)", "o = mindspore.experimental.optim.SGD(_distinct(p for p in ps))"),
    ],
)
def test_a_helper_around_an_argument_keeps_the_layout(text, converted):
    assert body(f"{text}\n") == f"{converted}\n"


@pytest.mark.parametrize(
    ("text", "converted"),
    [
        ('f"{x:.4f} {x} {x!r:>9} {x.item():.1f} {n:d}"', 'f"{_number(x):.4f} {x} {x!r:>9} {x.item():.1f} {n:d}"'),
        ('"{} {:.2f} {y:.1%}".format(a, x, y=y)', '"{} {:.2f} {y:.1%}".format(a, _number(x), y=_number(y))'),
        ('"{1:.2f} {0:.2e}".format(a, *b)', '"{1:.2f} {0:.2e}".format(_number(a), *b)'),
    ],
)
def test_tensors_are_formatted_as_numbers(text, converted):
    assert body(f"s = {text}\n") == f"s = {converted}\n"


def test_the_target_classic_writes_what_mint_lacks_on_a_cpu():
    done = convert("import torch\nx = torch.stack([torch.arange(3)], 0).clone()\n", target="classic")
    assert done.text.endswith("x = ops.deepcopy(_mint_stack([ops.arange(end=3)], 0))\n")
    assert done.text.startswith("from mindspore import ops\nfrom _from_torch.classic.arrays import _mint_stack\n")
    assert "def _mint_stack(" in done.files["_from_torch/classic/arrays.py"] and "mint." not in done.text


def test_the_text_imports_helpers_and_the_result_has_their_modules(tmp_path):
    """Whole modules, with those that they import and no others."""
    done = convert("import torch\nx = torch.ones((2,))\nscaler = torch.amp.GradScaler()\n")
    assert done.text.splitlines()[1:] == [
        "from _from_torch.training.runtime import _GradScaler",
        "x = mint.ones((2,))",
        "scaler = _GradScaler()",
    ]
    modules = ("__init__", "training/__init__", "training/gradients", "training/runtime")
    assert sorted(done.files) == sorted(f"_from_torch/{name}.py" for name in modules)
    assert "\nfrom ..training.gradients import _step\n" in done.files["_from_torch/training/runtime.py"]
    assert not any("sporax" in text for text in done.files.values())
    done.write(tmp_path / "program.py")
    assert (tmp_path / "program.py").read_text() == done.text
    assert (tmp_path / "_from_torch" / "training" / "runtime.py").read_text() == done.files[
        "_from_torch/training/runtime.py"
    ]
    assert convert("import torch\nx = torch.ones(2)\n").files == {}


@pytest.mark.parametrize("target", ["mint", "classic"])
@pytest.mark.parametrize("module", sorted({*homes().values()}))
def test_each_helper_module_is_importable_with_the_modules_that_it_names(module, target):
    names = [name for name, home in homes().items() if home == module]
    text = "\n".join(import_lines(names))
    execute(Converted(text, helpers=names, files=files(names, target)), scope := {})
    assert {*names} <= scope.keys()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (
            "x = torch.no_such_thing(1)",
            "torch.no_such_thing has no counterpart here; write what it does with mindspore.mint or ops",
        ),
        (
            "x = torch.cat(1, 2, 3, 4)",
            "torch.cat: no row of the map takes this call; write it in another form: torch.cat(1, 2, 3, 4)",
        ),
    ],
)
def test_what_cannot_be_converted_stays_under_a_comment(text, reason):
    done = convert(f"import torch\nif 1:\n    {text}\n")
    assert done.todo == [(3, reason)]
    assert f"    {MARK}{reason}\n    {text}\n" in done.text
    assert "import torch\n" in done.text


@pytest.mark.parametrize("call", ["f(x).bernoulli(p)", "f(x).std(dim, unbiased)", "f(x).var(unbiased=u)"])
def test_what_may_be_a_call_of_a_tensor_is_not_guessed(call):
    name = call.split("(")[1].removeprefix("x).")
    assert reasons(f"y = {call}\n") == [
        f"torch.Tensor.{name}: no row of the map takes this call; write it in another form: {call}"
    ]


@pytest.mark.parametrize("call", ["f(x).transpose(2, 0, 1)", "f(x).unsqueeze()", "f(x).std(ddof=1)"])
def test_what_cannot_be_a_call_of_a_tensor_is_anothers(call):
    done = convert(f"import torch\ny = {call}\n")
    assert not done.todo
    assert done.text.endswith(f"y = {call}\n")


def test_names_that_stand_for_a_module_of_torch():
    text = "import torch\nT = t = torch  # both\nnn, F = torch.nn, T.nn.functional\n"
    text += "y = F.gelu(T.cat([a, t.ones(2)], 1))\nn = nn.ReLU()\n"
    assert convert(text).text == (
        "from mindspore import mint\n"
        "y = mint.nn.functional.gelu(mint.cat([a, mint.ones((2,))], 1))\n"
        "n = mint.nn.ReLU()\n"
    )
    within = "import torch\ndef f(x):\n    F = torch.nn.functional\n    return F.gelu(x)\n"
    assert convert(within).text.endswith("def f(x):\n    pass\n    return mint.nn.functional.gelu(x)\n")


def test_a_name_of_a_module_of_torch_stays_while_anything_is_left_to_do():
    done = convert("import torch\nT = torch\ny = T.no_such_thing(1)\n")
    assert len(done.todo) == 1
    assert done.text.startswith("import torch\nT = torch\n")


def test_imports_within_functions_go():
    assert convert("def f():\n    import torch\n    return torch.cat([])\n").text == (
        "from mindspore import mint\ndef f():\n    pass\n    return mint.cat([])\n"
    )


def test_source_that_is_not_python_3_is_a_syntax_error():
    with pytest.raises(SyntaxError, match="print"):
        convert("import torch\nprint 'x'\n")


def test_an_optimizer_of_one_network_reads_as_one_writes_it() -> None:
    """Parameters of several networks may have equal names, what is frozen may be trained later: helpers see to that."""
    head = "import itertools\nimport torch\n\na, b = torch.nn.Linear(4, 8), torch.nn.Linear(8, 2)\n"
    plain = convert(head + "opt = torch.optim.SGD(a.parameters(), lr=0.1)\n").text
    assert "opt = mindspore.experimental.optim.SGD(a.trainable_params(), lr=0.1)" in plain
    assert "def _" not in plain
    several = convert(head + "opt = torch.optim.SGD(itertools.chain(a.parameters(), b.parameters()), lr=0.1)\n").text
    assert "SGD(_distinct(itertools.chain(_parameters(a), _parameters(b))), lr=0.1)" in several
    assert several.count("import itertools") == 1
    filtered = convert(head + "opt = torch.optim.SGD(p for p in a.parameters())\n").text
    assert "SGD(_distinct(p for p in _parameters(a)))" in filtered
    frozen = convert(head + "a.weight.requires_grad = False\nopt = torch.optim.SGD(a.parameters(), lr=0.1)\n").text
    assert "SGD(_distinct(_parameters(a)), lr=0.1)" in frozen


@pytest.mark.parametrize(
    ("torch_text", "converted"),
    [
        ("y = torch.exp(torch.arange(3) * 2)\n", "y = mint.exp((mint.arange(end=3) * 2).float())\n"),
        ("y = torch.tensor([1, 2])[1:].log()\n", "y = mindspore.tensor([1, 2])[1:].float().log()\n"),
        ("y = x.argmax(0).sin()\n", "y = x.argmax(dim=0).float().sin()\n"),
        ("for i in torch.arange(3):\n    i.exp()\n", "for i in mint.arange(end=3):\n    i.float().exp()\n"),
        ("y = (torch.arange(3) / 2).exp()\n", "y = (mint.arange(end=3) / 2).exp()\n"),
        (
            "y = torch.tensor([1], dtype=torch.half).exp()\n",
            "y = mindspore.tensor([1], dtype=mindspore.float16).exp()\n",
        ),
    ],
)
def test_whole_numbers_become_floats_where_mindspore_takes_floats_alone(torch_text, converted):
    assert body(torch_text) == converted


def test_several_sizes_are_one_tuple_where_mindspore_takes_one():
    text = "y = torch.ones(2).expand(n, -1)\nz = torch.ones(2).repeat(n, m)\nu = torch.ones(2).expand(*s)\n"
    assert body(text) == (
        "y = mint.ones((2,)).expand((n, -1))\nz = mint.ones((2,)).tile((n, m))\nu = mint.ones((2,)).expand((*s,))\n"
    )


LAYERS_OF_ANY_KIND = """
import torch
from torch import nn

def init(m):
    if hasattr(m, "weight") and getattr(m, "weight", None) is not None:
        m.weight.data.fill_(2.0)
        m.bias = nn.Parameter(m.weight[0].detach().reshape(-1)[:1] + 1)

layers = [nn.Linear(1, 1), nn.BatchNorm1d(1), nn.BatchNorm3d(1), nn.LayerNorm(1), nn.GroupNorm(1, 1)]
for layer in layers:
    init(layer)
RESULT = [float(v) for layer in layers for v in (layer.weight.detach().sum(), layer.bias.detach().sum())]
sizes = [nn.Embedding(3, 2)][0].embedding_dim, [nn.Linear(4, 5)][0].out_features
names = [n for layer in layers for n, _ in nn.Sequential(layer).named_parameters()]
"""


def test_attributes_of_layers_of_any_kind():
    """The target classic has other names for them: of an object that may be any layer, it is asked when it runs."""
    converted = convert(LAYERS_OF_ANY_KIND, target="classic")
    assert not converted.todo
    assert "_attribute(m, 'weight')" in converted.text
    assert '_has_attribute(m, "weight")' in converted.text
    assert '_set_attribute(m, "bias", mindspore.Parameter(' in converted.text
    theirs, ours = {}, types.ModuleType("converted")
    exec(LAYERS_OF_ANY_KIND, theirs)
    execute(converted, vars(ours))
    for name in ("RESULT", "sizes", "names"):
        assert getattr(ours, name) == theirs[name], name


def test_attributes_that_keep_their_names():
    """Of what is known to be no such layer, of settings, and for the target mint."""
    text = "import torch\nclass C:\n    pass\nc = C()\nx = c.weight\nl = torch.nn.Linear(2, 3, bias=config.bias)\n"
    assert "_attribute" not in convert(text, target="classic").text
    assert "_attribute" not in convert(LAYERS_OF_ANY_KIND).text


@pytest.mark.parametrize(
    ("edits", "fault"),
    [
        ([(14, 15, "(")], "line 3: the converted text is not Python"),
        ([(6, 14, ""), (8, 15, "")], "line 2: edits overlap"),
    ],
)
def test_a_text_that_is_no_python_is_a_fault_of_the_conversion(edits, fault, monkeypatch):
    def break_it(self, edits_of_file):
        for edit in edits:
            edits_of_file.add(*edit)

    monkeypatch.setattr(Diagnostics, "write_comments", break_it)
    with pytest.raises(ConversionFault, match=fault):
        convert("\nimport torch\n\nx = torch.cat([])\n")


def test_lines_before_edits():
    source = Source("a\nb\nc\nd\n")
    edits = [Edit(0, 1, "a1\na2\na3"), Edit(2, 6, "")]
    assert source.edited(edits) == "a1\na2\na3\nd\n"
    assert [source.line_before(edits, line) for line in (1, 2, 3, 4)] == [1, 1, 1, 4]


def test_quotes_inside_a_text():
    """A text ends at its own quotes before Python 3.12."""
    for text in ("f'{m.weight}'", 'f"{m.weight}"'):
        ast.parse(convert(f"import torch\ntorch.nn.Tanh()\nprint({text})\n", target="classic").text)
