"""`%load_ext sporax`: a notebook is executed in a kernel, and its cells get what `sporax run` gives a program."""

import re

import nbclient
import nbformat
import pytest

CELLS = {
    "load": "%load_ext sporax\n%sporax --mode graph --device CPU",
    "import": """\
import numpy as np
import mindspore as ms
from mindspore import Tensor, nn

ms.set_context(mode=ms.PYNATIVE_MODE)
print(ms.__version__, ms.get_context("mode") == ms.GRAPH_MODE, np.product([2, 3]))
""",
    "cell with control flow": """\
class Net(nn.Cell):
    def construct(self, x):
        if x.sum() > 0:
            x = x * 2
        for i in range(3):
            if x.max() < 100:
                x = x + i
        return x

net = ms.jit(Net(), fullgraph=True)
print(net(Tensor([1.0])), net(Tensor([-1.0])))
""",
    "function": """\
@ms.jit(fullgraph=True)
def f(x):
    if x.sum() > 0:
        return x + 1
    return x - 1

print(f(Tensor([1.0])), f(Tensor([-1.0])))
""",
    "defined again": """\
@ms.jit(fullgraph=True)
def f(x):
    if x.sum() > 0:
        return x + 10
    return x - 10

print(f(Tensor([1.0])), f(Tensor([-1.0])))
""",
    "raises": """\
@ms.jit
def positive(x):
    if x.sum() < 0:
        raise ValueError(f"negative: {x}")
    return x

print(positive(Tensor([1.0])))
positive(Tensor([-1.0]))
""",
    "cannot be compiled": """\
@ms.jit(fullgraph=True)
def g(x):
    if x.sum() > 0:
        x = x * np.sin(x.asnumpy())
    return x

g(Tensor([1.0]))
""",
    "interrupted": """\
import _thread, threading
ended = threading.Event()
def interrupt():
    for seconds in (0.5, 20, 20, 20):  # Python drops an interrupt that comes within a callback of its garbage collector
        ended.wait(seconds) or _thread.interrupt_main()
threading.Thread(target=interrupt).start()
while True:
    f(Tensor([1.0])), net(Tensor([1.0])), ms.grad(f)(Tensor([1.0]))
""",
    "afterwards": "ended.set(); print(f(Tensor([1.0])), ms.grad(f)(Tensor([1.0])), Tensor([1.0]) + 1)",
    "progress": """\
rows = ms.dataset.NumpySlicesDataset((np.ones((8, 2), np.float32), np.ones((8, 1), np.float32)), shuffle=False).batch(2)
layer = nn.Dense(2, 1)
trained = ms.train.Model(layer, nn.MSELoss(), nn.SGD(layer.trainable_params()), metrics={"mae"})
trained.fit(2, rows, rows, callbacks=ms.train.ProgressBar())
""",
    "unload": "%unload_ext sporax\nimport sys\nprint('mindspore' in sys.modules, hasattr(np, 'product'), ms.Tensor is Tensor)",
    "import without it": "import importlib.util\nprint(importlib.util.find_spec('mindspore'))\n%sporax --mode graph",
}


@pytest.fixture(scope="module")
def shown() -> dict[str, str]:
    """The text that each cell leaves, of errors their traceback."""
    page = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in CELLS.values()])
    nbclient.NotebookClient(page, timeout=120, allow_errors=True, kernel_name="python3").execute()
    return {name: text(cell.outputs) for name, cell in zip(CELLS, page.cells, strict=True)}


def text(outputs: list) -> str:
    shown = [
        [o["text"]] if "text" in o else o.get("traceback", []) or [o["data"].get("text/html", "")] for o in outputs
    ]
    parts = [part for of_output in shown for part in of_output]
    return re.sub(r"\x1b\[[\d;]*m", "", "\n".join(parts)).strip()


@pytest.mark.parametrize(
    ("cell", "want"),
    [
        ("load", ""),
        ("import", "2.7.0 True 6"),
        ("cell with control flow", "[5.] [2.]"),
        ("function", "[2.] [-2.]"),
        ("defined again", "[11.] [-11.]"),
        ("afterwards", "[11.] [1.] [2.]"),
        ("unload", "False False True"),
    ],
)
def test_cells_print(shown, cell, want):
    assert shown[cell] == want


def test_progress_is_one_element_of_the_output(shown):
    """Below it is the history of the run, which `fit` returns."""
    steps = r"epoch 2/2 8/8 loss \S+  mae \S+  eval_loss \S+  \S+ steps/s"
    table = "<table><thead><tr><th>epoch</th><th>loss</th><th>mae</th><th>eval_loss</th></tr>"
    assert re.match(rf'<progress value="8" max="8"></progress> <span>{steps}</span>\n{table}', shown["progress"])


def test_errors_name_the_cell_and_the_line(shown):
    raised = shown["raises"]
    assert raised.startswith("[1.]") and "ValueError: negative: [-1.]" in raised
    assert raised.endswith('  Cell In[6], line 4\n    raise ValueError(f"negative: {x}")\nValueError: negative: [-1.]')
    assert "g cannot be compiled as one graph: Cell In[7], line 4: it needs the value" in shown["cannot be compiled"]


def test_an_interrupted_cell_ends_and_shows_the_programs_own_calls(shown):
    interrupted = shown["interrupted"]
    assert interrupted.endswith("KeyboardInterrupt")
    assert re.search(r"Cell In\[8\], line [78]", interrupted)
    assert not re.search(r"/(jax|jaxlib|sporax|IPython)/", interrupted)


def test_nothing_is_left_after_unloading(shown):
    printed, _, error = shown["import without it"].partition("\n")
    assert printed == "None" and "`%sporax` not found" in error
