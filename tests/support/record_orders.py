"""Orders in which files of records are read: the calls, for a program and for a recorder of MindSpore."""

from typing import Any

FILES = {"one.mindrecord": range(12), **{f"part{k}.mindrecord": range(10 * k, 10 * k + 5) for k in range(3)}}
ONE, PARTS = '"one.mindrecord"', str([name for name in FILES if name.startswith("part")])
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
]
SEEDS = (1, 7)


def write(writer: Any) -> None:
    """Write the files with a class `FileWriter`."""
    for name, rows in FILES.items():
        file = writer(name, 1, True)
        file.add_schema({"x": {"type": "int32"}}, "rows")
        file.write_raw_data([{"x": row} for row in rows])
        file.commit()


def orders(ds: Any, call: str, seed: int) -> list[list[int]]:
    """Return the rows of three epochs."""
    ds.config.set_seed(seed)
    rows = eval(call, vars(ds)).create_tuple_iterator(output_numpy=True, num_epochs=3)
    return [[int(row[0]) for row in rows] for _ in range(3)]
