"""Operations on images for `Dataset.map`: arrays of ``(H, W, C)`` or Pillow images.

Reading order: `enums`, `arguments` (checks that operations share), `image` (the base, and Pillow's side), `files`; `types`,
`opencv` (the kernels that the operations call), `plain`, `resample`, `warp` (their NumPy forms); `normalize`, `pointwise`,
`color`, `color_jitter`, `convert` (values); `geometry`, `crops`, `random_geometry`, `affine`, `blur` (pixels that move or
mix); `erase`, `mix`, `boxes`, `policies` (augmentation made of the rest); `byte_tables` (operations done at once); `video`.

An operation stands in the `__all__` of its file; a new file is a line here.
"""

from types import ModuleType as _ModuleType

from sporax._src.data.vision.affine import *
from sporax._src.data.vision.blur import *
from sporax._src.data.vision.boxes import *
from sporax._src.data.vision.color import *
from sporax._src.data.vision.color_jitter import *
from sporax._src.data.vision.convert import *
from sporax._src.data.vision.crops import *
from sporax._src.data.vision.enums import *
from sporax._src.data.vision.erase import *
from sporax._src.data.vision.files import *
from sporax._src.data.vision.geometry import *
from sporax._src.data.vision.mix import *
from sporax._src.data.vision.normalize import *
from sporax._src.data.vision.pointwise import *
from sporax._src.data.vision.policies import *
from sporax._src.data.vision.random_geometry import *
from sporax._src.data.vision.types import *
from sporax._src.data.vision.video import *

__all__ = [  # pyright: ignore[reportUnsupportedDunderAll]
    name for name, value in sorted(globals().items()) if name[0] != "_" and not isinstance(value, _ModuleType)
]
