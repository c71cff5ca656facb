"""The memory of Tensors. Unless a test says otherwise, its values are those of MindSpore 2.10.0 or PyTorch."""

import weakref

import numpy as np
import pytest

import sporax as ms
from sporax import Parameter, Tensor, UntypedStorage, nn, ops


class Weighted(nn.Cell):
    """The sum of the inputs, weighted by a Parameter."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([2.0, 3.0]), name="w")

    def construct(self, x):
        return (x * self.w).sum()


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def mode(request):
    ms.set_context(mode=request.param)
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


# --- data --------------------------------------------------------------------------------------------------------------


def test_data_of_a_parameter_is_a_plain_tensor_that_shares_its_elements(follow):
    follow("2.8")
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    data = p.data
    assert type(data) is Tensor
    data[0] = 7.0
    data.add_(1)
    assert p.asnumpy().tolist() == data.asnumpy().tolist() == [8.0, 3.0]
    p.set_data(Tensor([5.0, 5.0]))
    assert data.asnumpy().tolist() == [8.0, 3.0]


def test_no_gradient_passes_through_data():
    def through(a):
        y = a * 2
        return (y * y.data).sum()

    def written(a):
        y = a * 2
        y.data[0] = 100.0
        return (y * y).sum()

    a = Tensor([1.0, 2.0])
    for graph in (lambda f: f, ms.jit):
        assert ms.grad(graph(through))(a).asnumpy().tolist() == [4.0, 8.0]
        assert ms.grad(graph(written))(a).asnumpy().tolist() == [400.0, 16.0]


def test_assigned_data_is_shared_and_the_gradient_stays():
    x, z = Tensor([1.0, 2.0, 3.0]), Tensor([4.0, 5.0, 6.0])
    both = x[1:], x[:2]
    x.data = z
    z[0], x[1] = 100.0, 200.0
    assert x.asnumpy().tolist() == z.asnumpy().tolist() == [100.0, 200.0, 6.0]
    both[0][0] = 50.0  # the views keep the former memory, and share it
    assert [v.asnumpy().tolist() for v in both] == [[50.0, 3.0], [1.0, 50.0]]
    x.data = Tensor([[1, 2], [3, 4]])
    assert x.shape == (2, 2) and x.dtype == ms.int64

    def replaced(a):
        y = a * 2
        y.data = ms.Tensor([5.0, 5.0])
        return (y * y).sum()

    for f in (replaced, ms.jit(replaced)):
        assert ms.grad(f)(Tensor([1.0, 2.0])).asnumpy().tolist() == [20.0, 20.0]


def test_the_gradient_stays_when_the_source_of_assigned_data_is_written():
    def f(a):
        y, z = a * 2, ms.Tensor([5.0, 5.0])
        y.data = z
        z.add_(1)
        return (y * y).sum()

    assert ms.grad(f)(Tensor([1.0, 2.0])).asnumpy().tolist() == [24.0, 24.0]


def test_a_view_and_a_part_of_itself_can_be_assigned():
    x = Tensor([1.0, 2.0, 3.0])
    view = x[1:]
    view.data = Tensor([8.0, 9.0])
    assert x.asnumpy().tolist() == [1.0, 2.0, 3.0] and view.asnumpy().tolist() == [8.0, 9.0]
    tail = x[1:]
    x.data = tail
    tail[0] = 7.0
    assert x.asnumpy().tolist() == [7.0, 3.0] and x.storage_offset() == 1


def test_a_gradient_by_a_tensor_whose_data_is_replaced():
    def f(a):
        a.data = ms.Tensor([5.0, 5.0])
        return (a * a).sum()

    assert ms.grad(f)(Tensor([1.0, 2.0])).asnumpy().tolist() == [10.0, 10.0]


def test_assigned_data_of_a_parameter(mode):
    net, x = Weighted(), Tensor([1.0, 1.0])
    assert net(x).item() == 5
    z = Tensor([10.0, 20.0])
    net.w.data = z
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = ms.value_and_grad(net, None, net.trainable_params())
    loss, grads = step(x)
    optimizer(grads)
    assert loss.item() == 30 and np.allclose(z.asnumpy(), [9.9, 19.9])
    z[0] = 0.0
    assert np.allclose(net(x).item(), 19.9)
    net.w.data = Tensor([5.0, 6.0], ms.float16)
    assert net(x).item() == 11 and net.w.dtype == ms.float16 and net.w.name == "w"
    net.w.data = Tensor([5.0])
    assert net(x).item() == 10
    net.w.data = net.w.data[:0]  # a view is copied
    assert net.w.shape == (0,)


def test_a_parameter_with_another_dtype_compiles_anew(mode):
    net, x = Weighted(), Tensor([1.0, 1.0])
    net(x)
    net.w.set_dtype(ms.float16)
    assert net(x).item() == 5


def test_only_a_tensor_is_assigned_to_data():
    for value in (3, None, "abc"):
        with pytest.raises(TypeError, match=r"Tensor\.data: only a Tensor can be assigned, got"):
            Tensor([1.0]).data = value


# --- set_ ---------------------------------------------------------------------------------------------------------------


def test_set_shares_memory():
    x, y = Tensor([1.0, 2.0]), Tensor([[3.0, 4.0], [5.0, 6.0]])
    assert x.set_(y) is x
    y[0, 0], x[1, 1] = 9.0, 7.0
    assert x.asnumpy().tolist() == y.asnumpy().tolist() == [[9.0, 4.0], [5.0, 7.0]]
    x.set_(y, 1, (2,), (2,))
    y[0, 1] = 8.0
    assert x.asnumpy().tolist() == [8.0, 7.0] and x.stride() == [2] and x.storage_offset() == 1
    x[1] = 1.0
    assert y.asnumpy().tolist() == [[9.0, 8.0], [5.0, 1.0]]
    x.set_(y.T)
    assert x.stride() == [1, 2]
    x.set_(y[1], 1, (1,))  # the offset counts from the first element of the source
    assert x.asnumpy().tolist() == [1.0] and x.storage_offset() == 3
    assert x.set_().shape == (0,)


def test_set_of_a_storage():
    x, y = Tensor([1.0, 2.0]), Tensor([[3.0, 4.0], [5.0, 6.0]])
    assert x.set_(y[1].untyped_storage()).asnumpy().tolist() == [3.0, 4.0, 5.0, 6.0]
    x.set_(y.untyped_storage(), 1, (2,))
    y[0, 1] = 9.0
    assert x.asnumpy().tolist() == [9.0, 5.0]
    x.set_(y, 0, (2, 2), (1, 1))
    assert x.asnumpy().tolist() == [[3.0, 9.0], [9.0, 5.0]]


def test_set_keeps_the_gradient_and_works_in_graphs():
    def f(x):
        y, z = x * 2, x * 3
        z.set_(y)
        return (z * z).sum()

    def g(x):
        z = x * 0
        z.set_(x, 0, (2, 2), (1, 0))
        return z

    for wrapped in (lambda f: f, ms.jit):
        assert ms.grad(wrapped(f))(Tensor([1.0, 2.0])).asnumpy().tolist() == [12.0, 24.0]
        assert wrapped(g)(Tensor([1.0, 2.0])).asnumpy().tolist() == [[1.0, 1.0], [2.0, 2.0]]


def test_set_of_a_parameter():
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    p.set_(Tensor([5.0, 6.0, 7.0]))
    assert p.asnumpy().tolist() == [5.0, 6.0, 7.0] and p.name == "p"


@pytest.mark.parametrize(
    ("arguments", "kind", "text"),
    [
        ((3,), TypeError, "source must be a Tensor or an UntypedStorage, got 3"),
        ((Tensor([1.0]), 1), TypeError, "Failed calling set_"),
        ((Tensor([1, 2]),), RuntimeError, "source must have the dtype Float32, got Int64"),
        ((Tensor([1, 2]).untyped_storage(),), RuntimeError, "source must have the dtype Float32, got Int64"),
        ((Tensor([1.0, 2.0]), 1, (2,), (1,)), RuntimeError, "need a storage of 3 elements, got one of 2"),
        ((Tensor([1.0, 2.0]), -1, (2,), (1,)), RuntimeError, "must not be negative, got -1"),
        ((Tensor([1.0, 2.0]), 0, (-1,)), RuntimeError, "must not be negative"),
        ((Tensor([1.0, 2.0]), 0, (2,), (1, 1)), RuntimeError, "size has 1 axes and stride 2"),
    ],
)
def test_wrong_arguments_of_set(arguments, kind, text):
    with pytest.raises(kind, match=text):
        Tensor([1.0, 2.0]).set_(*arguments)


# --- storages -------------------------------------------------------------------------------------------------------------


def test_a_storage():
    x = Tensor([1.0, 2.0, 3.0])
    storage = x.untyped_storage()
    assert storage == x[1:].storage() and hash(storage) == hash(x.storage()) and storage != Tensor([1.0]).storage()
    assert len(storage) == storage.size() == storage.nbytes() == 12 and storage.element_size() == 1
    assert storage.data_ptr() == x.data_ptr() and storage.device == x.device and storage.dtype == ms.float32
    assert not storage.is_shared()
    assert x[1:].data_ptr() - x.data_ptr() == 4
    with pytest.raises(TypeError, match="cannot create 'UntypedStorage' instances"):
        UntypedStorage(8)


def test_bytes_are_copied_between_storages():
    x, view = Tensor([1.0, 2.0]), None
    view = x[1:]
    x.storage().copy_(Tensor([3, 4], ms.int32).storage())
    assert x.asnumpy().view(np.int32).tolist() == [3, 4] and view.asnumpy().view(np.int32).tolist() == [4]
    with pytest.raises(RuntimeError, match="Size does not match, self was 8 bytes but src was 12 bytes"):
        x.storage().copy_(Tensor([1.0, 2.0, 3.0]).storage())
    with pytest.raises(TypeError, match="source must be an UntypedStorage, got 3"):
        x.storage().copy_(3)


def test_memory_is_released_and_allocated_again():
    for x in (Tensor([1.0, 2.0]), Parameter(Tensor([1.0, 2.0]))):
        view, storage = x[1:], x.storage()
        assert storage.resize_(0).nbytes() == 0 and x.data_ptr() == 0 and x.device == "CPU"
        assert x.asnumpy().tolist() == [0.0, 0.0] and view.asnumpy().tolist() == [0.0] and (x + 1).shape == (2,)
        assert storage.resize_(8).nbytes() == 8 and x.data_ptr() != 0
        x[1] = 5.0
        assert view.asnumpy().tolist() == [5.0]
        assert storage.resize_(8) == storage and x.asnumpy().tolist() == [0.0, 5.0]
        with pytest.raises(ValueError, match="size must be 0 or the 8 bytes of the Tensor, got 3"):
            storage.resize_(3)


def test_delete():
    x = Tensor([1, 2, 3, 4])
    view = x[1:]
    assert x.delete_(non_blocking=True) is x and x.shape == (4,)
    assert x.asnumpy().tolist() == [0, 0, 0, 0] and view.asnumpy().tolist() == [0, 0, 0]
    assert (x + 1).asnumpy().tolist() == ms.jit(lambda a: a + 1)(x).asnumpy().tolist() == [1, 1, 1, 1]
    x.data = Tensor([5, 6])
    assert x.asnumpy().tolist() == [5, 6]
    whole = Tensor([1, 2])
    whole[1:].delete_()
    assert whole.asnumpy().tolist() == [1, 2]
    with pytest.raises(ValueError, match=r"Tensor\.delete_: non_blocking must be a bool, got 1"):
        x.delete_(1)


def test_a_graph_that_releases_memory_runs_in_pynative_mode():
    with pytest.warns(Warning, match="the memory of a Tensor is released"):
        assert ms.jit(lambda a: (a * 2).delete_())(Tensor([1.0])).item() == 0


def test_where_the_memory_is():
    x = Tensor([1, 2])
    assert not x.is_meta and not x.is_pinned() and not x.is_shared()
    pinned = x.pin_memory()
    pinned[0] = 5
    assert x.asnumpy().tolist() == [1, 2]
    assert x.to_("CPU") is x.to_(device="Ascend", non_blocking=True) is x
    with pytest.raises(ValueError, match=r"Tensor\.to_: device must be 'Ascend', 'GPU' or 'CPU', got None"):
        x.to_()
    with pytest.raises(ValueError, match=r"Tensor\.to_: non_blocking must be a bool, got 1"):
        x.to_("CPU", 1)


def test_requires_grad():
    p = Parameter(Tensor([1.0]))
    assert p.requires_grad_(False) is None and not p.requires_grad
    p.requires_grad_()
    assert p.requires_grad and Tensor([1.0]).requires_grad_() is None


# --- swapping ---------------------------------------------------------------------------------------------------------------


def test_swapped_tensors_take_their_views_along():
    a, b = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    view = a[1:]
    ms.swap_tensors(a, b)
    a[1], b[1] = 50.0, 99.0
    assert a.asnumpy().tolist() == [3.0, 50.0] and b.asnumpy().tolist() == [1.0, 99.0]
    assert view.asnumpy().tolist() == [99.0]
    ms.swap_tensors(b, view)  # a Tensor and its view
    view[0] = 7.0
    assert view.asnumpy().tolist() == [7.0, 99.0] and b.asnumpy().tolist() == [99.0]
    b[0] = 8.0
    assert view.asnumpy().tolist() == [7.0, 8.0]
    ms.swap_tensors(a, a)
    assert a.asnumpy().tolist() == [3.0, 50.0]


def test_swapped_parameters(mode):
    net, x = Weighted(), Tensor([1.0, 1.0, 1.0])
    net(x[:2])
    w, other = net.w, Parameter(Tensor([1.0, 2.0, 3.0]), name="other", requires_grad=False)
    optimizer = nn.SGD([w], 0.1)
    ms.swap_tensors(w, other)
    assert net.w is w and w.name == "other" and not w.requires_grad and other.name == "w"
    assert net(x).item() == 6
    optimizer((Tensor([1.0, 1.0, 1.0]),))
    assert np.allclose(w.asnumpy(), [0.9, 1.9, 2.9]) and other.asnumpy().tolist() == [2.0, 3.0]


def test_a_parameter_becomes_a_tensor():
    p, x = Parameter(Tensor([1.0, 2.0]), name="p"), Tensor([3, 4])
    ms.swap_tensors(p, x)
    assert type(p) is Tensor and p.dtype == ms.int64
    assert type(x) is Parameter and x.name == "p"


def test_gradients_follow_a_swap():
    w = Parameter(Tensor([1.0, 2.0]))

    def f(x):
        y, z = x * 2, x * 3
        ms.swap_tensors(y, z)
        return (y * y).sum()

    def g(x):
        y = x * 3
        ms.swap_tensors(w, y)
        result = (w * w).sum() + (y * 0).sum()
        ms.swap_tensors(w, y)
        return result

    a = Tensor([1.0, 2.0])
    assert ms.grad(f)(a).asnumpy().tolist() == [18.0, 36.0]
    assert ms.grad(g)(a).asnumpy().tolist() == [18.0, 36.0]
    assert w.asnumpy().tolist() == [1.0, 2.0]


def test_what_cannot_be_swapped():
    x, y = Tensor([1.0]), Tensor([2.0])
    for pair, name in (((x, 3), "t2"), ((None, x), "t1")):
        with pytest.raises(TypeError, match=f"swap_tensors: {name} must be a Tensor"):
            ms.swap_tensors(*pair)
    reference = weakref.ref(x)
    with pytest.raises(RuntimeError, match="Cannot swap t2 because it has weakref associated with it"):
        ms.swap_tensors(y, x)
    assert reference() is x


def test_a_graph_that_swaps_runs_in_pynative_mode():
    def f(x):
        y, z = x * 2, x * 3
        ms.swap_tensors(y, z)
        return y

    with pytest.warns(Warning, match="Tensors are swapped"):
        assert ms.jit(f)(Tensor([1.0])).item() == 3


def test_parameters_without_a_value_are_drawn_before_a_swap():
    with nn.no_init_parameters():
        net = nn.Dense(2, 1, weight_init="ones")
    other = Parameter(ops.zeros((1, 2)))
    ms.swap_tensors(net.weight, other)
    assert other.asnumpy().tolist() == [[1.0, 1.0]] and not net.weight.asnumpy().any()
