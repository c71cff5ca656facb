"""mindspore.dataset.core: `config` under its old path."""

from sporax.dataset.core import config

__all__ = ["config"]
