"""The operators that only layers use, under the laws of the op table."""
# ruff: noqa: E501 (a table: one case is one line)

from typing import Any

import pytest
from laws.operators import check_op

from sporax._src.engine.table import Op
from sporax._src.ops.array.pad import pad_last_axes
from sporax._src.ops.image.patches import image_gradients
from sporax._src.ops.image.similarity import msssim, psnr, ssim
from sporax._src.ops.linalg.diagonals import set_diagonal
from sporax._src.ops.math.norms import clip_by_norm, l2_norm
from sporax._src.ops.math.special import lbeta
from sporax._src.ops.math.statistics import moments


def row(public: Any, **options) -> Op:
    return Op(name=public.__name__, public=public, fn=public.raw, **options)


ROWS = (
    row(pad_last_axes, ref="layer_references.pad_axes", cases=("T(2, 3), 0.5, ((1, 2),), 'constant'", "T(2, 3, 4), 0.0, ((1, 1), (0, 2)), 'reflect'", "T(2, 3), 0.0, ((1, 1), (2, 0)), 'symmetric'", "T(2, 3), 0.0, ((1, 2),), 'edge'", "T(2, 4), 0.5, ((-1, 2),), 'constant'"), errors=(("T(2), 0.0, ((1, 1), (1, 1)), 'edge'", "at least 2 axes"), ("T(2, 3), 0.0, ((3, 0),), 'reflect'", "must be less than"), ("T(2, 3), 0.0, ((-2, -1),), 'constant'", "positive"))),
    row(clip_by_norm, ref="layer_references.clip_by_norm", cases=("T(3, 4), 1.0", "T(3, 4), 1.0, 0", "T(3, 4), 10.0, (0, 1)", "T(3, 4), T(4) * 0 + 2, 0"), errors=(("T(3, 4), 1.0, 2", "[-2, 2)"),)),
    row(l2_norm, ref="layer_references.l2_norm", cases=("T(3, 4)", "T(3, 4), 0", "T(3, 4), (0, 1), True"), errors=(("T(3, 4), 2", "[-2, 2)"),)),
    row(moments, ref="layer_references.moments", cases=("T(3, 4)", "T(3, 4), 0", "T(3, 4), (0, 1), True"), errors=(("T(3, 4), 2", "[-2, 2)"),)),
    row(lbeta, ref="scipy.special.betaln", cases=("P(3), P(3)", "P(2, 3), P(3)")),
    row(set_diagonal, ref="layer_references.set_diagonal", cases=("T(3, 3), T(3)", "T(2, 3, 4), T(2, 3)", "T(4, 2), T(2)"), errors=(("T(3, 3), T(2)", "diagonal must have shape [3]"),)),
    row(image_gradients, ref="layer_references.image_gradients", cases=("T(2, 1, 3, 4)", "T(1, 2, 1, 1)")),
    row(ssim, ref="layer_references.ssim", cases=("U(1, 2, 6, 6), U(1, 2, 6, 6), P(1, 1, 3, 3), 1.0, 0.01, 0.03",), tol=1e-4),
    row(msssim, cases=("U(1, 2, 12, 12), U(1, 2, 12, 12), P(1, 1, 3, 3) / 9, 1.0, (0.4, 0.6), 0.01, 0.03",), tol=1e-4),
    row(psnr, ref="layer_references.psnr", cases=("U(2, 3, 4, 5), U(2, 3, 4, 5), 1.0",)),
)  # fmt: skip


@pytest.mark.parametrize("op", ROWS, ids=lambda op: op.name)
def test_row(op: Op) -> None:
    """Value, both modes, gradient, errors."""
    check_op(op)
