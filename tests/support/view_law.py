"""Programs that make views of a Tensor and write into one of them: what they give here and in PyTorch.

A case is a chain of views, a write, and what is written: the last view (`v`) or the Tensor they are views of (`x`), which the
views then show. `s` is a view of `x` that was made before. PyTorch's answers are recorded (`tools/views.py --record`).
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

SHAPE = (2, 4, 2)

# What makes a view of t, for PyTorch and for sporax; one text where both say the same.
VIEWS: dict[str, tuple[str, str]] = {
    name: (texts, texts) if isinstance(texts, str) else texts
    for name, texts in {
        "item": "t[1]", "last_item": "t[-1]", "slice": "t[1:]", "step": "t[::2]", "inner": "t[..., 1:]", "column": "t[..., 0]",
        "new": "t[None]", "new_inside": "t[:, None]", "mixed": "t[:, 1:, 0]", "all": "t[...]", "chained": "t[0:2][1]",
        "view": "t.view(-1)", "view_as": "t.view_as(t)", "reshape": "t.reshape(-1)", "reshape_pairs": "t.reshape(-1, 2)",
        "reshape_as": "t.reshape_as(t)", "flatten": ("t.flatten()", "t.flatten(start_dim=0)"), "ravel": "t.ravel()",
        "permute": "t.permute(*reversed(range(t.ndim)))", "transpose": "t.transpose(0, 1)", "swapaxes": "t.swapaxes(0, -1)",
        "swapdims": "t.swapdims(0, -1)", "movedim": "t.movedim(0, -1)", "moveaxis": "t.moveaxis(-1, 0)",
        "T": ("t.permute(*reversed(range(t.ndim)))", "t.T"), "mT": "t.mT", "t": "t.t()", "H": "t.H", "mH": "t.mH",
        "adjoint": "t.adjoint()", "unsqueeze": "t.unsqueeze(0)", "expand_dims": ("t.unsqueeze(-1)", "t.expand_dims(-1)"),
        "squeeze": "t.squeeze()", "narrow": "t.narrow(0, 1, 1)", "select": "t.select(-1, 1)", "split": "t.split(1)[1]",
        "split_sizes": ("t.split([1, 3], 1)[1]", "t.split([1, 3], axis=1)[1]"), "chunk": "t.chunk(2)[1]",
        "unbind": "t.unbind()[1]", "tensor_split": "t.tensor_split(2)[1]", "tensor_split_at": "t.tensor_split((1,))[1]",
        "hsplit": "t.hsplit(2)[1]", "vsplit": "t.vsplit(2)[1]", "dsplit": "t.dsplit(2)[1]", "diagonal": "t.diagonal()",
        "diagonal_above": "t.diagonal(1, -1, 0)", "expand": "t.expand(3, *t.shape)", "expand_as": "t.expand_as(t)",
        "broadcast_to": "t.broadcast_to((2, *t.shape))", "contiguous": "t.contiguous()", "real": ("torch.real(t)", "t.real()"),
        "float": "t.float()", "copy": ("t.clone()", "t.copy()"),
    }.items()
}  # fmt: skip

# What writes into v, with w, a Tensor of one number.
WRITES: dict[str, tuple[str, str]] = {
    name: (texts, texts) if isinstance(texts, str) else texts
    for name, texts in {
        "set_all": "v[...] = 7.0", "set_first": "v[0] = 5.0", "set_last_to_w": "v[..., -1] = w", "set_masked": "v[v > 2.0] = 3.0",
        "set_sum": "v[-1] += w", "set_product": "v[0] *= 3.0", "add_": "v.add_(w)", "add_alpha": "v.add_(w, alpha=2)",
        "sub_": "v.sub_(w)", "mul_": "v.mul_(w)", "div_": "v.div_(w)", "pow_": "v.pow_(2)", "remainder_": "v.remainder_(0.77)",
        "floor_divide_": "v.floor_divide_(0.7)", "clamp_": "v.clamp_(1.0, 3.0)", "fill_": "v.fill_(3.0)", "zero_": "v.zero_()",
        "exp_": "v.exp_()", "log_": "v.log_()", "floor_": "v.floor_()", "tanh_": "v.tanh_()", "sqrt_": "v.sqrt_()",
        "neg_": "v.neg_()", "abs_": "v.abs_()", "copy_": "v.copy_(v * w)",
        "masked_fill_": "v.masked_fill_(v > 2.0, 0.0)", "relu_": "F.relu_(v)",
        "hardtanh_": "F.hardtanh_(v, -1.0, 2.0)", "elu_": "F.elu_(v)", "threshold_": "F.threshold_(v, 2.0, 9.0)",
        "assign": ("v.copy_(v + w)", "ops.assign(v, v + w)"),
    }.items()
}  # fmt: skip


class Case(NamedTuple):
    """A chain of views by name, a write by name, and which variable it writes into."""

    views: tuple[str, ...]
    write: str
    target: str

    def __str__(self) -> str:
        return f"{'.'.join(self.views)} {self.write} {self.target}"


def cases() -> Iterator[Case]:
    """Yield the cases: each view with each write, and chains of two and three with some."""
    for view, write in itertools.product(VIEWS, WRITES):
        yield Case((view,), write, "v")
    for view in VIEWS:
        for write in ("set_all", "mul_", "exp_"):
            yield Case((view,), write, "x")
    rng = random.Random(36)
    for length, count in ((2, 500), (3, 500)):
        for _ in range(count):
            yield Case(tuple(rng.choices(list(VIEWS), k=length)), rng.choice(list(WRITES)), rng.choice("vvx"))


def start() -> np.ndarray:
    """Return the elements that programs start with."""
    return (np.arange(np.prod(SHAPE), dtype=np.float64).reshape(SHAPE) / 3 + 0.6).astype(np.float32)


def program(
    case: Case, side: int, names: dict[str, Any], other_texts: Mapping[str, str] | None = None
) -> Callable[[Any, Any], tuple[Any, ...]]:
    """Return a case as a function of x and w, for PyTorch (side 0) or sporax (1); it returns all its Tensors."""
    lines = ["def run(x, w):", "    s = x[1:]", "    t = x"]
    made = []
    for i, view in enumerate(case.views):
        lines += [f"    t = {VIEWS[view][side]}", f"    v{i} = t"]
        made.append(f"v{i}")
    lines.append(f"    v = {case.target if case.target == 'x' else 't'}")
    lines.append(f"    {WRITES[case.write][side] if case.write else 'pass'}")
    lines.append(f"    return x, s, {', '.join(made)},")
    scope = dict(names)
    source = "\n".join(lines) + "\n"
    for text, other in (other_texts or {}).items():
        source = source.replace(text, other)
    exec(compile(source, f"<{case}>", "exec"), scope)
    return scope["run"]


def coefficients(shape: tuple[int, ...], number: int) -> np.ndarray:
    """Return what the elements of a result count in the loss."""
    size = int(np.prod(shape))
    return np.sin(np.arange(1, size + 1) * 0.7 + number).reshape(shape).astype(np.float32)
