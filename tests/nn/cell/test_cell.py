"""Cells: Parameters that wait for their values, names, attributes, flags."""

import copy
import threading
import time

import numpy as np
import pytest
from executables import executables

import sporax as ms
from sporax import Parameter, ParameterTuple, Tensor, nn, ops
from sporax._src.core.execution import CONSUMED
from sporax._src.transform import capture
from sporax.common import initializer
from sporax.common.parameter import _is_parameter_generated


def test_no_init_parameters() -> None:
    with nn.no_init_parameters():
        net = nn.Dense(2, 1, weight_init="ones")
    assert net.weight.has_init and net.bias.has_init
    net.load_state_dict({"weight": Tensor([[3.0, 4.0]])}, strict=False)
    assert not net.weight.has_init
    net.init_parameters_data()
    assert net.weight.asnumpy().tolist() == [[3, 4]] and not net.bias.has_init
    with nn.utils.no_init_parameters():
        waiting = nn.Dense(2, 1, weight_init="ones").weight
    assert waiting.init_data().asnumpy().tolist() == [[1, 1]] and not nn.Dense(1, 1).weight.has_init


@pytest.mark.parametrize("how", ["cell", "graph"])
def test_a_run_draws_parameters_that_wait(how: str, mode: int) -> None:
    with nn.no_init_parameters():
        net = nn.Dense(2, 1, weight_init="ones", bias_init=3.0)
        optimizer = nn.Adam(net.trainable_params())
    assert net.weight._value is CONSUMED and optimizer.moment1[0].asnumpy().tolist() == [[0, 0]]
    net.bias.set_data(Tensor([5.0]))
    x = Tensor([[1.0, 2.0]])
    assert (net(x) if how == "cell" else ms.jit(lambda v: net(v))(x)).item() == 8
    assert not net.weight.has_init


def test_whatever_reads_a_parameter_that_waits_draws_it() -> None:
    with nn.no_init_parameters():
        net = nn.Dense(3, 2, weight_init="normal", bias_init=3.0)
        clone = net.weight.clone()
    twin = copy.deepcopy(net)
    assert (net.weight.shape, net.weight.ndim, net.weight.size, net.weight.nbytes) == ((2, 3), 2, 6, 24)
    assert str(net.weight.dtype) == "Float32" and net.weight.has_init and twin.weight.has_init
    assert (net.bias + 1).asnumpy().tolist() == [4, 4] and ms.Tensor(twin.bias).asnumpy().tolist() == [3, 3]
    drawn = net.weight[0].asnumpy()
    assert drawn.any() and not net.weight.has_init
    np.testing.assert_array_equal(clone.asnumpy(), net.weight.asnumpy())
    np.testing.assert_array_equal(twin.weight.asnumpy(), net.weight.asnumpy())
    with nn.no_init_parameters():
        written = Parameter(initializer.initializer("ones", (2,)), name="w")
    ops.assign(written, Tensor([7.0, 8.0]))
    assert not written.has_init and (written * 1).asnumpy().tolist() == [7, 8]


def test_a_copy_of_a_parameter_that_waits_has_its_values() -> None:
    """Whether a seed gives them or not."""
    for init in (
        initializer.VarianceScaling(),
        initializer.Orthogonal(),
        initializer.Sparse(0.5),
        lambda a: a.fill(np.random.rand()),
    ):
        with nn.no_init_parameters():
            net = nn.Dense(4, 4, weight_init=init)
            average = ParameterTuple(net.trainable_params()).clone("average")
        twin = copy.deepcopy(net)
        np.testing.assert_array_equal(average[0].asnumpy(), net.weight.asnumpy())
        np.testing.assert_array_equal(twin.weight.asnumpy(), net.weight.asnumpy())


def test_drawing_compiles_nothing() -> None:
    nn.Dense(3, 2)
    before = executables()
    with nn.no_init_parameters():
        waits = nn.Dense(83, 59, weight_init="normal")
    waits.weight.asnumpy(), nn.Dense(71, 61), nn.Conv2d(5, 7, 11)
    assert executables() == before


def test_an_initializer_may_change_after_it_was_given() -> None:
    with nn.no_init_parameters():
        init = initializer.Constant(2.0)
        param = Parameter(initializer.initializer(init, (2,)), name="w")
    init.value = 5.0
    assert param.asnumpy().tolist() == [2, 2]


def test_parameters_of_a_trace_do_not_wait() -> None:
    with nn.no_init_parameters():
        outer = Parameter(initializer.initializer("ones", (2,)), name="outer")

        @ms.jit
        def made(x: Tensor) -> Tensor:
            ops.assign(outer, x)
            inner = Parameter(initializer.initializer("ones", (2,)), name="inner")
            return x + inner + outer.clone() + copy.deepcopy(outer)

        assert made(Tensor([1.0, 2.0])).asnumpy().tolist() == [4, 7]


def test_an_error_of_an_initializer_names_the_parameter() -> None:
    with nn.no_init_parameters():
        param = Parameter(initializer.initializer("xavier_uniform", (3,)), name="net.scale")
    with pytest.raises(ValueError, match=r"Parameter 'net\.scale': initializer: fan in and fan out"):
        param.asnumpy()


def test_a_failed_step_takes_back_the_first_write() -> None:
    class Fails(nn.SGD):
        def construct(self, gradients):
            count.set_data(Tensor([1.0]))
            raise ValueError("no step")

    with nn.no_init_parameters():
        net = nn.Dense(2, 1)
        count = Parameter(initializer.initializer("zeros", (1,)), name="count", requires_grad=False)
    step = nn.TrainOneStepCell(net, Fails(net.trainable_params()))
    with pytest.raises(ValueError, match="no step"):
        step(Tensor([[1.0, 2.0]]))
    assert count.asnumpy().tolist() == [0]


def test_an_initializer_may_run_a_graph_beside_another_thread() -> None:
    begun = threading.Event()

    def slow(values: np.ndarray) -> None:
        begun.set()
        time.sleep(0.3)
        values[...] = ms.jit(lambda x: x * 3)(ops.ones(values.shape)).asnumpy()

    with nn.no_init_parameters():
        param = Parameter(initializer.initializer(slow, (2,)), name="w")
    reader = threading.Thread(target=param.asnumpy, daemon=True)
    reader.start()
    begun.wait(10)
    assert ms.jit(lambda x: x * param)(Tensor([1.0, 1.0])).asnumpy().tolist() == [3, 3]
    reader.join(10)
    assert not reader.is_alive()


def test_names_of_parameters_in_a_parameter_tuple() -> None:
    """Those without a name are numbered by the Cell; in a plain tuple they keep the one they got when they were made."""
    net = nn.Cell()
    named = Parameter(Tensor([1.0]), name="named")
    net.both = ParameterTuple((Parameter(Tensor([1.0])), named, Parameter(Tensor([1.0]))))
    net.plain = (Parameter(Tensor([1.0])),)
    assert [p.name for p in net.get_parameters()] == ["Parameter$1", "named", "Parameter$2"]
    assert _is_parameter_generated(net.plain[0].name) and not _is_parameter_generated(named.name)


class _Early(nn.Cell):
    def __init__(self, value: object) -> None:
        self.early = value
        super().__init__()


def test_attributes_before_the_cell_is_made() -> None:
    """Plain values are kept; what the Cell itself has to keep comes after its own `__init__`."""
    assert _Early(3).early == 3
    with pytest.raises(AttributeError, match=r"call super\(\).__init__\(\) before assigning a ReLU to _Early.early\."):
        _Early(nn.ReLU())


class Flagged(nn.Cell):
    """A Cell whose result depends on a flag."""

    doubles = False

    def construct(self, x):
        return x * 2 if self.doubles else x


def test_graphs_depend_on_flags(mode: int) -> None:
    """A flag that changes takes another graph, and one that changes back the one before."""
    net, x = nn.SequentialCell(Flagged()), Tensor([3.0])
    answers = {flag: net.add_flags_recursive(doubles=flag)(x).item() for flag in (False, True)}
    count = capture.compilations
    assert answers == {False: 3.0, True: 6.0}
    assert [net.add_flags_recursive(doubles=flag)(x).item() for flag in (False, True)] == [3.0, 6.0]
    assert capture.compilations == count
