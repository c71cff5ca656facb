"""Cells: Parameters that wait for their values, names, attributes, flags."""

import copy

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, ParameterTuple, Tensor, nn, ops
from sporax._src.core.execution import CONSUMED
from sporax._src.transform import capture
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
        written = Parameter(ms.common.initializer.initializer("ones", (2,)), name="w")
    ops.assign(written, Tensor([7.0, 8.0]))
    assert not written.has_init and (written * 1).asnumpy().tolist() == [7, 8]


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
