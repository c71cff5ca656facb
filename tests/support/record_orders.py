"""Orders in which files of records and of text are read: the calls, for a program and for a recorder of MindSpore."""

import runpy
from pathlib import Path
from typing import Any

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


def orders(ds: Any, call: str, seed: int) -> list[list[int]]:
    """Return the rows of three epochs."""
    ds.config.set_seed(seed)
    rows = eval(call, vars(ds)).create_tuple_iterator(output_numpy=True, num_epochs=3)
    return [[int(row[0].item()) for row in rows] for _ in range(3)]
