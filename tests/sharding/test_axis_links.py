"""Which axes of an operator's operands and results correspond."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sporax._src.sharding.axis_links import links_of


def _aval(*shape: int) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, np.float32)


def test_a_product_links_what_it_contracts() -> None:
    links = links_of(jnp.matmul, [_aval(2, 3), _aval(3, 4)])
    (i, k), (k_too, j) = links.operands
    assert k == k_too and links.results == [(i, j)]
    assert links.summed == {k} and links.contracts and links.is_read
    assert links.shapes == [(2, 4)]


def test_elementwise_operations_link_all_but_broadcast_axes() -> None:
    links = links_of(lambda a, b: a + b, [_aval(2, 3), _aval(1, 3)])
    (i, j), (one, j_too) = links.operands
    assert links.results == [(i, j)] and j_too == j and one != i


def test_reductions_and_operations_along_an_axis() -> None:
    summed = links_of(lambda x: x.sum(1), [_aval(2, 3)])
    ((i, j),) = summed.operands
    assert summed.results == [(i,)] and summed.summed == summed.reduced == {j} and not summed.whole
    along = links_of(lambda x: jnp.cumsum(x, 1), [_aval(2, 3)])
    ((i, j),) = along.operands
    assert along.whole >= {j} and i not in along.whole and along.results[0][0] == i


def test_axes_that_move_merge_and_split() -> None:
    turned = links_of(lambda x: x.transpose(2, 0, 1), [_aval(2, 3, 4)])
    ((a, b, c),) = turned.operands
    assert turned.results == [(c, a, b)]
    merged = links_of(lambda x: x.reshape(6, 4), [_aval(2, 3, 4)])
    ((a, b, c),) = merged.operands
    assert merged.results == [(a, c)] and b not in merged.results[0]
    split = links_of(lambda x: x.reshape(2, 3, 4), [_aval(6, 4)])
    ((a, c),) = split.operands
    assert split.results[0][0] == a and split.results[0][2] == c and (a, 2) in split.windows


def test_a_part_of_an_axis_keeps_it_whole() -> None:
    links = links_of(lambda x: x[:, 1:], [_aval(2, 3)])
    ((i, j),) = links.operands
    assert links.whole == {j} and links.results[0][0] == i


def test_a_convolution_moves_its_kernel_along_images() -> None:
    links = links_of(lambda x, w: lax.conv(x, w, (1, 1), "VALID"), [_aval(8, 3, 6, 6), _aval(5, 3, 3, 3)])
    (n, c, h, w), (o, c_too, *kernel) = links.operands
    assert c == c_too and links.summed == {c} and links.whole == set(kernel)
    assert links.results[0][:2] == (n, o)
    assert [(axis, reach.kernel) for axis, reach in links.reaches] == [(h, 3), (w, 3)]


def test_graphs_that_are_not_one_operation() -> None:
    assert not links_of(lambda a, b, c: a @ b @ c, [_aval(2, 2)] * 3).is_read
    assert not links_of(lambda a, b: (a + 1, b + 1), [_aval(2), _aval(3)]).is_read
    assert not links_of(lambda x: lax.fori_loop(0, 2, lambda _, y: y + 1, x), [_aval(2)]).is_read
