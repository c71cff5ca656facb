"""Every error of the pipeline: its type is MindSpore's, its text names the call, the column and both values."""

import numpy as np
import pytest

import sporax.dataset as ds
from sporax.dataset import transforms, vision


def pair(size=4, **options):
    return ds.NumpySlicesDataset({"a": np.arange(size), "b": np.arange(size) * 1.0}, shuffle=False, **options)


def listed(rows, **options):
    return ds.GeneratorDataset(rows, **{"column_names": ["a"], "shuffle": False, **options})


def read(data):
    return list(data.create_tuple_iterator(num_epochs=1, output_numpy=True))


def fails(value):
    raise KeyError("inside")


def broken():
    yield 1
    raise KeyError("inside")


class Items:
    """A source that says it has `size` rows and has `real`."""

    def __init__(self, size, real):
        self.size, self.real = size, real

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        if index >= self.real:
            raise IndexError(f"no row {index}")
        return (np.array(index),)


class Stream:
    """The same, without numbers."""

    def __init__(self, size, real):
        self.size, self.real = size, real

    def __len__(self):
        return self.size

    def __iter__(self):
        return iter([(i,) for i in range(self.real)])


class NoLength:
    def __getitem__(self, index):
        return index


def ragged():
    return ds.GeneratorDataset([(np.zeros(i + 1),) for i in range(4)], ["q"], shuffle=False)


CREATED = {
    "source": (lambda: ds.GeneratorDataset(3, ["a"]), TypeError, "source must be callable, iterable or .* got int 3"),
    "no_columns": (lambda: ds.GeneratorDataset([1]), ValueError, "column_names is required"),
    "columns_type": (lambda: ds.GeneratorDataset([1], [3]), TypeError, "column_names must hold str, got int 3"),
    "columns_twice": (lambda: ds.GeneratorDataset([1], ["a", "a"]), ValueError, "every name once"),
    "sampler_and_shards": (
        lambda: ds.GeneratorDataset([1], "a", sampler=ds.SequentialSampler(), num_shards=2, shard_id=0), ValueError,
        "sampler cannot be given with num_shards.*num_shards=2"),
    "list_sampler_and_shards": (
        lambda: ds.GeneratorDataset([1], "a", sampler=[0], num_shards=2, shard_id=0), ValueError, "sampler cannot be given with"),
    "sampler_and_shuffle": (lambda: pair(sampler=ds.SequentialSampler()), ValueError, "shuffle=False"),
    "sampler_and_samples": (
        lambda: ds.NumpySlicesDataset([1], sampler=ds.RandomSampler(), num_samples=1), ValueError, "num_samples=1"),
    "shards_alone": (lambda: pair(num_shards=2), ValueError, "need to be passed in together.*num_shards=2"),
    "shard_alone": (lambda: pair(shard_id=2), ValueError, "need to be passed in together.*shard_id=2"),
    "shard_range": (lambda: pair(num_shards=2, shard_id=2), ValueError, "less than num_shards=2, got 2"),
    "shards_type": (lambda: pair(num_shards=2.0, shard_id=1), TypeError, "num_shards must be an int, got float 2.0"),
    "sampler_type": (lambda: ds.NumpySlicesDataset([1], sampler=3.5), TypeError, "sampler must be .* got 3.5"),
    "shuffle_type": (lambda: ds.NumpySlicesDataset([1], shuffle=3), TypeError, "shuffle must be .* got 3"),
    "samples_negative": (lambda: pair(num_samples=-1), ValueError, "num_samples must be in .* got -1"),
    "workers": (lambda: pair(num_parallel_workers=0), ValueError, "num_parallel_workers must be in .* got 0"),
    "workers_type": (lambda: pair(num_parallel_workers="2"), TypeError, "num_parallel_workers must be an int"),
    "stream_sampler": (lambda: ds.GeneratorDataset(broken, "a", sampler=[0]), ValueError, "source has no __getitem__"),
    "stream_shards": (
        lambda: ds.GeneratorDataset(broken, "a", num_shards=1, shard_id=0), ValueError, "num_shards is not supported"),
    "collate_alone": (lambda: listed([1], collate_fn=len), ValueError, "collate_fn can be given only together"),
    "batch_sampler_and": (
        lambda: ds.GeneratorDataset([1], "a", batch_sampler=[[0]], num_samples=3), ValueError, "got num_samples=3"),
    "batch_sampler_type": (
        lambda: ds.GeneratorDataset([1], "a", batch_sampler=3), TypeError, "batch_sampler must be iterable, got 3"),
    "collate_type": (
        lambda: ds.GeneratorDataset([1], "a", batch_sampler=[[0]], collate_fn=3), TypeError, "collate_fn must be call"),
    "column_type": (lambda: listed([1], column_types=["nothing"]), TypeError, "expected a data type.*'nothing'"),
    "slices_empty": (lambda: ds.NumpySlicesDataset([]), ValueError, "data cannot be empty"),
    "slices_empty_array": (lambda: ds.NumpySlicesDataset((np.zeros(0),)), ValueError, "data cannot be empty"),
    "slices_unequal": (
        lambda: ds.NumpySlicesDataset(([1, 2], [1])), ValueError, "'column_0' has 2, 'column_1' has 1"),
    "slices_names": (lambda: ds.NumpySlicesDataset(([1], [1]), ["a"]), ValueError, "has 1 names, but data has 2"),
    "slices_type": (lambda: ds.NumpySlicesDataset(3), TypeError, "data must be a list, tuple, dict or array, got 3"),
    "padded_type": (lambda: ds.PaddedDataset([3]), TypeError, "must be a list of dict"),
    "padded_empty": (lambda: ds.PaddedDataset([]), ValueError, "cannot be empty"),
    "map_function": (lambda: pair().map(3, "a"), ValueError, r"operations\[0\] must be callable, got 3"),
    "map_none": (lambda: pair().map([], "a"), RuntimeError, "at least one operation"),
    "map_order": (lambda: pair().map(abs, "a", column_order=["a"]), ValueError, "column_order was removed"),
    "map_column_type": (lambda: pair().map(abs, 3), TypeError, "input_columns must be a str or a list of str, got 3"),
    "batch_zero": (lambda: pair().batch(0), ValueError, r"batch_size must be in \[1, .*got 0"),
    "batch_negative": (lambda: pair().batch(-1), ValueError, "got -1"),
    "batch_type": (lambda: pair().batch(2.5), TypeError, "batch_size must be an int or a callable, got 2.5"),
    "batch_drop": (lambda: pair().batch(2, 3), TypeError, "drop_remainder must be a bool, got int 3"),
    "batch_map": (lambda: pair().batch(2, per_batch_map=3), TypeError, "per_batch_map must be callable"),
    "batch_unknown": (lambda: pair().batch(2, foo=1), TypeError, "foo"),
    "padded_batch_zero": (lambda: pair().padded_batch(0), ValueError, r"padded_batch: batch_size must be in \[1, .*got 0"),
    "padded_batch_type": (
        lambda: pair().padded_batch(2.5), TypeError, "padded_batch: batch_size must be an int or a callable, got 2.5"),
    "device_type": (
        lambda: vision.Invert().device(1), TypeError, "vision.Invert.device: device_target must be a str, got 1"),
    "device_kind": (
        lambda: vision.Decode().device("GPU"), ValueError, "vision.Decode.device: .* must be 'CPU' or 'Ascend', got 'GPU'"),
    "padded_batch_info": (lambda: pair().padded_batch(2, pad_info=3), TypeError, "pad_info must be a dict, got 3"),
    "padded_batch_entry": (
        lambda: pair().padded_batch(2, pad_info={"a": 3}), ValueError, r"pad_info\['a'\] must be \(shape, value\)"),
    "bucket_sizes": (
        lambda: pair().bucket_batch_by_length("a", [1, 2], [1]), ValueError, "one item more .*got 1 and 2"),
    "bucket_order": (lambda: pair().bucket_batch_by_length("a", [2, 1], [1, 1, 1]), ValueError, "must ascend"),
    "bucket_length": (lambda: pair().bucket_batch_by_length(["a", "b"], [2], [1, 1]), ValueError, "is needed with"),
    "bucket_list": (lambda: pair().bucket_batch_by_length("a", 2, [1, 1]), TypeError, "bucket_boundaries must be a"),
    "take of another kind": (lambda: pair().take("3"), TypeError, "Dataset.take: count must be an int, got str '3'"),
    "repeat of another kind": (lambda: pair().repeat(1.5), TypeError, "Dataset.repeat: count must be an int, got float 1.5"),
    "take": (lambda: pair().take(0), ValueError, "count must be -1 or a positive int, got 0"),
    "skip": (lambda: pair().skip(-1), ValueError, "count must be in"),
    "repeat": (lambda: pair().repeat(0), ValueError, "count must be -1 or a positive int, got 0"),
    "shuffle": (lambda: pair().shuffle(1), ValueError, r"buffer_size must be in \[2, "),
    "shuffle_type_": (lambda: pair().shuffle(2.5), TypeError, "buffer_size must be an int, got float 2.5"),
    "project_twice": (lambda: pair().project(["a", "a"]), ValueError, "every name once"),
    "project_empty": (lambda: pair().project([]), ValueError, "must hold names"),
    "rename_length": (lambda: pair().rename(["a"], ["x", "y"]), ValueError, "got 2 for 1"),
    "filter": (lambda: pair().filter(3), TypeError, "predicate must be callable, got int 3"),
    "flat_map": (lambda: pair().flat_map(3), TypeError, "func must be callable"),
    "apply": (lambda: pair().apply(3), TypeError, "apply_func must be a function"),
    "apply_result": (lambda: pair().apply(lambda data: 3), TypeError, "must return a Dataset, got 3"),
    "zip_type": (lambda: ds.zip([pair()]), TypeError, "must be a tuple of Dataset"),
    "zip_one": (lambda: ds.zip((pair(),)), ValueError, "at least two datasets, got 1"),
    "zip_method": (lambda: pair().zip(3), TypeError, "expected a Dataset or a tuple"),
    "concat": (lambda: pair() + 3, TypeError, "expected a Dataset or a list of them, got 3"),
    "concat_empty": (lambda: pair() + pair().skip(9), ValueError, r"number 1 \(SkipDataset\) has no rows"),
    "split_sum": (lambda: pair().split([1, 2]), RuntimeError, "sum up to 3, but the dataset has 4 rows"),
    "split_share_sum": (lambda: pair().split([0.5, 0.2]), ValueError, "must sum up to 1"),
    "split_share": (lambda: pair().split([0.9, 0.1]), RuntimeError, "share 0.1 of 4 rows gives no row"),
    "split_share_range": (lambda: pair().split([1.5, -0.5]), ValueError, r"must be in \(0, 1\]"),
    "split_negative": (lambda: pair().split([-1, 5]), ValueError, "must be positive"),
    "split_empty": (lambda: pair().split([]), ValueError, "cannot be empty"),
    "split_type": (lambda: pair().split(3), TypeError, "sizes must be a list, got 3"),
    "split_mixed": (lambda: pair().split([1, 0.5]), ValueError, "all int or all float"),
    "split_sharded": (lambda: pair(num_shards=2, shard_id=0).split([1, 1]), RuntimeError, "is sharded"),
    "sync_callback": (lambda: pair().sync_wait("x", callback=3), TypeError, "callback must be callable"),
    "sync_name": (lambda: pair().sync_wait(3), TypeError, "Dataset.sync_wait: condition_name must be a str, got 3"),
    "sync_update_name": (lambda: pair().sync_update(3), TypeError, "Dataset.sync_update: condition_name must be a str, got 3"),
    "sync_update_number": (
        lambda: pair().sync_wait("x").sync_update("x", 0), RuntimeError, "num_batch must be a positive int, got 0"),
    "sync_shuffle": (lambda: pair().sync_wait("x").shuffle(2), RuntimeError, "shuffle: it cannot follow sync_wait"),
    "sync_twice": (lambda: pair().sync_wait("x").sync_wait("x"), RuntimeError, "'x' is taken"),
    "sync_unknown": (lambda: pair().sync_update("x"), RuntimeError, "no condition named 'x'"),
    "epochs": (lambda: pair().create_dict_iterator(num_epochs=0), RuntimeError, "must be -1 or positive, got 0"),
    "epochs_type": (lambda: pair().create_dict_iterator(num_epochs="1"), TypeError, "num_epochs must be an int"),
    "iterator_columns": (
        lambda: pair().create_tuple_iterator(["z"]), RuntimeError, r"column 'z' does not exist; .*\['a', 'b'\]"),
    "iterator_state": (lambda: iter(pair()).set_state({"step": 1}), ValueError, "expected seed, epoch and step"),
    "output_numpy": (lambda: pair().create_dict_iterator(output_numpy=1), TypeError, "output_numpy must be a bool"),
    "use_sampler": (lambda: pair().use_sampler(3), TypeError, "expected a sampler, got 3"),
    "add_sampler": (lambda: pair().add_sampler(None), TypeError, "expected a sampler, got None"),
    "random_sampler": (lambda: ds.RandomSampler(replacement=3), TypeError, "replacement must be a bool"),
    "random_sampler_shuffle": (lambda: ds.RandomSampler(shuffle=ds.Shuffle.FALSE), TypeError, "other than FALSE"),
    "sampler_samples": (lambda: ds.SequentialSampler(num_samples=-1), ValueError, "SequentialSampler: num_samples"),
    "sequential": (lambda: ds.SequentialSampler(-1), RuntimeError, "must not be negative, got -1"),
    "sequential_type": (lambda: ds.SequentialSampler("1"), TypeError, "start_index must be an int"),
    "distributed": (lambda: ds.DistributedSampler(2, 2), RuntimeError, "num_shards=2, shard_id=2"),
    "distributed_type": (lambda: ds.DistributedSampler("2", 2), TypeError, "num_shards must be an int, got '2'"),
    "distributed_shuffle": (lambda: ds.DistributedSampler(2, 0, shuffle=3), TypeError, "shuffle must be a bool"),
    "subset": (lambda: ds.SubsetSampler([1.5]), TypeError, r"indices\[0\] must be an int, got 1.5"),
    "subset_type": (lambda: ds.SubsetSampler("12"), TypeError, "indices must be ints, got '12'"),
    "weights": (lambda: ds.WeightedRandomSampler(["a"]), TypeError, r"weights\[0\] must be a number, got 'a'"),
    "weights_zero": (lambda: ds.WeightedRandomSampler([0, 0]), RuntimeError, "not all zero"),
    "weights_replacement": (lambda: ds.WeightedRandomSampler([1], 1, 2), TypeError, "replacement must be a bool"),
    "classes": (lambda: ds.PKSampler(2, 3), NotImplementedError, "num_class cannot be chosen, got 3"),
    "classes_count": (lambda: ds.PKSampler(0), RuntimeError, "num_val must be positive, got 0"),
    "classes_type": (lambda: ds.PKSampler("2"), TypeError, "num_val must be an int"),
    "classes_column": (lambda: ds.PKSampler(2, class_column=1), TypeError, "class_column must be a str"),
    "child_twice": (
        lambda: [(s := ds.SequentialSampler()).add_child(ds.RandomSampler()), s.add_child(ds.RandomSampler())],
        RuntimeError, "already has a child"),
    "schema_name": (lambda: ds.Schema().add_column(3, "int32"), TypeError, "name must be a str"),
    "schema_columns": (lambda: ds.Schema().from_json({"x": 1}), RuntimeError, "expected a dictionary with 'columns'"),
    "schema_unknown": (
        lambda: ds.Schema().from_json({"x": 1, "columns": {"a": {"type": "int8"}}}),
        RuntimeError,
        r"expected columns, numRows and datasetType, got \['x'\]",
    ),
    "schema_rows": (
        lambda: ds.Schema().from_json({"numRows": 0, "columns": {"a": {"type": "int8"}}}),
        RuntimeError,
        "numRows must be a positive int, got 0",
    ),
    "schema_missing": (lambda: ds.Schema("none.json"), ValueError, "Schema: the file none.json does not exist"),
    "schema_column": (lambda: ds.Schema().parse_columns([{"name": "x"}]), RuntimeError, "needs a name and a type"),
    "folder": (lambda: ds.MnistDataset("/nowhere"), ValueError, "'/nowhere' is not a folder"),
    "folder_type": (lambda: ds.ImageFolderDataset(3), TypeError, "dataset_dir must be a path, got 3"),
    "seed": (lambda: ds.config.set_seed(-1), ValueError, "seed must be in .* got -1"),
    "seed_type": (lambda: ds.config.set_seed(1.5), TypeError, "seed must be an int, got 1.5"),
    "setting": (lambda: ds.config.set_prefetch_size(0), ValueError, "set_prefetch_size: expected an int in"),
    "setting_int": (lambda: ds.config.set_prefetch_size("0"), TypeError, "expected an int, got '0'"),
    "setting_type": (lambda: ds.config.set_numa_enable(1), TypeError, "expected a bool, got 1"),
    "setting_choice": (lambda: ds.config.set_multiprocessing_start_method("x"), ValueError, "expected one of"),
    "compose": (lambda: transforms.Compose([]), ValueError, "transforms cannot be empty"),
    "compose_type": (lambda: transforms.Compose(abs), TypeError, "transforms must be a list"),
    "compose_item": (lambda: transforms.RandomApply([3]), TypeError, r"transforms\[0\] must be callable, got 3"),
    "one_hot": (lambda: transforms.OneHot(0), ValueError, "num_classes must be in"),
    "one_hot_rate": (lambda: transforms.OneHot(3, 2.0), ValueError, "smoothing_rate must be in"),
    "one_hot_rate_type": (lambda: transforms.OneHot(3, "a"), TypeError, "smoothing_rate must be a number"),
    "one_hot_label": (lambda: transforms.OneHot(3)([0, 3]), RuntimeError, r"of \[0, 3\), got .* values 0 to 3"),
    "fill": (lambda: transforms.Fill(None), TypeError, "fill_value must be a number or text"),
    "fill_text": (lambda: transforms.Fill("a")([1]), TypeError, "'a' cannot fill int64"),
    "pad_end": (lambda: transforms.PadEnd([1, 1])([1, 2]), RuntimeError, r"cannot be padded to \[1, 1\]"),
    "pad_end_type": (lambda: transforms.PadEnd(3), TypeError, "pad_shape must be a list"),
    "concatenate_axis": (lambda: transforms.Concatenate(1), ValueError, "axis must be 0 or -1, got 1"),
    "concatenate_rank": (lambda: transforms.Concatenate(0, [[1]]), ValueError, "prepend must be a vector"),
    "concatenate_input": (lambda: transforms.Concatenate(0, [1])([[1]]), RuntimeError, "vectors of one type"),
    "concatenate_type": (lambda: transforms.Concatenate(0, [1])(["a"]), RuntimeError, "vectors of one type"),
    "mask_text": (lambda: transforms.Mask(transforms.Relational.EQ, "a")([1]), RuntimeError, "compared with 'a'"),
    "pad_end_text": (lambda: transforms.PadEnd([3], "a")([1]), RuntimeError, "cannot be padded with 'a'"),
    "type_cast_text": (lambda: transforms.TypeCast("str")([1]), RuntimeError, "cannot be converted to <U0"),
    "concatenate": (lambda: transforms.Concatenate("0"), TypeError, "axis must be an int"),
    "duplicate": (lambda: transforms.Duplicate()(1, 2), RuntimeError, "expected one column, got 2"),
    "mask": (lambda: transforms.Mask(3, 1), TypeError, "operator must be a Relational, got 3"),
    "slice": (lambda: transforms.Slice("a"), TypeError, "expected an int, list, slice"),
    "slice_range": (lambda: transforms.Slice(5)([1, 2]), RuntimeError, "5 is out of int64.* on axis 0"),
    "slice_rank": (lambda: transforms.Slice(1, 2)([1, 2]), RuntimeError, "2 slices do not fit"),
    "as_dtype": (lambda: transforms.TypeCast("float99"), TypeError, "such as float32, got 'float99'"),
    "operation": (lambda: transforms.TensorOperation()(1), NotImplementedError, "must define _apply"),
    "py_operation": (lambda: transforms.PyTensorOperation()(1), NotImplementedError, "must define _execute_py"),
}  # fmt: skip
ITERATED = {
    "empty": (lambda: listed([]), "the source has no rows"),
    "no_length": (lambda: listed(NoLength()), "NoLength has __getitem__ and needs '__len__'"),
    "too_long": (lambda: listed(Items(5, 3)), "IndexError at row 3, and its __len__ gives 5: no row 3"),
    "stream_short": (lambda: ds.GeneratorDataset(Stream(5, 3), "a"), "gave 3 rows, but its __len__ says 5"),
    "stream_long": (lambda: ds.GeneratorDataset(Stream(2, 3), "a"), "gave 3 rows, but its __len__ says 2"),
    "columns": (lambda: listed([(1, 2)]), r"gave 2 columns at row 0, but column_names has 1: \['a'\]"),
    "columns_missing": (lambda: listed([(1,)], column_names=["a", "b"]), "gave 1 columns at row 0, .* has 2"),
    "stream_columns": (lambda: ds.GeneratorDataset(lambda: iter([(1, 2)]), "a"), "gave 2 columns at row 0"),
    "object": (lambda: listed([(object(),)]), "row 0 of the source: expected numbers, text or arrays, got object"),
    "ragged_list": (lambda: listed([([[1], [1, 2]],)]), "row 0 of the source: expected numbers"),
    "type": (lambda: listed([(1,)], column_types=["float32"]), r"column 'a' is int64\[\] at row 0, .* float32"),
    "stream_raises": (lambda: ds.GeneratorDataset(broken, "a"), "broken raised KeyError at row 1: 'inside'"),
    "function_raises": (lambda: ds.GeneratorDataset(lambda: fails(1), "a"), "<lambda> in .* raised KeyError: 'inside'"),
    "row_beyond": (lambda: ds.NumpySlicesDataset([1, 2], sampler=[0, 9]), "row 9 does not exist; .* has 2 rows"),
    "row_negative": (lambda: ds.NumpySlicesDataset([1, 2], sampler=[-1]), "row -1 does not exist"),
    "start": (lambda: ds.NumpySlicesDataset([1], sampler=ds.SequentialSampler(3)), "start_index 3 is beyond"),
    "weights": (
        lambda: ds.NumpySlicesDataset([1, 2], sampler=ds.WeightedRandomSampler([1, 0], 2, False)),
        "2 different rows were asked for, but only 1"),
    "batch_group": (lambda: ds.GeneratorDataset([1, 2], "a", batch_sampler=[[0, 5]]), "row 5 does not exist"),
    "collate_raises": (
        lambda: ds.GeneratorDataset([1, 2], "a", batch_sampler=[[0]], collate_fn=fails), "fails raised KeyError at"),
    "collate_columns": (
        lambda: ds.GeneratorDataset([1, 2], "a", batch_sampler=[[0]], collate_fn=lambda a: (a, a)),
        "collate_fn gave 2 columns, but column_names has 1"),
    "map_column": (lambda: pair().map(abs, "zz"), r"Dataset.map: column 'zz' does not exist; .*\['a', 'b'\]"),
    "map_raises": (lambda: pair().map(fails, "a"), r"input_columns=\['a'\]\): fails raised KeyError at row 0"),
    "map_raises_later": (
        lambda: pair().map(lambda a: 1 // int(a - 2), "a"),
        "<lambda> in pipeline_errors.py, line [0-9]+, raised ZeroDivisionError at row 2"),
    "map_none": (lambda: pair().map(lambda a: None, "a"), "returned None; expected an array"),
    "map_object": (lambda: pair().map(lambda a: object(), "a"), "raised TypeError at row 0: expected numbers"),
    "map_columns": (
        lambda: pair().map(lambda a: (a, a), "a"), r"returned 2 columns at row 0, but output_columns has 1: \['a'\]"),
    "map_batched": (lambda: pair().map(transforms.OneHot(2), "a").batch(3), "OneHot raised RuntimeError at row 0"),
    "map_threads": (lambda: pair().map(fails, "a", num_parallel_workers=2), "fails raised KeyError at row 0"),
    "filter_column": (lambda: pair().filter(bool, "zz"), "Dataset.filter: column 'zz' does not exist"),
    "filter_raises": (lambda: pair().filter(fails, "a"), "Dataset.filter: fails raised KeyError at row 0"),
    "filter_answer": (lambda: pair().filter(lambda a: "yes", "a"), "must return a bool, got 'yes' at row 0"),
    "ragged": (lambda: ragged().batch(2), r"column 'q' must have .* row 0 is float64\[1\], its row 1 is float64\[2\]"),
    "ragged_type": (
        lambda: listed([(np.float32(1),), (np.int32(1),)]).batch(2), r"row 0 is float32\[\], its row 1 is int32\[\]"),
    "ragged_text": (lambda: listed([(["a"],), ("b",)]).batch(2), "column 'a' must have one shape"),
    "batch_object": (
        lambda: listed([1]).batch(1, per_batch_map=lambda a, info: ([{1}],)),
        r"column 'a' cannot be batched: expected numbers.*got set"),
    "batch_size": (lambda: listed([1]).batch(lambda info: 0), "must return an int greater than 0 for batch 0, got 0"),
    "batch_size_raises": (lambda: listed([1]).batch(fails), "fails raised KeyError at row 0"),
    "batch_map_raises": (
        lambda: listed([1]).batch(1, per_batch_map=lambda a, info: fails(a)), "raised KeyError at row 0: 'inside'"),
    "batch_map_columns": (
        lambda: pair().batch(2, per_batch_map=lambda a, b, info: (a,)), "must return 2 columns .* got 1 for batch 0"),
    "batch_column": (
        lambda: pair().batch(2, per_batch_map=lambda a, i: a, input_columns="z"), "column 'z' does not exist"),
    "padded_column": (lambda: ragged().padded_batch(2, pad_info={"z": ([2], 0)}), "column 'z' does not exist"),
    "padded_rank": (
        lambda: ragged().padded_batch(2, pad_info={"q": ([2, 2], 0)}), r"'q' must have the rank of .*\[2, 2\], got"),
    "padded_plain": (lambda: ragged().padded_batch(2), "column 'q' must have one shape"),
    "bucket_raises": (
        lambda: ragged().bucket_batch_by_length("q", [2], [1, 1], fails), "fails raised KeyError at row 0"),
    "bucket_boundary": (
        lambda: ragged().bucket_batch_by_length("q", [2], [1, 1], pad_to_bucket_boundary=True), "longer than the last"),
    "project": (lambda: pair().project("z"), "Dataset.project: column 'z' does not exist"),
    "rename": (lambda: pair().rename("z", "y"), "Dataset.rename: column 'z' does not exist"),
    "rename_taken": (lambda: pair().rename("a", "b"), "a new name exists already"),
    "zip_twice": (lambda: pair().zip(pair()), r"columns \['a', 'b'\] come from more than one dataset"),
    "concat": (lambda: pair() + pair().rename("a", "z"), r"number 0 has \['a', 'b'\], number 1 has \['z', 'b'\]"),
    "concat_type": (
        lambda: pair() + pair().map(transforms.TypeCast("int8"), "a"), "'a' must have .* int64 of rank 0 and int8"),
    "flat_map_raises": (lambda: listed([1]).flat_map(fails), "Dataset.flat_map: fails raised KeyError at row 0"),
}  # fmt: skip


@pytest.mark.parametrize("name", CREATED)
def test_refused_at_once(name):
    call, kind, text = CREATED[name]
    with pytest.raises(kind, match=text) as raised:
        call()
    assert type(raised.value) is kind


@pytest.mark.parametrize("name", ITERATED)
def test_refused_while_iterating(name):
    build, text = ITERATED[name]
    with pytest.raises(RuntimeError, match=text):
        read(build())
