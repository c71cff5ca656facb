"""Names that programs ask of `mindspore` and the public modules of sporax do not have, where MindSpore has or had them.

The folders are MindSpore's. Where sporax has a module of the same path, the names of `__all__` here are added to it
while the alias is installed; where it has none, the module here is the one that a program imports.
"""

from sporax import jit_class as ms_class
from sporax._src.compat.legacy.functions import ms_function

__all__ = ["ms_class", "ms_function"]
