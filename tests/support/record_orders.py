"""Orders in which files of records and of text are read: the calls, for a program and for a recorder of MindSpore."""

import runpy
from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np

FILES = {"one.mindrecord": range(12), **{f"part{k}.mindrecord": range(10 * k, 10 * k + 5) for k in range(3)}}
ONE, PARTS = '"one.mindrecord"', str([name for name in FILES if name.startswith("part")])
SIZES = (5, 3, 7, 4)  # of the files of text and of TFRecord
SHARED = "num_shards=2, shard_id=1"
OPTIONS = [
    "shuffle=Shuffle.FILES",
    "",
    "num_samples=6",
    "shuffle=False",
    f"{SHARED}, shuffle=Shuffle.FILES",
    f"{SHARED}",
    "num_shards=3, shard_id=2, shuffle=False",
    "num_shards=30, shard_id=20",  # more shards than files or rows
]
OF_RECORDS = [
    "",
    "shuffle=Shuffle.FILES",
    SHARED,
    f"{SHARED}, shuffle=False",
    f"{SHARED}, num_samples=5",
    f"{SHARED}, shard_equal_rows=True",
]
JOINED = [
    "numbers(5), numbers(4, 100)",
    "numbers(2), numbers(1, 50), numbers(4, 100)",
    "mapped(5), mapped(4, 100)",
    "mapped(5), numbers(4, 100)",
    "numbers(5), mapped(4, 100), numbers(6, 200)",
    "numbers(5), generated(4, 100)",
    "generated(5), numbers(4, 100)",
    f'MindDataset({ONE}), numbers(5, 100, "int32")',
]
CALLS = [
    f"MindDataset({ONE})",
    f"MindDataset({ONE}, shuffle=False)",
    f"MindDataset({ONE}, num_parallel_workers=2).repeat(2)",
    f"MindDataset({ONE}, sampler=RandomSampler())",
    f"MindDataset({ONE}, num_shards=2, shard_id=1)",
    f"MindDataset({ONE}, num_shards=5, shard_id=4, shuffle=False)",
    f"MindDataset({PARTS})",
    f"MindDataset({PARTS}, shuffle=Shuffle.GLOBAL)",
    f"MindDataset({PARTS}, shuffle=Shuffle.FILES)",
    f"MindDataset({PARTS}, shuffle=Shuffle.INFILE)",
    f"MindDataset({PARTS}, num_shards=4, shard_id=3)",
    f"MindDataset({PARTS}, num_shards=2, shard_id=1, shuffle=Shuffle.FILES)",
    f"MindDataset({PARTS}, num_shards=2, shard_id=0, shuffle=Shuffle.INFILE)",
    *(f"TextFileDataset('?.txt', num_parallel_workers={k}, {options})" for k in (1, 2) for options in OPTIONS),
    *(f"TFRecordDataset('?.tfrecord', num_parallel_workers={k}, {options})" for k in (1, 2) for options in OF_RECORDS),
    f"TextFileDataset('?.txt', num_parallel_workers=1, {SHARED}).repeat(2)",
    f"TFRecordDataset('?.tfrecord', num_parallel_workers=1, {SHARED}).repeat(2)",
    "CSVDataset('?.txt', column_names=['x'], num_parallel_workers=2)",
    *(
        f"joined(DistributedSampler({shares}, {shard}, shuffle=False), {parts})"
        for parts in JOINED
        for shares, shard in ((2, 1), (4, 0), (4, 3))
    ),
    *(f"joined(RandomSampler(), {parts})" for parts in JOINED),
    "joined(RandomSampler(), numbers(5), numbers(4, 100) + numbers(3, 200)).repeat(2)",
    *(f"MindDataset({ONE}, sampler=DistributedSampler(5, {k}, False, offset={k - 1}))" for k in range(5)),
    f"used(MindDataset({ONE}), SequentialSampler(2, 5))",
    *(
        f'MindDataset({PARTS}, ["x"], padded_sample={{"x": -1}}, num_padded=3, num_shards=3, shard_id=2{how})'
        for how in ("", ", shuffle=False", ", shuffle=Shuffle.FILES", ", shuffle=Shuffle.INFILE")
    ),
    f"used(MindDataset({ONE}), SubsetRandomSampler([1, 5, 9, 2]))",
    f"MindDataset({ONE}, num_samples=5)",
    f"MindDataset({ONE}, num_samples=20)",
    f"MindDataset({ONE}, num_samples=5, shuffle=False)",
    f"MindDataset({ONE}, sampler=RandomSampler(True))",
    f"MindDataset({PARTS}, num_samples=3, num_shards=2, shard_id=1)",
    f"MindDataset({PARTS}, sampler=SubsetRandomSampler([14, 3, 7]))",
    f"used(MindDataset({ONE}), RandomSampler(num_samples=5))",
    *(
        f"MindDataset({ONE}{how}).split([9, 3], {randomize})[{part}]"
        for how in ("", ", shuffle=False", ", sampler=RandomSampler(True)")
        for randomize in (True, False)
        for part in (0, 1)
    ),
    *(
        f"used(MindDataset({ONE}).split([8, 4]{how})[0], DistributedSampler(2, 1, {shuffle}))"
        for how in ("", ", False")
        for shuffle in (True, False)
    ),
    *(
        f"used(MindDataset({ONE}{how}).split([8, 4])[0], {sampler})"
        for how in ("", ", shuffle=False")
        for sampler in ("SubsetRandomSampler(list(range(8)))", "SequentialSampler(1, 5)")
    ),
    *(f"MindDataset({ONE}, sampler=SubsetRandomSampler(list(range(12)))).split([8, 4])[{part}]" for part in (0, 1)),
    f"MindDataset({ONE}, num_samples=30)",
    f"MindDataset({ONE}, sampler=DistributedSampler(2, 1))",
    f"MindDataset({PARTS}, sampler=DistributedSampler(2, 1, num_samples=3))",
]
SEEDS = (1, 7)


def write(writer: Any) -> None:
    """Write the files with a class `FileWriter`."""
    for name, rows in FILES.items():
        file = writer(name, 1, True)
        file.add_schema({"x": {"type": "int32"}}, "rows")
        file.write_raw_data([{"x": row} for row in rows])
        file.commit()
    place = Path(__file__).resolve().parents[2] / "tools" / "data_pipelines" / "files.py"
    tfrecord = runpy.run_path(str(place))["tfrecord"]
    for number, size in enumerate(SIZES):
        rows = [10 * number + k for k in range(size)]
        Path(f"{number}.txt").write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
        tfrecord(f"{number}.tfrecord", [{"x": [row]} for row in rows])


def helpers(ds: Any) -> dict[str, Any]:
    """Return what the calls name besides the module."""

    def numbers(size: int, first: int = 0, kind: str = "int64") -> Any:
        return ds.NumpySlicesDataset(np.arange(first, first + size, dtype=kind), ["x"])

    def used(data: Any, sampler: Any) -> Any:
        data.use_sampler(sampler)
        return data

    return {
        "numbers": numbers,
        "mapped": lambda *given: numbers(*given).map(lambda x: x, ["x"]),
        "generated": lambda size, first=0: ds.GeneratorDataset(
            lambda: ((np.array(k),) for k in range(first, first + size)), ["x"]
        ),
        "used": used,
        "joined": lambda sampler, *parts: used(reduce(add, parts), sampler),
    }


def orders(ds: Any, call: str, seed: int) -> list[list[int]]:
    """Return the rows of three epochs."""
    ds.config.set_seed(seed)
    rows = eval(call, vars(ds) | helpers(ds)).create_tuple_iterator(output_numpy=True, num_epochs=3)
    return [[int(row[0].item()) for row in rows] for _ in range(3)]
