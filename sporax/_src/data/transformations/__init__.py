"""Transformations: one file each, its class and the method of `Dataset` that makes it.

Reading order: `take`, `skip`, `repeat`, `concat`, `zip` (which rows come), `rename`, `project` (which columns), `map`,
`filter`, `flat_map` (functions of rows), `batch`, `padded_batch`, `bucket` (rows stacked), `shuffle`, `split`, `sync`; `apply`,
`save` and `to_json` are methods alone.
"""

from sporax._src.data.transformations.apply import apply as apply
from sporax._src.data.transformations.batch import BatchDataset, BatchInfo
from sporax._src.data.transformations.bucket import BucketBatchByLengthDataset
from sporax._src.data.transformations.concat import ConcatDataset
from sporax._src.data.transformations.filter import FilterDataset
from sporax._src.data.transformations.flat_map import FlatMapDataset as FlatMapDataset  # sporax's own
from sporax._src.data.transformations.map import MapDataset
from sporax._src.data.transformations.padded_batch import PaddedBatchDataset
from sporax._src.data.transformations.project import ProjectDataset
from sporax._src.data.transformations.rename import RenameDataset
from sporax._src.data.transformations.repeat import RepeatDataset
from sporax._src.data.transformations.save import save as save
from sporax._src.data.transformations.shuffle import ShuffleDataset
from sporax._src.data.transformations.skip import SkipDataset
from sporax._src.data.transformations.split import split as split
from sporax._src.data.transformations.sync import SyncWaitDataset
from sporax._src.data.transformations.take import TakeDataset
from sporax._src.data.transformations.to_json import to_json as to_json
from sporax._src.data.transformations.zip import ZipDataset, zip

__all__ = [
    "BatchDataset",
    "BatchInfo",
    "BucketBatchByLengthDataset",
    "ConcatDataset",
    "FilterDataset",
    "MapDataset",
    "PaddedBatchDataset",
    "ProjectDataset",
    "RenameDataset",
    "RepeatDataset",
    "ShuffleDataset",
    "SkipDataset",
    "SyncWaitDataset",
    "TakeDataset",
    "ZipDataset",
    "zip",
]
