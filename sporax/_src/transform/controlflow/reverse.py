"""A loop whose length is known only when it runs, and its gradient.

XLA's `while` has no reverse mode, because the number of values to save is unknown. In this loop the forward saves the
variables of every n-th iteration as checkpoints in a buffer of fixed size. When it is full, every second one is dropped
and n doubles. The backward walks from the last iteration to the first, and runs the iterations between two checkpoints
again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp

from sporax._src.base.jax_compat import ClosedJaxpr, jaxpr_as_fun
from sporax._src.base.typing import Array

_REMEMBERED = 32  # the size of the buffer of checkpoints

_Arrays = Sequence[Any]


class _Mode:
    """The number of open forward-mode derivatives. XLA's own loop supports forward mode, this one does not."""

    forward = 0


@contextmanager
def forward_mode() -> Iterator[None]:
    """Trace loops as XLA's own, which support forward mode."""
    _Mode.forward += 1
    try:
        yield
    finally:
        _Mode.forward -= 1


class _Part:
    """A condition or body as a graph, with its closed-over values separated."""

    def __init__(self, fn: Callable[..., Any], example: _Arrays) -> None:
        graph = jax.make_jaxpr(fn)(*example)
        self._graph = graph.jaxpr
        self.consts = list(graph.consts)
        self.has_effects = bool(graph.effects)

    def __call__(self, consts: _Arrays, values: _Arrays) -> list[Any]:
        return list(jaxpr_as_fun(ClosedJaxpr(self._graph, list(consts)))(*values))


def while_loop(
    test: Callable[..., Any],
    body: Callable[..., _Arrays],
    initial: _Arrays,
    body_again: Callable[..., _Arrays] | None = None,
) -> list[Any]:
    """Return `initial` after `body` has been applied as long as `test` holds; differentiable in reverse mode.

    Args:
        test: `(*arrays) -> bool scalar`.
        body: `(*arrays) -> arrays` of the same shapes and dtypes.
        initial: Arrays.
        body_again: The body without side effects, for the iterations that the backward runs again.
    """
    if _Mode.forward:
        return list(jax.lax.while_loop(lambda xs: test(*xs), lambda xs: list(body(*xs)), list(initial)))
    part = _Part(body, initial)
    again = _Part(body_again, initial) if body_again is not None and part.has_effects else part
    parts = _Part(lambda *xs: [test(*xs)], initial), part, again
    test_part, body_part, again_part = parts
    consts = test_part.consts, body_part.consts, again_part.consts
    return list(_loop(test_part, body_part, again_part, *consts, list(initial)))


@partial(jax.custom_vjp, nondiff_argnums=(0, 1, 2))
def _loop(test: _Part, body: _Part, again: _Part, tc: _Arrays, bc: _Arrays, ac: _Arrays, initial: _Arrays) -> Any:
    return jax.lax.while_loop(lambda xs: test(tc, xs)[0], lambda xs: body(bc, xs), initial)


def _forward(test: _Part, body: _Part, again: _Part, tc: _Arrays, bc: _Arrays, ac: _Arrays, initial: _Arrays) -> Any:
    size = len(initial)

    def step(count: Array, stride: Array, *rest: Array) -> _Arrays:
        values, checkpoints = rest[:size], rest[size:]
        full = count == stride * _REMEMBERED
        checkpoints = jax.lax.cond(
            full, lambda ks: [jnp.concatenate([k[::2], k[::2]]) for k in ks], list, list(checkpoints)
        )
        stride = jnp.where(full, stride * 2, stride)
        slot = count // stride
        due = count % stride == 0
        checkpoints = [k.at[slot].set(jnp.where(due, v, k[slot])) for k, v in zip(checkpoints, values, strict=True)]
        return [count + 1, stride, *body(bc, values), *checkpoints]

    buffers = [jnp.zeros((_REMEMBERED, *jnp.shape(v)), jnp.result_type(v)) for v in initial]
    start = [jnp.int64(0), jnp.int64(1), *initial, *buffers]
    count, stride, *rest = while_loop(lambda c, s, *xs: test(tc, xs[:size])[0], step, start)
    return rest[:size], (bc, ac, tc, initial, count, stride, rest[size:])


def _backward(test: _Part, body: _Part, again: _Part, saved: tuple[Any, ...], cts: _Arrays) -> Any:
    bc, ac, tc, initial, count, stride, checkpoints = saved
    moving, weighed = _inexact(initial), _inexact(ac)

    def back(left: Array, *sums: Array) -> _Arrays:
        at = left - 1
        slot = at // stride
        values = [k[slot] for k in checkpoints]
        _, *values = while_loop(lambda i, *xs: i < at, lambda i, *xs: [i + 1, *again(ac, xs)], [slot * stride, *values])

        def iteration(consts: _Arrays, changing: _Arrays) -> _Arrays:
            out = again(_with(ac, weighed, consts), _with(values, moving, changing))
            return [out[i] for i in moving]

        _, pull = jax.vjp(iteration, [ac[i] for i in weighed], [values[i] for i in moving])
        of_consts, of_values = pull(list(sums[len(weighed) :]))
        return [at, *[s + c for s, c in zip(sums, of_consts, strict=False)], *of_values]

    zeros = [jnp.zeros_like(ac[i]) for i in weighed]
    _, *gradients = while_loop(lambda left, *_: left > 0, back, [count, *zeros, *[cts[i] for i in moving]])
    of_consts = _with([None] * len(ac), weighed, gradients[: len(weighed)])
    of_initial = _with([None] * len(initial), moving, gradients[len(weighed) :])
    return [None] * len(tc), [None] * len(bc), of_consts, of_initial


def _inexact(values: _Arrays) -> list[int]:
    """Return the indices of the values that gradients flow through."""
    return [i for i, v in enumerate(values) if jnp.issubdtype(jnp.result_type(v), jnp.inexact)]


def _with(values: _Arrays, indices: Sequence[int], new: _Arrays) -> list[Any]:
    """Return a list with some entries replaced."""
    out = list(values)
    for i, v in zip(indices, new, strict=True):
        out[i] = v
    return out


_loop.defvjp(_forward, _backward)
