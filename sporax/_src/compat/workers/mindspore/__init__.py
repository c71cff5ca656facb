"""Found in processes that a program under `sporax run` spawns: installs the alias and makes way for it.

Such a process starts with its parent's `sys.path` and without its import hooks.
"""

import importlib
import sys

from sporax._src.compat import finder

del sys.modules[__name__]
finder.install()
importlib.import_module(__name__)
