"""Compiled functions of all devices."""

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import NamedSharding, PartitionSpec

from sporax._src.processes import spmd
from sporax._src.processes.prime_mesh import prime_mesh

MESH = prime_mesh(len(jax.devices()))
assert MESH is not None
WHOLE, CUT = NamedSharding(MESH, PartitionSpec()), NamedSharding(MESH, PartitionSpec(MESH.axis_names))
X = jnp.arange(2.0 * len(jax.devices()), dtype=jnp.float32)


def test_arrays_are_placed_on_the_mesh() -> None:
    placed = spmd.on_mesh(X, CUT)
    assert placed.sharding == CUT and placed.tolist() == X.tolist()
    assert spmd.on_mesh(placed, CUT) is placed
    assert spmd.on_mesh(3.0, CUT) == 3.0
    form = spmd.on_mesh(jax.ShapeDtypeStruct((4,), np.float32), CUT)
    assert (form.shape, form.sharding) == ((4,), CUT)


def test_a_function_of_all_devices() -> None:
    def step(states: list[jax.Array], kept: list[jax.Array], arguments: list[jax.Array]) -> list[jax.Array]:
        return [states[0] + arguments[0], jnp.sum(kept[0])]

    run = spmd.OnMesh(None, step, [[CUT], [WHOLE], [CUT]], [CUT, WHOLE], [True, False])
    state, total = run([X], [X], [X])
    assert state.sharding.is_equivalent_to(CUT, 1) and state.tolist() == (2 * X).tolist()
    assert total == X.sum()
    assert "sharding" in run.lower([X], [X], [X]).as_text()
    run.clear_cache()
    assert run([state], [X], [X])[0].tolist() == (3 * X).tolist()


def test_arrays_of_one_process_are_whole() -> None:
    placed = spmd.on_mesh(X, CUT)
    assert spmd.whole_here(placed) is placed
    assert spmd.whole_here("text") == "text"


def test_values_of_the_first_process() -> None:
    whole, cut = spmd.values_of_first(X, WHOLE), spmd.values_of_first(X + 1, CUT)
    assert whole.tolist() == X.tolist()
    assert cut.sharding.is_equivalent_to(CUT, 1) and cut.tolist() == (X + 1).tolist()


def test_a_shard_of_the_only_device_is_the_array() -> None:
    assert spmd.piece_shape(CUT, X.shape) == X.shape
    one = NamedSharding(jax.sharding.Mesh(np.array(jax.devices()[:1]), ("x",)), PartitionSpec("x"))
    assert spmd.of_piece(one, X.shape, np.asarray(X)).tolist() == X.tolist()
