"""`debug_nans` names the operation, the Cell and the line where a NaN or Inf begins, in both modes."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sporax as ms
from sporax import Tensor, nn, ops

HERE = str(Path(__file__))


@pytest.fixture(autouse=True)
def _on():
    ms.set_context(debug_nans=True)
    yield
    ms.set_context(debug_nans=False)


def line_of(mark: str) -> str:
    """Return `file:line` of the only line of this file that ends with a mark."""
    (number,) = [i for i, line in enumerate(Path(HERE).read_text().splitlines(), 1) if line.endswith(f"# {mark}")]
    return f"{HERE}:{number}"


class Head(nn.Cell):
    """Takes the logarithm of zeros."""

    def __init__(self) -> None:
        super().__init__()
        self.fc = nn.Dense(4, 3)

    def construct(self, x):
        y = self.fc(x)
        return ops.log(y - y)  # the logarithm


class Net(nn.Cell):
    """Hides it behind two more Cells."""

    def __init__(self) -> None:
        super().__init__()
        self.parts = nn.SequentialCell(nn.Dense(4, 4), Head())

    def construct(self, x):
        return self.parts(x).sum()


X = Tensor(np.ones((2, 4), np.float32))


def message(call) -> str:
    with pytest.raises(FloatingPointError) as error:
        call()
    return str(error.value)


def compiled(fn, mode: int):
    return ms.jit(fn, fullgraph=True) if mode == ms.GRAPH_MODE else fn


def head(mode: int, name: str) -> str:
    return f"{name}: " if mode == ms.GRAPH_MODE else ""


def test_operation_cell_and_line(mode: int) -> None:
    """The message names all three, and says how much is wrong."""
    text = message(lambda: Net()(X))
    graph = mode == ms.GRAPH_MODE
    what = "Net: ops.log: log(float32[2, 3])" if graph else "ops.log(float32[2, 3])"
    assert text == (
        f"{what} made -Inf in 6 of 6 elements of float32[2, 3], from finite operands, in the Cell Net.parts.1, "
        f"at {line_of('the logarithm')}."
    )


def test_finite_programs_are_left_alone(mode: int) -> None:
    """Values and gradients are those without the switch."""
    cell = nn.Dense(4, 3)
    got = ms.value_and_grad(lambda x: cell(x).sum(), 0, cell.trainable_params())(X)
    ms.set_context(debug_nans=False)
    want = ms.value_and_grad(lambda x: cell(x).sum(), 0, cell.trainable_params())(X)
    np.testing.assert_array_equal(got[0].asnumpy(), want[0].asnumpy())
    np.testing.assert_array_equal(got[1][0].asnumpy(), want[1][0].asnumpy())


def test_gradient(mode: int) -> None:
    """The value is finite, the gradient is not: √x at 0."""
    fn = ms.grad(lambda x: ops.sqrt(x).sum())  # the root
    text = message(lambda: fn(X * 0))
    assert "ops.sqrt" in text and "made Inf in 8 of 8 elements" in text and text.endswith(f"at {line_of('the root')}.")
    assert ("gradient" in text.split("made")[0]) or mode == ms.GRAPH_MODE
    assert "while a gradient is taken" in text or mode == ms.PYNATIVE_MODE


def test_gradient_of_what_comes_before(mode: int) -> None:
    """A cotangent that overflows on its way back is found at the operation it passes; the value is finite."""

    def fn(x):
        y = x * 1e-30
        y = y * 1e20  # the factor
        return y.sum() * 1e25

    assert np.isfinite(float(fn(X)))
    text = message(lambda: ms.grad(fn)(X))
    assert text.startswith(f"{head(mode, 'grad(fn)')}the gradient of ops.mul") and "made Inf" in text
    assert text.endswith(f"at {line_of('the factor')}.")


def test_second_order(mode: int) -> None:
    """The second derivative of x^1.5 is infinite at 0, the first is not."""
    fn = lambda x: ops.pow(x, 1.5).sum()
    assert float(ms.grad(fn)(X * 0).sum()) == 0.0
    assert "pow" in message(lambda: ms.grad(ms.grad(fn))(X * 0))


def test_inside_of_rewritten_control_flow() -> None:
    """`while`, `for` over a Tensor and `if` are followed; the line is that of the program."""

    def loops(x, n):
        while x.sum() < 100:
            x = x * 3
        for _ in range(n):
            x = x - 200
        if x.sum() < 0:
            x = ops.sqrt(x)  # in the branch
        return x

    text = message(lambda: ms.jit(loops, fullgraph=True)(X, Tensor(3)))
    assert text == (
        "loops: ops.sqrt: sqrt(float32[2, 4]) made NaN in 8 of 8 elements of float32[2, 4], from finite operands, "
        f"at {line_of('in the branch')}."
    )

    def overflow(x, n):
        for _ in range(n):
            x = ops.exp(x)  # in the loop
        return x

    assert line_of("in the loop") in message(lambda: ms.jit(overflow, fullgraph=True)(X, Tensor(6)))


def test_scan_in_a_graph() -> None:
    """The step at which a scan goes wrong is inside of a compiled loop over rows."""
    import jax
    import jax.numpy as jnp

    from sporax._src.transform.debug.nonfinite_search import search

    def body(carry, row):
        return carry * row, jnp.log(carry)

    graph = jax.make_jaxpr(lambda c, xs: jax.lax.scan(body, c, xs, reverse=True))
    values = [jnp.float32(1.0), jnp.asarray([1.0, -1.0, 2.0], jnp.float32)]
    finite, error = search(graph(*values), values, ["c", "xs"])
    assert not finite and "log(float32[]) made NaN in 1 of 1 elements" in str(error)
    values[1] = jnp.abs(values[1])
    assert search(graph(*values), values, ["c", "xs"]) == (True, None)


def test_infinities_that_were_put_in_are_no_error(mode: int) -> None:
    """A mask of -inf before a softmax is meant; a row of nothing else is not."""

    def attend(x, mask):
        return ops.softmax(ops.masked_fill(x, mask, -np.inf))  # the softmax

    run = compiled(attend, mode)
    mask = Tensor(np.array([[True, False, False, False]] * 2))
    np.testing.assert_allclose(run(X, mask).asnumpy()[0], [0, 1 / 3, 1 / 3, 1 / 3], rtol=1e-6)
    text = message(lambda: run(X, Tensor(np.ones((2, 4), bool))))
    assert "ops.softmax" in text and "made NaN" in text and "from an operand that holds Inf" in text
    assert text.endswith(f"at {line_of('the softmax')}.")
    assert np.isinf(ops.full((2,), -np.inf, dtype=ms.float32).asnumpy()).all()
    assert np.isinf((Tensor([np.inf]) + 1).asnumpy()).all()


def test_a_masked_infinity_in_a_graph_is_no_error() -> None:
    """A graph is judged by what it returns and writes."""
    fn = ms.jit(lambda x: ops.where(x == 0, x, 1 / x))
    np.testing.assert_array_equal(fn(X * 0).asnumpy(), np.zeros((2, 4)))


def test_nan_that_came_in(mode: int) -> None:
    """No operation made it: the argument, or the operand, is named."""
    run = compiled(lambda data: data + 1, mode)
    text = message(lambda: run(Tensor([1.0, np.nan])))
    want = {
        ms.GRAPH_MODE: "<lambda>: 'data' held NaN before any operation touched it.",
        ms.PYNATIVE_MODE: "an operand of ops.add(float32[2], 1) held NaN before any operation touched it, at ",
    }
    assert text.startswith(want[mode])
    cell = nn.Dense(4, 3)
    cell.bias.set_data(Tensor([0.0, np.nan, 0.0]))
    assert "held NaN before any operation touched it" in message(lambda: cell(X))


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float64])
def test_every_float(mode: int, dtype: ms.dtype.Type) -> None:
    run = compiled(lambda x: ops.log(x), mode)
    text = message(lambda: run(Tensor([1.0, -1.0], dtype)))
    assert f"made NaN in 1 of 2 elements of {str(dtype).lower()}[2]" in text


def test_complex_and_integers(mode: int) -> None:
    run = compiled(lambda x: ops.log(x), mode)
    assert "made Inf in 1 of 1 elements of complex64[1]" in message(lambda: run(Tensor([0j], ms.complex64)))
    assert compiled(lambda x: x + 1, mode)(Tensor([1, 2])).asnumpy().tolist() == [2, 3]


def test_a_graph_inside_of_a_pynative_gradient() -> None:
    """A compiled function is one operation of the tape; it is searched like any other graph."""
    inner = ms.jit(lambda x: ops.log(x - x))  # inside
    text = message(lambda: ms.grad(lambda x: inner(x).sum())(X))
    assert "ops.log" in text and line_of("inside") in text


def test_the_environment_turns_it_on(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text("import sporax as ms\nms.ops.log(ms.Tensor([0.0]))\n")
    env = {
        "SPORAX_DEBUG_NANS": "1",
        "PATH": "/usr/bin",
        "SPORAX_CACHE_DIR": "off",
        "PYTHONPATH": str(Path(ms.__file__).parents[1]),
    }
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, env=env)
    assert done.stderr.splitlines()[-1] == (
        f"FloatingPointError: ops.log(float32[1]) made -Inf in 1 of 1 elements of float32[1], from finite operands, "
        f"at {script}:2."
    )
