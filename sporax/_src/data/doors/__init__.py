"""The door for data that other packages hold: `from_source` makes a dataset of it.

Reading order: `values` (what a row holds, as named arrays), `kept` (datasets over rows in order, rows with numbers and columns in
memory), one file for each kind: `torch_data`, `hugging_face`, `grain_data`, `arrow`, `frames`, `memory`, `tar_shards`, `paths`;
and `kinds`, the table of kinds and the door itself. No module here imports the package of its kind: an object comes with it.
Only `paths` asks for packages that read files.
"""

from sporax._src.data.doors.kinds import from_source as from_source
