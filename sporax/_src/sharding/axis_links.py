"""The correspondence of axes of an operator's operands and results, derived from its graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax

from sporax._src.base.jax_compat import CALLS, ClosedJaxpr, inner_jaxpr, is_literal
from sporax._src.base.typing import Array
from sporax._src.sharding.halo import Reach

Axis = int  # the index of an axis among all axes of all values of the graph

_ALONG_ONE = {  # operations that follow an axis from one end to the other, by the parameter that names it
    "cumsum": "axis", "cumprod": "axis", "cummax": "axis", "cummin": "axis", "cumlogsumexp": "axis",
    "sort": "dimension", "top_k": "axis", "approx_top_k": "reduction_dimension", "concatenate": "dimension",
    "split": "axis",
}  # fmt: skip

_FRESH = ("random_", "rng_", "iota")  # their results depend on no operand
_UNREAD = ("while", "scan", "cond", "scatter", "pure_callback", "io_callback", *_FRESH)  # these link nothing


class Links:
    """The axes of the values of a graph in equivalence classes: sharding one axis of a class shards all of them.

    Attributes:
        operands: For each operand, the class of each axis.
        results: The same for each result.
        whole: The classes that cannot be sharded, since positions along them matter.
        summed: The classes of operands over which results are reduced (sum or maximum): shards give partial results.
        windows: The classes along which windows move, or that are split, each with the resulting size, which the number of pieces
            must divide as well.
        reaches: The classes along which a convolution moves its kernel, each with the reach of the kernel.
        reduced: The classes that a reduction removes.
        is_read: Whether the graph is treated as one operation, so that shardings that contradict the classes are
            errors. It is False if an operation links no axes, if products follow each other, or if operands share no
            axes.
        contracts: Whether there is a product, whose partial sums can be scattered over any axis of the result.
        shapes: The shapes of the results.
        gathered, apart: Set by rules of single operators (`special_rules`): the classes along which operands are gathered whatever
            their strategies are, and whether corresponding axes may be sharded differently.
    """

    def __init__(self, closed: Any) -> None:
        self._parent: list[Axis] = []
        self._whole: set[Axis] = set()
        self._summed: set[Axis] = set()
        self._reduced: set[Axis] = set()
        self._windowed: list[tuple[Axis, int]] = []
        self._moved: list[tuple[Axis, Reach]] = []
        self._products, self._unread = 0, False
        operands = [self._new(v.aval) for v in closed.jaxpr.invars]
        results = self._follow(closed.jaxpr, operands)
        self.operands = [tuple(map(self._root, axes)) for axes in operands]
        self.results = [tuple(map(self._root, axes)) for axes in results]
        self.whole = {self._root(a) for a in self._whole}
        self.summed = {self._root(a) for a in self._summed}
        self.reduced = {self._root(a) for a in self._reduced}
        self.windows = [(self._root(a), size) for a, size in self._windowed]
        self.reaches = [(self._root(a), reach) for a, reach in self._moved]
        self.contracts = self._products > 0
        self.shapes = [v.aval.shape for v in closed.jaxpr.outvars]
        self.gathered: set[Axis] = set()
        self.apart = False
        self.is_read = not self._unread and self._products < 2 and self._is_one()

    def _new(self, aval: Any) -> list[Axis]:
        start = len(self._parent)
        self._parent.extend(range(start, start + len(aval.shape)))
        return self._parent[start:]

    def _root(self, axis: Axis) -> Axis:
        while self._parent[axis] != axis:
            axis = self._parent[axis]
        return axis

    def _is_one(self) -> bool:
        """Return whether all operands with axes share them with each other or with one result."""
        groups: list[set[Axis]] = []
        for axes in (*self.operands, *self.results):
            if axes:
                near = [g for g in groups if not g.isdisjoint(axes)]
                groups = [g for g in groups if g not in near] + [set(axes).union(*near)]
        return sum(any(not g.isdisjoint(axes) for axes in self.operands) for g in groups) < 2

    def _link(self, a: Axis, b: Axis) -> None:
        first, second = sorted((self._root(a), self._root(b)))
        self._parent[second] = first

    # --- walking the graph --------------------------------------------------------------------------------------------

    def _follow(self, jaxpr: Any, operands: Sequence[list[Axis]]) -> list[list[Axis]]:
        known: dict[Any, list[Axis]] = dict(zip(jaxpr.invars, operands, strict=True))

        def axes_of(atom: Any) -> list[Axis]:
            if is_literal(atom) or atom not in known:
                return self._new(atom.aval)
            return known[atom]

        for eqn in jaxpr.eqns:
            inputs = [axes_of(a) for a in eqn.invars]
            inner = inner_jaxpr(eqn) if eqn.primitive.name in CALLS else eqn.params.get("jaxpr")
            if eqn.primitive.name in (*CALLS, "remat", "checkpoint", "remat2") and inner is not None:
                results = self._follow(inner.jaxpr if isinstance(inner, ClosedJaxpr) else inner, inputs)
            else:
                results = [self._new(v.aval) for v in eqn.outvars]
                getattr(self, f"_{eqn.primitive.name.replace('-', '_')}", self._other)(eqn, inputs, results)
            known.update(zip(eqn.outvars, results, strict=True))
        return [axes_of(a) for a in jaxpr.outvars]

    def _pairwise(self, one: Sequence[Axis], other: Sequence[Axis]) -> None:
        for a, b in zip(one, other, strict=True):
            self._link(a, b)

    def _keep_whole(self, axes: Sequence[Axis]) -> None:
        self._whole.update(axes)

    def _other(self, eqn: Any, operands: Sequence[list[Axis]], results: Sequence[list[Axis]]) -> None:
        """Link the axes of elementwise operations, of operations along an axis, and of reductions."""
        name = eqn.primitive.name
        if name.startswith(_UNREAD):
            self._unread |= not name.startswith(_FRESH)
            return
        if name.startswith(("reduce_", "argm")) and "axes" in eqn.params:
            gone = set(eqn.params["axes"])
            self._reduced.update(operand[i] for operand in operands for i in gone if i < len(operand))
            for operand in operands:
                for result in results:
                    self._pairwise([a for i, a in enumerate(operand) if i not in gone], result)
            if name.startswith("argm"):
                self._keep_whole([operands[0][i] for i in gone])
            else:
                self._summed.update(operand[i] for operand in operands for i in gone)
            return
        along = eqn.params.get(_ALONG_ONE.get(name, ""), None)
        if name == "top_k" and along is None:  # an older JAX has the last axis alone
            along = len(operands[0]) - 1
        for atom, operand in zip(eqn.invars, operands, strict=True):
            for output, result in zip(eqn.outvars, results, strict=True):
                if len(operand) == len(result):
                    for i, (n, m) in enumerate(zip(atom.aval.shape, output.aval.shape, strict=True)):
                        if n == m and i != along:
                            self._link(operand[i], result[i])
        if along is not None:
            self._keep_whole([axes[along] for axes in (*operands, *results) if along < len(axes)])

    def _broadcast_in_dim(self, eqn: Any, operands: Sequence[list[Axis]], results: Sequence[list[Axis]]) -> None:
        before, after = eqn.invars[0].aval.shape, eqn.outvars[0].aval.shape
        for i, j in enumerate(eqn.params["broadcast_dimensions"]):
            if before[i] == after[j]:
                self._link(operands[0][i], results[0][j])

    def _transpose(self, eqn: Any, operands: Sequence[list[Axis]], results: Sequence[list[Axis]]) -> None:
        self._pairwise([operands[0][i] for i in eqn.params["permutation"]], results[0])

    def _squeeze(self, eqn: Any, operands: Sequence[list[Axis]], results: Sequence[list[Axis]]) -> None:
        self._pairwise([a for i, a in enumerate(operands[0]) if i not in eqn.params["dimensions"]], results[0])

    def _reshape(self, eqn: Any, operands: Sequence[list[Axis]], results: Sequence[list[Axis]]) -> None:
        """Link the axes that a reshape preserves, and the outermost of those that it merges or splits."""
        before, after = eqn.invars[0].aval.shape, eqn.outvars[0].aval.shape
        i = j = 0
        while i < len(before) and j < len(after):
            if before[i] != after[j] and 1 in (before[i], after[j]):  # an axis of size 1 is added or removed
                i, j = i + (before[i] == 1), j + (after[j] == 1)
                continue
            first, second, starts = before[i], after[j], (i, j)
            while first != second:
                if first < second and i + 1 < len(before):
                    i += 1
                    first *= before[i]
                elif second < first and j + 1 < len(after):
                    j += 1
                    second *= after[j]
                else:
                    return
            self._link(operands[0][starts[0]], results[0][starts[1]])
            self._windowed.append((operands[0][starts[0]], after[starts[1]]))  # for an axis that is split
            i, j = i + 1, j + 1

    def _dot_general(self, eqn: Any, operands: Sequence[list[Axis]], results: Sequence[list[Axis]]) -> None:
        (contracted, batched) = eqn.params["dimension_numbers"]
        self._products += 1
        left, right = operands
        for pairs in (contracted, batched):
            self._pairwise([left[i] for i in pairs[0]], [right[i] for i in pairs[1]])
        self._summed.update(left[i] for i in contracted[0])
        free = [
            [a for i, a in enumerate(axes) if i not in (*contracted[side], *batched[side])]
            for side, axes in enumerate(operands)
        ]
        self._pairwise([*(left[i] for i in batched[0]), *free[0], *free[1]], results[0])

    def _conv_general_dilated(self, eqn: Any, operands: Sequence[list[Axis]], results: Sequence[list[Axis]]) -> None:
        numbers = eqn.params["dimension_numbers"]
        image, kernel, out = numbers.lhs_spec, numbers.rhs_spec, numbers.out_spec
        self._link(operands[0][image[0]], results[0][out[0]])
        self._link(operands[1][kernel[0]], results[0][out[1]])
        if eqn.params["feature_group_count"] == 1:
            self._link(operands[0][image[1]], operands[1][kernel[1]])
            self._summed.add(operands[0][image[1]])
        self._keep_whole([operands[1][i] for i in kernel[2:]])
        sizes = eqn.outvars[0].aval.shape
        self._windowed += [(operands[0][i], sizes[j]) for i, j in zip(image[2:], out[2:], strict=True)]
        shapes, how = [a.aval.shape for a in eqn.invars], eqn.params
        for axis in range(len(image) - 2):
            kernel_size = (shapes[1][kernel[axis + 2]] - 1) * how["rhs_dilation"][axis] + 1
            at = image[axis + 2]
            steps = how["window_strides"][axis], how["lhs_dilation"][axis]
            reach = Reach(shapes[0][at], sizes[out[axis + 2]], kernel_size, *steps, how["padding"][axis][0])
            self._moved.append((operands[0][at], reach))

    def _windows(self, eqn: Any, operands: Sequence[list[Axis]], results: Sequence[list[Axis]]) -> None:
        """Link the axes along which a window has one element."""
        for operand in operands:
            if len(operand) == len(eqn.params["window_dimensions"]):
                sizes = eqn.params["window_dimensions"]
                for a, b, size, stride in zip(operand, results[0], sizes, eqn.params["window_strides"], strict=True):
                    if size == stride == 1:
                        self._link(a, b)
                self._windowed += [
                    (a, n) for a, n, m in zip(operand, eqn.outvars[0].aval.shape, sizes, strict=True) if m > 1
                ]

    _reduce_window = _reduce_window_max = _reduce_window_sum = _reduce_window_min = _windows

    def _partly(self, eqn: Any, operands: Sequence[list[Axis]], results: Sequence[list[Axis]]) -> None:
        """Link the axes that are used completely, and keep the others whole."""
        before, after = eqn.invars[0].aval.shape, eqn.outvars[0].aval.shape
        for a, b, n, m in zip(operands[0], results[0], before, after, strict=True):
            if n == m:
                self._link(a, b)
            else:
                self._keep_whole([a])

    _slice = _dynamic_slice = _pad = _partly

    def _gather(self, eqn: Any, operands: Sequence[list[Axis]], results: Sequence[list[Axis]]) -> None:
        numbers, sizes = eqn.params["dimension_numbers"], eqn.params["slice_sizes"]
        shape = eqn.invars[0].aval.shape
        dropped = {*numbers.collapsed_slice_dims, *numbers.operand_batching_dims}
        self._unread |= len(dropped) > 1
        remaining = [i for i in range(len(shape)) if i not in dropped]
        for i, output_axis in zip(remaining, numbers.offset_dims, strict=True):
            if sizes[i] == shape[i]:
                self._link(operands[0][i], results[0][output_axis])
        self._summed.update(operands[0][i] for i in numbers.collapsed_slice_dims)
        behind = [b for i, b in enumerate(results[0]) if i not in numbers.offset_dims]
        self._pairwise(operands[1][: len(behind)], behind)

    def _scattered(self, eqn: Any, operands: Sequence[list[Axis]], results: Sequence[list[Axis]]) -> None:
        """Link the operand with the result, and with the update along axes that it covers."""
        numbers = eqn.params["dimension_numbers"]
        self._unread = True
        self._pairwise(operands[0], results[0])
        dropped = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
        remaining = [i for i in range(len(operands[0])) if i not in dropped]
        before, written = eqn.invars[0].aval.shape, eqn.invars[2].aval.shape
        for i, j in zip(remaining, numbers.update_window_dims, strict=True):
            if before[i] == written[j]:
                self._link(operands[0][i], operands[2][j])

    _scatter = _scatter_mul = _scatter_min = _scatter_max = _scattered

    def _scatter_add(self, eqn: Any, operands: Sequence[list[Axis]], results: Sequence[list[Axis]]) -> None:
        """Link as other scatters, and record the axes over which updates are added."""
        self._scattered(eqn, operands, results)
        behind = [a for i, a in enumerate(operands[2]) if i not in eqn.params["dimension_numbers"].update_window_dims]
        self._pairwise(operands[1][: len(behind)], behind)
        self._summed.update(behind)

    def _fft(self, eqn: Any, operands: Sequence[list[Axis]], results: Sequence[list[Axis]]) -> None:
        """Link the axes that are not transformed."""
        self._leading(operands, results, len(operands[0]) - len(eqn.params["fft_lengths"]))

    def _leading(self, operands: Sequence[list[Axis]], results: Sequence[list[Axis]], count: int) -> None:
        for axes in (*operands[1:], *results):
            self._pairwise(operands[0][:count], axes[:count])
        for axes in operands:
            self._keep_whole(axes[count:])

    def _matrices(self, eqn: object, operands: Sequence[list[Axis]], results: Sequence[list[Axis]]) -> None:
        """Link the batch axes of matrices."""
        self._leading(operands, results, len(operands[0]) - 2)

    _cholesky = _triangular_solve = _lu = _qr = _eigh = _svd = _geqrf = _householder_product = _matrices


def links_of(fn: Callable[..., Any], avals: Sequence[Array | jax.ShapeDtypeStruct]) -> Links:
    """Return the axis classes of a function's operands and results."""
    return Links(jax.make_jaxpr(fn)(*avals))
