"""The updates of many states, such as an optimizer's of all Parameters, as one operation.

XLA compiles a kernel for each state: the first step of an optimizer with 160 Parameters took 2.2 s. On the CPU a kernel of sporax
computes them all (`lowering.elementwise`), and nothing is compiled. It does so for states whose new values are elementwise
functions of the graph's inputs, in float32. What follows from a value that the graph computes, such as a gradient, stays with XLA,
which fuses the two.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import jax
import numpy as np

from sporax._src.base.jax_compat import evaluate, inner_jaxpr, is_literal, is_tracer
from sporax._src.lowering.cpu import kernels
from sporax._src.lowering.elementwise import OPERATORS, Program, elementwise
from sporax._src.processes.world import axes

if TYPE_CHECKING:
    from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn

_FEWEST = 2  # steps of an update
_MOST_ELEMENTS = 2**18  # of an array: XLA's loops over larger ones are twice as fast, while they fit into the cache
_MOST = 32  # groups of one call: XLA's time for a call grows with the square of its results
_NAMES = {**{name: name for name in OPERATORS}, "add_any": "add", "square": "mul", "integer_pow": "mul"}
_UNCHANGED = frozenset(("convert_element_type", "copy", "copy_p", "reduce_precision", "stop_gradient"))
_FILL = "broadcast_in_dim"


class _Input(NamedTuple):
    """An array that is an input of the graph, and its position among them."""

    array: Any
    position: int

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape


class _Value:
    """An array of the graph that is not computed yet.

    Attributes:
        eqn: The operation that computes it.
        operands: Its operands: such arrays, inputs, or numbers.
        array: Its elements, once they are computed.
    """

    def __init__(self, eqn: JaxprEqn, operands: Sequence[Any]) -> None:
        self.eqn, self.operands = eqn, operands
        self.array: Any = None
        self.shape: tuple[int, ...] = getattr(eqn.outvars[0].aval, "shape", ())

    def computed(self) -> Any:
        """Return the array, which XLA computes."""
        if self.array is None:
            (self.array,) = evaluate(self.eqn, [_computed(operand) for operand in self.operands])
        return self.array

    @property
    def is_filled(self) -> bool:
        """Whether all elements are one number."""
        return self.eqn.primitive.name == _FILL


class _Group(NamedTuple):
    """The inputs of a program for one group of arrays, and the positions of its results among the outputs of the graph."""

    inputs: list[Any]
    outputs: list[int]


def updated_at_once(closed: ClosedJaxpr, first: int, donated: Mapping[int, int]) -> ClosedJaxpr:
    """Return a graph that computes the new values of its states at once; itself if there are none for which this applies.

    Args:
        closed: The graph.
        first: The position of the first output that is the new value of a state.
        donated: Outputs, each with the input whose memory it may take.
    """
    if not kernels.are_used():
        return closed
    jaxpr = closed.jaxpr
    found = _elementwise(jaxpr, [_is_array(v.aval) for v in jaxpr.invars])
    inputs = set(jaxpr.invars)
    if not any(is_found and v not in inputs for v, is_found in zip(jaxpr.outvars[first:], found[first:], strict=True)):
        return closed
    return jax.make_jaxpr(partial(_run, closed, first, donated), axis_env=axes())(*closed.in_avals)


def _is_array(aval: Any) -> bool:
    shape = getattr(aval, "shape", ())  # a token has none
    is_known = shape != () and aval.dtype == np.float32 and all(type(n) is int and n > 0 for n in shape)
    return is_known and math.prod(shape) <= _MOST_ELEMENTS


def _elementwise(jaxpr: Jaxpr, known: Sequence[bool]) -> list[bool]:
    """Return which outputs of a graph are elementwise functions of the inputs for which `known` is true."""
    lazy: set[Any] = {v for v, is_known in zip(jaxpr.invars, known, strict=True) if is_known}
    for eqn in jaxpr.eqns:
        operands = [v for v in eqn.invars if not is_literal(v)]
        inner = inner_jaxpr(eqn)
        if inner is not None:
            outs = _elementwise(inner.jaxpr, [not is_literal(v) and v in lazy for v in eqn.invars])
            lazy |= {v for v, is_lazy in zip(eqn.outvars, outs, strict=True) if is_lazy}
        elif _applies(eqn) and all(v in lazy or getattr(v.aval, "shape", None) == () for v in operands):
            lazy.add(eqn.outvars[0])
    return [not is_literal(v) and v in lazy for v in jaxpr.outvars]


def _applies(eqn: JaxprEqn) -> bool:
    """Return whether an operation is elementwise, and one of the kernel's."""
    name = eqn.primitive.name
    if name not in _NAMES and name not in _UNCHANGED and name != _FILL:
        return False
    operands: list[Any] = [v.aval for v in eqn.invars]
    out: Any = eqn.outvars[0].aval
    if not _is_array(operands[0] if out.dtype == bool else out):
        return False
    if name == _FILL:
        return operands[0].ndim == 0 and operands[0].dtype == np.float32
    if name == "select_n":
        return len(operands) == 3 and operands[0].dtype == bool and operands[0].shape == out.shape
    if any(x.dtype != np.float32 or x.shape not in ((), out.shape) for x in operands):
        return False
    if name in _UNCHANGED:
        return eqn.params.get("mantissa_bits", 23) == 23 and eqn.params.get("exponent_bits", 8) == 8
    return eqn.params.get("y", 2) == 2


def _run(closed: ClosedJaxpr, first: int, donated: Mapping[int, int], *arrays: Any) -> list[Any]:
    inputs = [_Input(a, i) if _is_array(a) else a for i, a in enumerate(arrays)]
    outs = _values(closed.jaxpr, closed.consts, inputs)
    for program, all_groups in _programs(outs, first).items():
        for i in range(0, len(all_groups), _MOST):
            groups = all_groups[i : i + _MOST]
            positions = [position for group in groups for position in group.outputs]
            for position, result in zip(positions, _results(program, groups, positions, donated), strict=True):
                outs[position].array = result
    return [_computed(out) for out in outs]


def _values(jaxpr: Jaxpr, consts: Sequence[Any], inputs: Sequence[Any]) -> list[Any]:
    """Return the outputs of a graph; those that are elementwise functions of its inputs are not computed."""
    env: dict[Any, Any] = dict(zip([*jaxpr.constvars, *jaxpr.invars], [*consts, *inputs], strict=True))
    for eqn in jaxpr.eqns:
        operands = [v.val if is_literal(v) else env[v] for v in eqn.invars]
        inner = inner_jaxpr(eqn)
        if inner is not None and any(_elementwise(inner.jaxpr, [_is_known(x) for x in operands])):
            results = _values(inner.jaxpr, inner.consts, operands)
        elif _applies(eqn) and all(_is_known(x) or np.ndim(x) == 0 for x in operands):
            results = [operands[0] if eqn.primitive.name in _UNCHANGED else _Value(eqn, operands)]
        else:
            results = evaluate(eqn, [_computed(x) for x in operands])
        env.update(zip(eqn.outvars, results, strict=True))
    return [v.val if is_literal(v) else env[v] for v in jaxpr.outvars]


def _is_known(operand: object) -> bool:
    return isinstance(operand, (_Input, _Value))


def _computed(value: Any) -> Any:
    return value.computed() if isinstance(value, _Value) else value.array if isinstance(value, _Input) else value


# --- programs -----------------------------------------------------------------------------------------------------------------


def _programs(outs: Sequence[Any], first: int) -> dict[Program, list[_Group]]:
    """Return the programs of the new values from `first` on, each with the groups of arrays that it computes.

    Values that the graph reads stay with XLA.
    """
    programs: dict[Program, list[_Group]] = {}
    for positions in _components(outs, first):
        values = [outs[p] for p in positions]
        steps = _steps(values)
        operands = {id(x): x for step in steps for x in step.operands if not isinstance(x, _Value)}.values()
        inputs = [x for x in operands if isinstance(x, _Input) or is_tracer(x)]
        constants = [x for x in operands if not isinstance(x, _Input) and not is_tracer(x)]
        is_read = any(step.array is not None for step in steps)
        if is_read or not any(isinstance(x, _Input) for x in inputs) or not _are_plain(constants):
            continue
        program = _program(values, steps, inputs, constants)
        if len(program.steps) >= _FEWEST:
            programs.setdefault(program, []).append(_Group(inputs, positions))
    return programs


def _components(outs: Sequence[Any], first: int) -> Iterable[list[int]]:
    """Return positions of outputs, together if they share steps; one that is filled is with the one before it."""
    components: dict[int, list[int]] = {}
    of_step: dict[int, int] = {}  # the component of each step
    for position, out in enumerate(outs[first:], first):
        if not isinstance(out, _Value) or getattr(out.eqn.outvars[0].aval, "dtype", None) != np.float32:
            continue
        before = next(reversed(components), None)
        steps = _steps([out])
        touched = {of_step[id(step)] for step in steps if id(step) in of_step}
        if out.is_filled and before is not None and outs[before].shape == out.shape:
            touched.add(before)
        together = sorted([position, *(p for c in touched for p in components.pop(c))])
        components[together[0]] = together
        for step in _steps([outs[p] for p in together]) if len(touched) > 1 else steps:
            of_step[id(step)] = together[0]
    return components.values()


def _steps(outs: Sequence[_Value]) -> list[_Value]:
    """Return values and those that they are computed from, in the order in which they can be computed."""
    steps: dict[int, _Value] = {}

    def add(value: object) -> None:
        if isinstance(value, _Value) and id(value) not in steps:
            for operand in value.operands:
                add(operand)
            steps[id(value)] = value

    for out in outs:
        add(out)
    return list(steps.values())


def _program(
    outs: Sequence[_Value], steps: Sequence[_Value], inputs: Sequence[Any], constants: Sequence[Any]
) -> Program:
    """Return the program of values, from all that is computed for them in order, and the operands that are not computed."""
    distinct = list(dict.fromkeys([0.0, *map(float, constants)]))  # at least one
    numbers = {id(x): n for n, x in enumerate(inputs)}
    numbers |= {id(x): len(inputs) + distinct.index(float(x)) for x in constants}
    rows: list[tuple[str, tuple[int, ...]]] = []
    for step in steps:
        name, of = step.eqn.primitive.name, [numbers[id(x)] for x in step.operands]
        if step.is_filled:
            numbers[id(step)] = of[0]
            continue
        numbers[id(step)] = len(inputs) + len(distinct) + len(rows)
        rows.append((_NAMES[name], tuple(of * 2 if name in ("square", "integer_pow") else of)))
    return Program(len(inputs), tuple(distinct), tuple(rows), tuple(numbers[id(out)] for out in outs))


def _are_plain(constants: Sequence[Any]) -> bool:
    """Return whether no constant is NaN, which equals nothing, or the negative zero, which equals the positive one."""
    return not any(np.isnan(x) or (x == 0 and np.signbit(x)) for x in map(np.float32, constants))


def _results(
    program: Program, groups: Sequence[_Group], outputs: Sequence[int], donated: Mapping[int, int]
) -> list[Any]:
    """Return the results of a program for groups of arrays; a result takes the memory of the state that it replaces."""
    inputs = [x for group in groups for x in group.inputs]
    positions = [x.position if isinstance(x, _Input) else -1 for x in inputs]
    uses = Counter(positions)
    alone = {position: i for i, position in enumerate(positions) if uses[position] == 1}
    reused = [(alone[donated[p]], i) for i, p in enumerate(outputs) if donated.get(p) in alone]
    return elementwise(*map(_computed, inputs), program=program, reused=tuple(reused))
