"""Problems for the search of strategies."""

import itertools
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import PartitionSpec

from sporax._src.transform.parallel.auto_parallel import Reading
from sporax._src.transform.parallel.strategy_search import Problem


def aval(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def problem_of(fn, states, data, mesh) -> Problem:
    """Return the problem of a function of lists of states and arguments, whose arguments are cut along their first axis."""
    names = [f"d{i}" for i in range(len(mesh))]
    closed = jax.make_jaxpr(fn)(states, data)
    places = [SimpleNamespace(spec=PartitionSpec(tuple(names))) for _ in data]
    return Reading(closed, len(states), places, SimpleNamespace(axis_names=names)).problem(mesh)


def six_products(seed: int, mesh: tuple[int, ...]) -> Problem:
    """Return the problem of a training step of a random network of six products, some of them on branches."""
    draw = np.random.RandomState(seed)
    sizes = [int(2 ** draw.randint(3, 11)) for _ in range(7)]
    branches = [draw.rand() < 0.4 for _ in range(6)]
    for i in range(6):
        sizes[i + 1] = sizes[i] if branches[i] else sizes[i + 1]
    batch = int(2 ** draw.randint(3, 13))

    def loss(weights, x, y):
        for weight, branch in zip(weights, branches, strict=True):
            x = jnp.tanh(x @ weight) + (x if branch else 0.0)
        return jnp.mean((x - y) ** 2)

    def step(weights, data):
        return [w - 0.1 * g for w, g in zip(weights, jax.grad(loss)(weights, *data), strict=True)]

    weights = [aval(*pair) for pair in itertools.pairwise(sizes)]
    return problem_of(step, weights, [aval(batch, sizes[0]), aval(batch, sizes[-1])], mesh)
