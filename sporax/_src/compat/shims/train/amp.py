"""What programs with a mixed precision of their own import from `mindspore.train.amp`; mindone does (`utils/amp.py`), and
mindnlp (`mindtorch/amp`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sporax import DynamicLossScaleManager, bfloat16, float16, float32, nn, ops
from sporax._src.train.amp import BLACK, OutputTo16, WideLoss, white_list

AMP_WHITE_LIST = white_list()
_HALF = """Conv2D Conv3D Conv2DTranspose Conv3DTranspose MatMul BatchMatMul PReLU Einsum Dense Addmm Addbmm Addmv Baddbmm Mv"""
_FLOAT32 = """Pow ACos Asin Cosh Erfinv Exp Expm1 Log Log1p Reciprocal Rsqrt Sinh Tan Softplus LayerNorm BatchNorm KLDivLoss
    SmoothL1Loss MultilabelMarginLoss SoftMarginLoss TripletMarginLoss MultiMarginLoss BCEWithLogitsLoss Cdist Renorm
    ReduceProd Softmax LogSoftmax CumProd CumSum NLLLoss"""
AMP_AUTO_WHITE_LIST: list[Any] = [getattr(ops, name) for name in _HALF.split() if hasattr(ops, name)]
AMP_AUTO_BLACK_LIST: list[Any] = [getattr(ops, name) for name in _FLOAT32.split() if hasattr(ops, name)]
AMP_PRIM_ARG_TABLE: dict[Any, list[int]] = defaultdict(list)
_config_level = {
    level: {
        "keep_batchnorm_fp32": level == "O2",
        "cast_model_type": float16 if level in ("O2", "O3") else float32,
        "loss_scale_manager": DynamicLossScaleManager() if level == "O2" else None,
    }
    for level in ("O0", "O1", "O2", "O3", "auto")
}


def _auto_black_list(network: nn.Cell, black_list: Sequence[type], dtype: Any) -> nn.Cell:
    """Let a network compute in a half precision, but the Cells of some classes in float32, and return it.

    Args:
        network: The network.
        black_list: The classes; their results are cast to `dtype`.
        dtype: The half precision.
    """
    network.to_float(dtype)
    _widen(network, black_list, dtype)
    return network


def _widen(network: nn.Cell, black_list: Sequence[type], dtype: Any) -> None:
    """Let the Cells of some classes compute in float32, and cast what they return to `dtype`."""
    for name, cell in network.name_cells().items():
        if isinstance(cell, tuple(black_list)):
            network.insert_child_to_cell(name, OutputTo16(cell.to_float(float32), dtype))
        else:
            _widen(cell, black_list, dtype)
    if isinstance(network, nn.SequentialCell):
        network.cell_list = list(network.cells())


def _do_keep_batchnorm_fp32(network: nn.Cell) -> None:
    """Let the normalisation of a network that computes in float16 compute in float32."""
    _widen(network, BLACK, float16)


def _add_loss_network(network: nn.Cell, loss_fn: nn.Cell, cast_model_type: object) -> nn.Cell:
    """Return a network with its loss, which computes in float32 where `cast_model_type` is a half precision."""
    wide = cast_model_type in (float16, bfloat16)
    return nn.WithLossCell(network, WideLoss(loss_fn) if wide else loss_fn)
