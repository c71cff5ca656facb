"""Functions over functions and values: HyperMap, Map, MultitypeFuncGraph, partial, constexpr, tuples to Tensors."""

import operator

import numpy as np
import pytest
from laws.rows import laws_of

import sporax as ms
from sporax import Tensor, ops

test_row = laws_of("sporax._src.api.primitives.higher_order")


def test_multitype_func_graph_dispatches_on_types():
    scale = ops.MultitypeFuncGraph("scale")

    @scale.register("Number", "Tensor")
    def by_number(factor, x):
        return x * factor

    @scale.register("Tensor", "Tensor")
    def by_tensor(factor, x):
        return x * factor + 1

    @scale.register("Function", "Tensor")
    def by_function(fn, x):
        return fn(x)

    x = (Tensor([1.0]), (Tensor([2.0]), Tensor([3.0])))
    out = ops.HyperMap()(ops.partial(scale, 2.0), x)
    assert [float(v) for v in (out[0], *out[1])] == [2.0, 4.0, 6.0]
    assert float(scale(Tensor(2.0), Tensor(3.0))) == 7.0
    assert float(ops.Map(ops.partial(scale, lambda v: -v))([Tensor(1.0)])[0]) == -1.0
    with pytest.raises(ValueError, match="no implementation"):
        scale("a", Tensor(1.0))
    with pytest.raises(ValueError, match="one length"):
        ops.HyperMap(scale)((1.0,), (Tensor(1.0), Tensor(2.0)))


def test_constexpr_runs_in_python():
    @ops.constexpr
    def size(shape):
        return int(np.prod(shape))

    assert int(ms.jit(lambda x: x.reshape(size(x.shape)).sum(), fullgraph=True)(Tensor([[1, 2], [3, 4]]))) == 10
    assert ops.constexpr(size, get_instance=False)()((2, 3)) == 6


@pytest.mark.parametrize("run", [lambda f: f, ms.jit])
def test_augmented_assignments_are_those_of_python(run):
    named = {"add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv}
    for name, fn in {**named, "floordiv": operator.floordiv, "mod": operator.mod}.items():
        ours = run(getattr(ops, f"augassign_{name}"))
        assert ours(7, 4) == fn(7, 4)
        for x, y in ((Tensor([5.0, 7.0]), 3), (8.0, Tensor([5.0, 3.0])), (Tensor([5.0, 7.0]), Tensor([3.0, 2.0]))):
            arrays = [a.asnumpy() if isinstance(a, Tensor) else a for a in (x, y)]
            np.testing.assert_allclose(ours(x, y).asnumpy(), fn(*arrays), rtol=1e-6)
