"""The weights of a torch module in the Parameters of a Cell."""

from __future__ import annotations

from typing import Any

import numpy as np

import sporax as ms
from sporax._src.migrate.compare.align import layer_pairs, parameter_pairs
from sporax._src.migrate.compare.measure import same_but_ones
from sporax._src.migrate.compare.recorder import describe


def carry(torch_net: Any, cell: ms.nn.Cell) -> None:
    """Give the Cell's Parameters the values that those of one name, or of one place, have in the module.

    A Parameter that has no counterpart, or one of another shape, is left as it is.
    """
    ours = {path: describe(module, "forward") for path, module in torch_net.named_modules()}
    theirs = {path: describe(layer, "construct") for path, layer in cell.cells_and_names()}
    values = {**dict(torch_net.named_parameters()), **dict(torch_net.named_buffers())}
    parameters = dict(cell.parameters_and_names())
    pairs = parameter_pairs(list(values), list(parameters), layer_pairs(ours, theirs))
    for name, other in pairs.items():
        parameter, tensor = parameters[other], values[name].detach().cpu()
        array = tensor.float().numpy() if tensor.is_floating_point() else tensor.numpy()
        target = np.empty(parameter.shape)
        if same_but_ones(array, target):
            parameter.set_data(ms.Tensor(array.reshape(target.shape), parameter.dtype))
