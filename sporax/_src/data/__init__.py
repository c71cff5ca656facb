"""The dataset pipeline. Standard library and NumPy only, so workers never start a device.

Reading order: `iteration` (the state of one iterator, and rows in order from workers), `iterator`, `dataset` (the interface of
a node), `samplers`, `sources`, `doors` (data of other packages), `transformations` (one file each, bound to `Dataset`), `look`;
`transforms`, `vision`, `text` and `audio` hold the operations for `Dataset.map`, `mindrecord` the file format, and `converters`
what writes public data sets in it. Beside them `config`, `autotune` (workers chosen while a pipeline is read),
`checks` of arguments, `collate` (rows to batches), `callbacks`, `error_samples` (rows for which an operation raises),
`pipeline_json`, `line_reader`, `drawn_boxes`, `tensor_bridge` (the one door to Tensors), `row_calls` on `threads` and in processes
(`workers`), `randomness` of operations and `cpp_random`, the streams behind samplers.
"""

from sporax._src.data import transformations as transformations
from sporax._src.data.look import preview as preview
from sporax._src.data.look import views as views
