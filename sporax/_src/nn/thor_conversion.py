"""`ConvertNetUtils`: a network with layers that record the second moments for the optimizer THOR, instead of plain layers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sporax._src.base.errors import describe
from sporax._src.core import dtype as mstype
from sporax._src.nn.cell.cell import Cell
from sporax._src.nn.containers import SequentialCell
from sporax._src.nn.convolution import Conv2d
from sporax._src.nn.embedding import Embedding, EmbeddingLookup
from sporax._src.nn.linear import Dense
from sporax._src.nn.thor_layers import Conv2dThor, DenseThor, EmbeddingLookupThor, EmbeddingThor


class ConvertNetUtils:
    """Converts networks for the optimizer THOR, which calls it itself.

    Examples:
        >>> import sporax as ms
        >>> net = ms.nn.SequentialCell(ms.nn.Dense(2, 3), ms.nn.ReLU())
        >>> ms.train.ConvertNetUtils().convert_to_thor_net(net)
        >>> net[0]
        DenseThor(input_channels=2, output_channels=3, has_bias=True)
    """

    def convert_to_thor_net(self, net: Cell) -> None:
        """Replace all `Dense`, `Conv2d`, `Embedding` and `EmbeddingLookup` layers by layers that record second moments.

        They keep the Parameters, which get the names of their paths below `net`. A layer is not replaced
        if its weight is not trained, if its class is derived from these, if it is a convolution of several groups, and, as in
        MindSpore, if its path contains "wide" or "rpn_with_loss.rpn_convs_list.".

        Args:
            net: The network, which is changed.

        Raises:
            TypeError: If `net` is not a Cell.
        """
        if not isinstance(net, Cell):
            raise TypeError(f"ConvertNetUtils.convert_to_thor_net: net must be a Cell, got {describe(net)}.")
        net.update_cell_prefix()
        _convert(net, {})
        net.update_cell_type("second-order")


def _convert(net: Cell, converted: dict[Cell, Cell]) -> None:
    """Convert the layers below a Cell; `converted` maps shared layers that were converted already."""
    for name, cell in net.name_cells().items():
        converter = _CONVERTERS.get(type(cell))
        if converter is None:
            _convert(cell, converted)
        elif _is_converted(cell):
            if cell not in converted:
                converted[cell] = converter(cell)
                converted[cell].update_parameters_name(f"{cell.param_prefix}.")
            net.insert_child_to_cell(name, converted[cell])
    if isinstance(net, SequentialCell):
        net.cell_list = list(net.cells())


def _is_converted(cell: Any) -> bool:
    path = cell.param_prefix.lower()
    if isinstance(cell, (Embedding, EmbeddingLookup)):
        return cell.embedding_table.requires_grad
    is_plain = getattr(cell, "group", 1) == 1 and getattr(cell, "data_format", "NCHW") == "NCHW"
    return is_plain and cell.weight.requires_grad and "wide" not in path and "rpn_with_loss.rpn_convs_list." not in path


def _dense(cell: Dense) -> Cell:
    new = DenseThor(cell.in_channels, cell.out_channels, "zeros", "zeros", cell.has_bias, cell.activation)
    return _with_weights_of(cell, new).to_float(mstype.float32)


def _conv2d(cell: Any) -> Cell:
    geometry = cell.kernel_size, cell.stride, cell.pad_mode, cell.padding, cell.dilation
    new = Conv2dThor(cell.in_channels, cell.out_channels, *geometry, has_bias=cell.has_bias, weight_init="zeros")
    return _with_weights_of(cell, new)


def _with_weights_of(cell: Any, new: Any) -> Any:
    new.weight = cell.weight
    if cell.has_bias:
        new.bias = cell.bias
    return new


def _embedding(cell: Embedding) -> Cell:
    return _with_table_of(cell, EmbeddingThor(cell.vocab_size, cell.embedding_size, embedding_table="zeros"))


def _embedding_lookup(cell: EmbeddingLookup) -> Cell:
    arguments = cell.vocab_size, cell.embedding_size, "zeros", cell.target
    return _with_table_of(cell, EmbeddingLookupThor(*arguments, sparse=cell.sparse))


def _with_table_of(cell: Any, new: Any) -> Any:
    new.embedding_table = cell.embedding_table
    return new


_CONVERTERS: dict[type, Callable[[Any], Any]] = {
    Dense: _dense,
    Conv2d: _conv2d,
    Embedding: _embedding,
    EmbeddingLookup: _embedding_lookup,
}
