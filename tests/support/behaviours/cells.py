"""Cells and Parameters: names, order, children, data, and what loading answers."""

from typing import Any

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops


def _tensor(values: Any) -> Tensor:
    return Tensor(np.array(values, np.float32))


def _names(net: nn.Cell) -> Any:
    return [p.name for p in net.get_parameters()], [name for name, _ in net.cells_and_names()]


class _Two(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Dense(2, 2)
        self.second = nn.Dense(2, 2)


def insert_child_to_cell() -> Any:
    """A child that is inserted keeps the names of its Parameters; one in the place of another is called."""
    net = _Two()
    net.insert_child_to_cell("third", nn.Dense(2, 1))
    names = _names(net)
    net.insert_child_to_cell("second", nn.Dense(2, 3))
    return names, _names(net), net.second.out_channels


def children_that_are_replaced() -> Any:
    """An attribute that is assigned again keeps its first place; one that was deleted comes last."""
    net = _Two()
    net.first = nn.Conv2d(1, 1, 1, has_bias=True)
    names = _names(net)
    del net.first
    net.first = nn.Dense(2, 1)
    return names, _names(net)


def appended_to_a_named_sequence() -> Any:
    """Cells appended to a SequentialCell or CellList that has its name."""
    net = _Two()
    net.blocks = nn.SequentialCell(nn.Dense(2, 2))
    net.blocks.append(nn.Dense(2, 2))
    net.more = nn.CellList([nn.Dense(2, 2)])
    net.more.append(nn.Dense(2, 2))
    net.more.insert(0, nn.Dense(2, 1))
    net.more.extend([nn.Dense(1, 1)])
    return _names(net)


def empty_lists_of_cells() -> Any:
    """`cells_and_names` leaves out a list of no Cells."""
    net = _Two()
    net.blocks, net.more = nn.CellList(), nn.SequentialCell()
    return _names(net), list(net.name_cells())


def classes_of_cells() -> Any:
    """`cells_and_names` shows each Cell's path and class."""
    return [(name, type(cell).__name__) for name, cell in _Two().cells_and_names()]


def set_data_of_another_shape() -> Any:
    """`set_data` takes data of another shape, with and without `slice_shape`."""
    found = []
    for options in ({}, {"slice_shape": True}):
        p = Parameter(_tensor([1.0, 2.0]), name="p")
        p.set_data(_tensor([1.0, 2.0, 3.0]), **options)
        found.append((p.shape, p.asnumpy()))
    return found


def set_data_of_another_dtype() -> Any:
    """`set_data` keeps the Parameter's dtype."""
    found = []
    for dtype, values in ((ms.float32, Tensor([1, 2], ms.int32)), (ms.float16, _tensor([1.5, 2.5]))):
        p = Parameter(Tensor([0, 0], dtype), name="p")
        p.set_data(values)
        found.append(p.asnumpy())
    return found


def set_data_of_floats_in_whole_numbers() -> Any:
    """`set_data` of floats into a Parameter of whole numbers."""
    p = Parameter(Tensor([0, 0], ms.int32), name="p")
    p.set_data(_tensor([1.5, 2.5]))
    return p.asnumpy()


def _load(prefix: str = "", **options: Any) -> Any:
    net = nn.Dense(2, 2, weight_init="zeros")
    values = {
        prefix + name: Parameter(_tensor(p.asnumpy() + 1), name=prefix + name)
        for name, p in net.parameters_dict().items()
    }
    return ms.load_param_into_net(net, values, **options), net.weight


def loading() -> Any:
    """`load_param_into_net` returns the names that were not loaded, and those that were not used."""
    return _load()


def loading_under_a_prefix() -> Any:
    """Names that all lack a prefix are loaded; the second list names them."""
    return _load("net.")


def loading_into_a_prefix() -> Any:
    """So it is if the names of the network have the prefix."""
    net, inner = nn.Dense(2, 2, weight_init="zeros"), nn.Dense(2, 2, weight_init="ones")
    return ms.load_param_into_net(nn.SequentialCell(net), inner.parameters_dict()), net.weight


def loading_less_and_more() -> Any:
    """Missing and unused names."""
    net = nn.Dense(2, 2)
    found = [
        ms.load_param_into_net(net, {}),
        ms.load_param_into_net(net, {"other": Parameter(_tensor([1.0]), name="other")}),
    ]
    return found, ms.load_param_into_net(net, {"weight": Parameter(Tensor(np.ones((2, 2)), ms.float16), name="weight")})


def loading_tensors() -> Any:
    """Tensors that are no Parameters are refused."""
    return ms.load_param_into_net(nn.Dense(2, 2), {"weight": _tensor(np.ones((2, 2)))})


def loading_another_shape() -> Any:
    """Another shape is an error."""
    return ms.load_param_into_net(nn.Dense(2, 2), {"weight": Parameter(_tensor(np.ones((3, 2))), name="weight")})


def loading_another_dtype_strictly() -> Any:
    """Another dtype is an error with `strict_load`."""
    weight = Parameter(Tensor(np.ones((2, 2)), ms.float16), name="weight")
    return ms.load_param_into_net(nn.Dense(2, 2), {"weight": weight}, strict_load=True)


def loading_whole_numbers() -> Any:
    """Whole numbers are not loaded as floats."""
    return ms.load_param_into_net(
        nn.Dense(2, 2), {"weight": Parameter(Tensor(np.ones((2, 2)), ms.int32), name="weight")}
    )


def extra_state() -> Any:
    """A Cell has no extra state of its own: asking for it or setting it is an error."""
    found = []
    for call in (lambda: nn.Dense(2, 2).get_extra_state(), lambda: nn.Dense(2, 2).set_extra_state(1)):
        try:
            found.append(call())
        except Exception as error:
            found.append(type(error).__name__)
    return found


class _Kept(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(1, 1, weight_init="ones")
        self.told = 3

    def get_extra_state(self) -> Any:
        return {"told": self.told}

    def set_extra_state(self, state: Any) -> None:
        self.told = state["told"]


def extra_state_of_ones_own() -> Any:
    """What `get_extra_state` returns is in `state_dict`, and is set when one is loaded."""
    state = _Kept().state_dict()
    state["_extra_state"] = {"told": 5}
    net = _Kept()
    found = net.load_state_dict(state)
    return list(state), net.told, list(found)


def methods_of_the_base() -> Any:
    """What subclasses call of the base is there; `cast_inputs` does nothing, `place` takes workers alone."""
    net, primitive = nn.Dense(2, 2), ops.Add()
    names = (
        "get_extra_state set_extra_state cast_inputs run_construct place extend_repr set_comm_fusion recompute".split()
    )
    primitive.set_user_data("told", 3)
    found = primitive.get_user_data("told"), net.place("MS_WORKER", 0), primitive.place("MS_WORKER", 0)
    return [name for name in names if not hasattr(net, name)], found, net.cast_inputs([_tensor([1.0])], ms.float16)


def placing_elsewhere() -> Any:
    """Another role than that of a worker is an error."""
    return ops.Add().place("scheduler", 0)


def user_data_that_is_missing() -> Any:
    """Asking a Primitive for what it was not given is an error."""
    return ops.Add().get_user_data("nothing")


def running_construct() -> Any:
    """`run_construct` runs `construct` on inputs and keyword arguments, as its documentation says."""
    net = nn.Dense(2, 2, weight_init="ones", bias_init="zeros")
    return net.run_construct((_tensor([[1.0, 2.0]]),), {})


def resetting_batch_norm() -> Any:
    """`mint.nn.BatchNorm2d.reset_parameters` gives back the first values."""
    net = ms.mint.nn.BatchNorm2d(2)
    net.weight.set_data(_tensor([3.0, 4.0]))
    net.running_mean.set_data(_tensor([3.0, 4.0]))
    net.reset_parameters()
    return net.weight, net.running_mean


def means_of_lines_in_one_window() -> Any:
    """AvgPool1d takes a line as one window if no second one fits, with `"same"` too."""
    x = _tensor([[[1.0, 2.0, 4.0, 8.0, 16.0]]])
    sizes = (5, 1), (4, 2), (3, 3), (4, 1), (3, 2)
    return [nn.AvgPool1d(kernel, stride, "same")(x) for kernel, stride in sizes]


def parameters_loaded_by_prefix() -> Any:
    """Names of a checkpoint may have prefixes more than the net's, not fewer: those are not loaded."""

    def loaded(names: list[str], net: Any, **options: Any) -> Any:
        given = {n: ms.Parameter(ms.Tensor(np.full(s, 7, np.float32)), name=n) for n, s in zip(names, [[1, 2], [1]])}
        missing, unexpected = ms.load_param_into_net(net, given, **options)
        return missing, unexpected, [float(p.asnumpy().mean()) == 7 for p in net.get_parameters()]

    return (
        loaded(["net.weight", "net.bias"], nn.Dense(2, 1)),
        loaded(["a.weight", "b.bias"], nn.Dense(2, 1)),
        loaded(["weight", "net_bias"], nn.Dense(2, 1)),
        loaded(["weight", "bias"], nn.SequentialCell(nn.Dense(2, 1))),
        loaded(["net.weight", "net.bias"], nn.Dense(2, 1), strict_load=True),
    )


def assigned_where_a_child_or_parameter_stands() -> Any:
    """Where a Parameter or a child stands, only its like, None, operators and lists of Parameters may be assigned."""
    told = []
    for name in ("scale", "fc"):
        for first in ([], [None]):
            for value in (
                1.0,
                "a",
                [1.0],
                [],
                np.ones(1),
                len,
                nn.ReLU,
                None,
                nn.ReLU(),
                ms.Parameter(_tensor([2.0]), name="q"),
            ):
                net = nn.Cell()
                net.scale, net.fc = ms.Parameter(_tensor([1.0]), name="scale"), nn.Dense(1, 1)
                try:
                    for each in (*first, value):
                        setattr(net, name, each)
                    told.append(type(getattr(net, name)).__name__)
                except (KeyError, TypeError) as error:
                    told.append((type(error).__name__, str(error)))
    return told


def scopes() -> Any:
    """Cells have names in graphs, which say what is computed again."""

    def told(net: nn.Cell) -> Any:
        return [[name, cell.get_scope()] for name, cell in net.cells_and_names() if "recompute" not in name]

    def made() -> nn.SequentialCell:
        return nn.SequentialCell(nn.Dense(1, 1), nn.SequentialCell(nn.ReLU()))

    first, second = made(), made()
    first.recompute()
    begun = told(first)
    first.generate_scope()
    second.generate_scope()
    second[1].recompute(mp_comm_recompute=False)
    return begun, told(first), told(second)


def unknown_options_of_recompute() -> Any:
    """An option that there is not is refused."""
    nn.ReLU().recompute(often=True)
