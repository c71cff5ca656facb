"""Callbacks."""

from sporax._src.train.callback import Callback, InternalCallbackParam, RunContext
from sporax._src.train.callback import CallbackList as _CallbackManager
from sporax._src.train.callback import last_loss as _handle_loss

__all__ = [
    "Callback",
    "InternalCallbackParam",
    "RunContext",
    "_CallbackManager",
    "_handle_loss",
]
