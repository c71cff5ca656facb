"""What the laws of pipelines find, fast routes, orders and draws of whole pipelines."""

import numpy as np
import pytest
from data_tables.pipelines import PIPELINES, images, numbers
from dataset_laws import check_dataset, rows_of, transformed

import sporax.dataset as ds
from sporax._src.base.public_names import defined_in
from sporax._src.data.dataset import Dataset
from sporax._src.data.iteration import Run
from sporax.dataset import vision


class Broken(ds.Dataset):
    """Three rows, with one thing wrong."""

    def __init__(self, wrong):
        super().__init__()
        self.wrong, self.row = wrong, (np.array(1),)

    def _static_size(self):
        return 4 if self.wrong == "size" else 3

    def _columns(self):
        return ["a", "b"] if self.wrong == "names" else ["a"]

    def _rows(self, run, epoch, start=0):
        rows = [self.row if self.wrong == "owner" else (np.array(10 * k),) for k in range(3)]
        if self.wrong == "order" and self.num_parallel_workers > 1:
            rows = rows[::-1]
        return iter(rows if self.wrong == "start" else rows[start:])

    def _gather(self, run, epoch):
        return lambda rows: (rows * (11 if self.wrong == "gather" else 10),)


@pytest.mark.parametrize(("wrong", "law"), [
    ("size", "the_size_is_what_comes"),
    ("start", "resuming_at_every_position_gives_the_rest"),
    ("order", "workers_change_nothing"),
    ("names", "types_shapes_and_names_are_those_of_the_first_row"),
    ("owner", "rows_are_the_users_own"),
    ("gather", "gathering_equals_row_by_row"),
])  # fmt: skip
def test_laws_find_what_is_wrong(wrong, law):
    with pytest.raises(Exception) as raised:
        check_dataset(lambda: Broken(wrong))
    assert law in [entry.name for entry in raised.traceback]


def test_what_no_argument_is_known_for_needs_a_row():
    with pytest.raises(AssertionError, match=r"Dataset.map needs a row in ROWS: .* \['operations: object'\]"):
        transformed(numbers(), "map")
    check_dataset(lambda: Broken("nothing"))


def test_fast_routes_are_taken():
    batched = [vision.Rescale(1 / 255, 0), vision.Normalize([0.5] * 3, [0.2] * 3), vision.HWC2CHW()]
    for data in (numbers(), numbers().shuffle(3).repeat(2).take(9).skip(1), images().map(batched, "image")):
        assert data._gather(Run(data), 0) is not None


def test_batched_operations_equal_single_ones():
    operations = [vision.Rescale(1 / 255, 0.5), vision.Normalize([0.5] * 3, [0.2] * 3), vision.HWC2CHW()]
    fast = images().map(operations, "image").batch(4)
    slow = images().map([lambda x, op=op: op(x) for op in operations], "image").batch(4)
    assert rows_of(fast) == rows_of(slow)


def test_a_subclass_of_a_batched_operation_is_called_row_by_row():
    class Shifted(vision.Rescale):
        def __call__(self, image):
            return super().__call__(image) + 1

    plain = rows_of(images().map(vision.Rescale(1.0, 1.0), "image").batch(3))
    assert rows_of(images().map(Shifted(1.0, 0.0), "image").batch(3)) == plain


def test_one_loop_is_one_order_and_one_iterator_is_many():
    data = numbers(20)
    loops = [[int(np.asarray(row[0])) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
             for _ in range(2)]  # fmt: skip
    assert loops[0] == loops[1]
    first, second = rows_of(data, 2)
    assert first != second
    assert sorted(first) == sorted(second)


def test_without_a_seed_orders_differ():
    from sporax._src.data import config

    config._values["seed"] = config.UNSEEDED
    assert len({str(rows_of(numbers(30))) for _ in range(3)}) == 3


def test_random_rows_differ_by_row_and_epoch():
    same = ds.NumpySlicesDataset(np.zeros((20, 4, 4, 3), np.uint8), ["image"], shuffle=False)
    data = same.map(vision.RandomColorAdjust(brightness=(0.1, 2.0)), "image")
    bright = ds.NumpySlicesDataset(np.full((20, 4, 4, 3), 100, np.uint8), ["image"], shuffle=False)
    first, second = rows_of(bright.map(vision.RandomColorAdjust(brightness=(0.1, 2.0)), "image"), 2)
    assert len({str(row) for row in first}) > 10
    assert first != second
    assert len({str(row) for row in rows_of(data)[0]}) == 1


def test_every_transformation_is_held_to_the_laws():
    found = set()

    def visit(node):
        found.add(type(node))
        for child in node.children:
            visit(child)

    for build in PIPELINES.values():
        visit(build())

    def below(kind):
        return {kind}.union(*(below(child) for child in kind.__subclasses__()))

    own = {kind for kind in below(Dataset) if defined_in(kind).startswith("sporax._src.data.transformations")}
    assert own <= found
