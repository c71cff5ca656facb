"""`sporax.compat`: the name `mindspore` in a process that `sporax run` did not start, such as a notebook.

Loaded when it is asked for.
"""

from sporax._src.compat.finder import install, is_installed, uninstall

__all__ = ["install", "is_installed", "uninstall"]
