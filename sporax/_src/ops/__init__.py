"""The operators: one row each in the file of its family, a pure function over arrays under `@op`.

Reading order: `math`, `array`, `linalg`, `random`, `nn`, `image`, `sparse`. What users see of them is made in `api`.
"""

from sporax._src.ops import array, image, linalg, math, nn, random, sparse  # noqa: F401  (importing registers the rows)
