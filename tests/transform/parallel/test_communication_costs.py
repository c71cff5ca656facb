"""What strategies cost: bytes of exchanges, and pieces that are aligned."""

import pytest
from strategy_problems import six_products

from sporax._src.transform.parallel import communication_costs as costs


def test_pieces_of_products_are_aligned():
    mesh = (2, 2)
    problem = six_products(0, mesh)
    product = next(o for o in problem.operations if o.shares)
    for way in costs.ways(product, mesh, align=64):
        for use in product.uses:
            cut = costs.cut_in(use, way)
            assert 1 not in cut or costs.piece(use.shape, cut, mesh)[1] % 64 == 0


def test_exchanges_have_the_costs_of_rings():
    mesh = (2, 4)
    assert costs.again((-1, -1), (0, 1), mesh) == 0  # each device keeps its piece
    assert costs.again((0, -1), (-1, -1), mesh) == pytest.approx(1 / 2)  # half comes from the other
    assert costs.again((0, 0), (-1, -1), mesh) == pytest.approx(7 / 8)
    assert costs.again((-1, 0), (-1, 1), mesh) == pytest.approx(1 / 4 * 3 / 4)  # an all-to-all of four quarters
    assert costs.joined((-1, -1), frozenset({1}), (-1, -1), mesh) == pytest.approx(2 * 3 / 4)
    assert costs.joined((-1, -1), frozenset({1}), (-1, 0), mesh) == pytest.approx(3 / 4)
    assert costs.joined((0, -1), frozenset({1}), (0, -1), mesh) == pytest.approx(2 * 3 / 4 / 2)
