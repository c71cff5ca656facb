"""Gradients of integer Tensors (numbers: MindSpore 2.7.0's, both modes) and of complex ones (torch's), in both modes."""

import gc

import jax
import numpy as np
import pytest
import torch
from devices import of_cpus

import sporax as ms
from sporax import Parameter, Tensor, nn, ops

A, B = Tensor([1, 2, 3]), Tensor([2, 2, 2])
NOTHING = [0, 0, 0]
HALVES = Tensor([0.5, 1.5, 2.5])

# --- integers: each gradient is a whole number, but for functions of integers alone that return floats -----------------------

CASES = {
    "a + b": (lambda a, b: a + b, [1, 1, 1], [1, 1, 1]),
    "1 - a": (lambda a, b: 1 - a, [-1, -1, -1], NOTHING),
    "a * b": (lambda a, b: a * b, [2, 2, 2], [1, 2, 3]),
    "a * a * b": (lambda a, b: a * a * b, [4, 8, 12], [1, 4, 9]),
    "a * 1.5": (lambda a, b: a * 1.5, [1, 1, 1], NOTHING),
    "a * 1.5 + a * 1.5": (lambda a, b: a * 1.5 + a * 1.5, [2, 2, 2], NOTHING),
    "a * floats": (lambda a, b: a * HALVES, [0, 1, 2], NOTHING),
    "a // b": (lambda a, b: a // b, NOTHING, NOTHING),
    "a % b": (lambda a, b: a % b, [1, 1, 1], [0, -1, -1]),
    "a / 2.0": (lambda a, b: a / 2.0, NOTHING, NOTHING),
    "a ** 2": (lambda a, b: a**2, [2, 4, 6], NOTHING),
    "a ** 0.5": (lambda a, b: a**0.5, NOTHING, NOTHING),
    "a > b": (lambda a, b: a > b, NOTHING, NOTHING),
    "float": (lambda a, b: a.astype(ms.float32) * 2.5, [2, 2, 2], NOTHING),
    "int32": (lambda a, b: a.astype(ms.int32), [1, 1, 1], NOTHING),
    "sqrt(2a)": (lambda a, b: ops.sqrt(a * 2), NOTHING, NOTHING),
    "sum": (lambda a, b: a.sum(), [1, 1, 1], NOTHING),
    "prod": (lambda a, b: ops.prod(a), [6, 3, 2], NOTHING),
    "relu": (lambda a, b: ops.relu(a), [1, 1, 1], NOTHING),
    "abs": (lambda a, b: ops.abs(a), [1, 1, 1], NOTHING),
    "clamp": (lambda a, b: ops.clamp(a, 2, 3), [0, 1, 1], NOTHING),
    "where": (lambda a, b: ops.where(a > 1, a, b), [0, 1, 1], [1, 0, 0]),
    "cat": (lambda a, b: ops.cat((a, b)), [1, 1, 1], [1, 1, 1]),
    "reshape": (lambda a, b: a.reshape(3, 1) * b, [6, 6, 6], [6, 6, 6]),
    "slices": (lambda a, b: a[1:] * b[0], [0, 2, 2], [5, 0, 0]),
    "gathered": (lambda a, b: ops.gather(a * a, Tensor([0, 2]), 0), [2, 0, 6], NOTHING),
    "index": (lambda a, b: ops.gather(Tensor(np.arange(10.0, dtype=np.float32)), a, 0), NOTHING, NOTHING),
    "bits": (lambda a, b: ops.bitwise_and(a, b), NOTHING, NOTHING),
    "stop_gradient": (lambda a, b: ops.stop_gradient(a) * b, NOTHING, [1, 2, 3]),
    "matmul": (lambda a, b: ops.matmul(a.astype(ms.float32), b.astype(ms.float32)), [2, 2, 2], [1, 2, 3]),
}


@pytest.mark.parametrize("case", of_cpus(CASES, {"a ** 2": "a GPU rounds powers of floats, which are cut off then"}))
def test_integers(case, mode) -> None:
    """The gradient by an integer Tensor is an integer Tensor of its dtype."""
    fn, *want = CASES[case]
    for got, expected in zip(ms.grad(fn, (0, 1))(A, B), want, strict=True):
        assert got.dtype == ms.int64
        np.testing.assert_array_equal(got.asnumpy(), expected)


FLOATS = {
    "a / b": (lambda a, b: a / b, [0.5, 0.5, 0.5], [-0.25, -0.5, -0.75]),
    "a / 2": (lambda a, b: a / 2 + b * 0.0, [0.5, 0.5, 0.5], None),
    "(a / b)²": (lambda a, b: (a / b) * (a / b), [0.5, 1.0, 1.5], [-0.25, -1.0, -2.25]),
    "sqrt(a)": (lambda a, b: ops.sqrt(a), [0.5, 0.35355338, 0.28867513], None),
}


@pytest.mark.parametrize("case", FLOATS)
def test_floats_of_integers_alone(case, mode) -> None:
    """A function of integers that returns floats hands them a float gradient; what it does not reach stays an integer."""
    fn, *want = FLOATS[case]
    for got, expected in zip(ms.grad(fn, (0, 1))(A, B), want, strict=True):
        assert got.dtype == (ms.int64 if expected is None else ms.float32)
        np.testing.assert_allclose(got.asnumpy(), NOTHING if expected is None else expected, rtol=1e-6)


class Product(nn.Cell):
    """x·w·f with an integer and a float Parameter, and one of bools that is not used."""

    def __init__(self) -> None:
        super().__init__()
        self.w = Parameter(Tensor([2, 3], ms.int32), name="w")
        self.f = Parameter(Tensor([2.0, 3.0]), name="f")
        self.b = Parameter(Tensor([True, False]), name="b")

    def construct(self, x):
        return x * self.w * self.f


X = Tensor([5, 7], ms.int32)


def _plain(value):
    return [_plain(v) for v in value] if isinstance(value, tuple) else (str(value.dtype), value.tolist())


def test_integer_parameters(mode) -> None:
    """An integer among the weights has a gradient like any other; the gradient of bools is False."""
    net = Product()
    by_x, by_w = ms.grad(net, 0, tuple(net.trainable_params()))(X)
    assert _plain(by_x) == ("Int32", [4, 9])
    assert _plain(by_w) == [("Int32", [10, 21]), ("Float32", [10.0, 21.0]), ("Bool", [False, False])]
    assert _plain(ms.grad(net, None, net.w)(X)) == ("Int32", [10, 21])
    both = ops.GradOperation(get_all=True, get_by_list=True)(net, [net.w])(X)
    assert _plain(both) == [[("Int32", [4, 9])], [("Int32", [10, 21])]]


def _cube(x):
    return x * x * x


def test_forms(mode) -> None:
    """value_and_grad, GradOperation, vjp; sensitivities are integers as the output is."""
    sens = Tensor([2, 3], ms.int32)
    assert _plain(ms.value_and_grad(_cube)(X)) == [("Int32", [125, 343]), ("Int32", [75, 147])]
    assert _plain(ops.GradOperation(sens_param=True)(_cube)(X, sens)) == ("Int32", [150, 441])
    assert _plain(ms.vjp(_cube, X)[1](sens)) == [("Int32", [150, 441])]
    once = [5, 7] if mode == ms.GRAPH_MODE else [10, 14]  # one Tensor given twice: see test_grad.py
    assert _plain(ms.grad(lambda x, y: x * y, (0, 1))(X, X)) == [("Int32", once), ("Int32", once)]
    assert _plain(ms.grad(_cube)(Tensor([2, 3], ms.uint8))) == ("UInt8", [12, 27])


def test_sensitivities_of_some_outputs(mode) -> None:
    """Sensitivities may be given for all outputs, also for one that nothing flows back from."""

    def two(x):
        return x * x, ops.argmax(x)

    x = Tensor([1.0, 4.0])
    grad = ops.GradOperation(sens_param=True)(two)
    want = [2.0, 24.0]
    assert grad(x, (Tensor([1.0, 3.0]), Tensor(1))).tolist() == want
    assert grad(x, Tensor([1.0, 3.0])).tolist() == want


def test_higher_orders(mode) -> None:
    """A gradient of an integer gradient."""
    assert ms.grad(ms.grad(_cube))(X).tolist() == [30, 42]
    assert ms.grad(ms.grad(ms.grad(_cube)))(X).tolist() == [6, 6]


def test_assigned_in_place(mode) -> None:
    """Gradients pass through elements assigned in place."""

    def own(a):
        a = a * 1
        a[0] = a[1] * 2
        return a * a

    def other(a):
        z = ops.zeros(3, ms.int64)
        z[1:] = a
        return z * z

    assert ms.grad(own)(Tensor([5, 7])).tolist() == [0, 2 * 14 * 2 + 14]
    assert ms.grad(other)(Tensor([5, 7])).tolist() == [10, 14]


def test_large_integers(mode) -> None:
    """Gradients by 64-bit integers are not rounded to float32."""
    big = Tensor([2**40 + 1])
    assert ms.grad(lambda a, b: a * b, (0, 1))(big, Tensor([3]))[1].item() == 2**40 + 1


def test_a_compiled_function_in_pynative_mode() -> None:
    """A graph within a gradient of PyNative mode passes integer gradients, and indexes by what the integers are."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    table = Tensor(np.arange(6.0, dtype=np.float32))

    @ms.jit
    def fn(x, i):
        return x * x * 2, table[i] * x

    by_x, by_i = ms.grad(fn, (0, 1))(Tensor([3, 4]), Tensor([1, 5]))
    assert by_x.tolist() == [12 + 1, 16 + 5] and by_i.tolist() == [0, 0]


def test_a_compiled_function_branches() -> None:
    """A float that a branch of a graph makes of integers passes gradients to them."""
    ms.set_context(mode=ms.PYNATIVE_MODE)

    @ms.jit
    def fn(x, n):
        return x * n * 2 if n.sum() > 3 else x

    by_x, by_n = ms.grad(fn, (0, 1))(Tensor([3.0, 4.0]), Tensor([1, 5]))
    assert by_x.tolist() == [2.0, 10.0] and by_n.tolist() == [6, 8]


class Own(nn.Cell):
    """x² with a backward of its own, three times the true one."""

    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * x * 6,)


def test_own_backward_of_integers(mode) -> None:
    """`bprop` and hooks get integer gradients of integers, and may change them."""

    def hook(g):
        assert g.dtype == ms.int32
        return g * 3

    assert ms.grad(Own())(X).tolist() == [30, 42]
    assert ms.grad(lambda x: Own()(x * 2))(X).tolist() == [120, 168]
    assert ms.grad(ms.grad(Own()))(X).tolist() == [6, 6]
    assert ms.grad(lambda x: ops.InsertGradientOf(hook)(x * x) * x)(X).tolist() == [7 * 25, 7 * 49]


def _tracers():
    gc.collect()
    return [t for t in gc.get_objects() if jax.core.Tracer in type(t).__mro__]


def test_nothing_of_a_trace_is_left(mode) -> None:
    """After a gradient by integers no traced value is held by an argument, a Parameter or a Tensor of the program."""
    before = _tracers()
    net, kept = Product(), Tensor([1, 1], ms.int32)

    def fn(x):
        kept[0] = x[1]
        return net(x) * kept

    assert ms.grad(fn, 0, (net.w,))(X)[0].tolist() == [4 * 7, 9 + 5 * 2 * 2]
    assert kept.tolist() == [7, 1] and (kept + net.w).tolist() == [9, 4]
    assert not [t for t in _tracers() if id(t) not in set(map(id, before))]


# --- complex: torch's convention, ∂L/∂Re + i·∂L/∂Im ---------------------------------------------------------------------------

_rng = np.random.default_rng(3)
Z, W, S = (_rng.normal(size=(3, 2, 2, 2)).astype(np.float32).view(np.complex64)[..., 0] for _ in range(1)).__next__()
SPORAX = {"complex": ops.Complex(), "conj": ops.conj, "ops": ops}
TORCH = {"complex": torch.complex, "conj": torch.conj, "ops": torch}

COMPLEX = {
    "mul": lambda z, w, k: z * w,
    "div": lambda z, w, k: z / w,
    "pow": lambda z, w, k: z**2 * w,
    "exp": lambda z, w, k: k["ops"].exp(z),
    "abs": lambda z, w, k: k["ops"].abs(z * w),
    "real": lambda z, w, k: k["ops"].real(z) * w,
    "imag": lambda z, w, k: k["ops"].imag(z) * k["ops"].imag(w),
    "conj": lambda z, w, k: k["conj"](z) * z * w,
    "sqrt": lambda z, w, k: k["ops"].sqrt(z),
    "square": lambda z, w, k: k["ops"].square(z),
    "sin": lambda z, w, k: k["ops"].sin(z),
    "cos": lambda z, w, k: k["ops"].cos(z),
    "log": lambda z, w, k: k["ops"].log(z),
    "tanh": lambda z, w, k: k["ops"].tanh(z),
    "matmul": lambda z, w, k: k["ops"].matmul(z, w),
    "complex": lambda z, w, k: k["complex"](k["ops"].real(z), k["ops"].imag(w)) * z,
    "sum of |z|²": lambda z, w, k: (k["ops"].abs(z) * k["ops"].abs(z)).sum(),
}


def _torch_gradients(fn, order):
    z, w = torch.tensor(Z, requires_grad=True), torch.tensor(W, requires_grad=True)

    def again(out, sens):
        found = torch.autograd.grad(out, (z, w), sens, allow_unused=True, create_graph=True, materialize_grads=True)
        return [f.resolve_conj() for f in found]

    out = fn(z, w, TORCH)
    first = again(out, torch.tensor(_sens(out.shape, out.is_complex())))
    if order == 1:
        return [g.detach().numpy() for g in first]
    length = sum((g.abs() * torch.tensor(np.abs(S))).sum() for g in first)
    return [g.detach().numpy() for g in again(length, torch.tensor(1.0))]


def _sens(shape, is_complex):
    sens = S if shape else S[0, 0]
    return np.asarray(sens if is_complex else sens.real)


@pytest.mark.parametrize("case", COMPLEX)
def test_complex(case, mode) -> None:
    """Gradients with a sensitivity are torch's."""

    def fn(z, w):
        return COMPLEX[case](z, w, SPORAX)

    out = fn(Tensor(Z), Tensor(W))
    sens = Tensor(_sens(out.shape, out.dtype == ms.complex64))
    got = ops.GradOperation(get_all=True, sens_param=True)(fn)(Tensor(Z), Tensor(W), sens)
    by_vjp = ms.vjp(fn, Tensor(Z), Tensor(W))[1](sens)
    for g, v, want in zip(got, by_vjp, _torch_gradients(COMPLEX[case], 1), strict=True):
        np.testing.assert_allclose(g.asnumpy(), want, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(v.asnumpy(), want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("case", ["mul", "div", "exp", "abs", "sqrt", "log", "sin", "matmul", "sum of |z|²"])
def test_complex_second_order(case, mode) -> None:
    """The gradient of the length of a gradient is torch's."""

    def fn(z, w):
        return COMPLEX[case](z, w, SPORAX)

    out = fn(Tensor(Z), Tensor(W))
    sens = Tensor(_sens(out.shape, out.dtype == ms.complex64))

    def length(z, w):
        found = ops.GradOperation(get_all=True, sens_param=True)(fn)(z, w, sens)
        return sum((ops.abs(g + 0) * Tensor(np.abs(S))).sum() for g in found[: 1 + (case in BOTH)])

    got = ms.grad(length, (0, 1))(Tensor(Z), Tensor(W))
    for g, want in zip(got, _torch_gradients(COMPLEX[case], 2), strict=True):
        np.testing.assert_allclose(g.asnumpy(), want, rtol=1e-3, atol=1e-4)


BOTH = ("mul", "div", "abs", "matmul")  # the others do not depend on w: the length of a zero has no derivative


def test_complex_weights_and_own_backward(mode) -> None:
    """Weights, `bprop` and hooks are in the same convention."""

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(W), name="w")

        def construct(self, z):
            return ops.abs(ops.InsertGradientOf(lambda g: g * 1j)(Squared()(z) * self.w))

    class Squared(nn.Cell):
        def construct(self, z):
            return z * z

        def bprop(self, z, out, dout):
            return (dout * 2 * ops.conj(z),)

    z, w = torch.tensor(Z, requires_grad=True), torch.tensor(W, requires_grad=True)
    product = z * z * w
    product.register_hook(lambda g: g * 1j)
    want = torch.autograd.grad(product.abs().sum(), (z, w))
    net = Net()
    by_z, by_w = ms.grad(net, 0, net.w)(Tensor(Z))
    np.testing.assert_allclose(by_z.asnumpy(), want[0].resolve_conj().numpy(), rtol=1e-4)
    np.testing.assert_allclose(by_w.asnumpy(), want[1].resolve_conj().numpy(), rtol=1e-4)


def test_complex_in_one_operation(mode) -> None:
    """Complex values that one operation computes on the way to a float."""
    x = np.arange(1.0, 5.0, dtype=np.float32)
    t = torch.tensor(x, requires_grad=True)
    (want,) = torch.autograd.grad(torch.linalg.norm(torch.fft.fft(t * 1j + 1)), t)
    got = ms.grad(ms.jit(lambda x: ops.norm(ops.fft(x * 1j + 1))))(Tensor(x))
    np.testing.assert_allclose(got.asnumpy(), want.numpy(), rtol=1e-4, atol=1e-5)


def test_jacrev_of_complex(mode) -> None:
    """A row of the Jacobian is the gradient of an output."""
    want = torch.autograd.functional.jacobian(torch.real, torch.tensor(Z[0])).resolve_conj().numpy()
    np.testing.assert_allclose(ms.jacrev(ops.real)(Tensor(Z[0])).asnumpy(), want, rtol=1e-5, atol=1e-6)
