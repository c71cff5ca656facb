"""Checkpoints and graphs in files."""

from sporax._src.checkpoint.convert import (
    async_ckpt_thread_status,
    check_checkpoint,
    ckpt_to_safetensors,
    load_checkpoint_async,
    safetensors_to_ckpt,
)
from sporax._src.checkpoint.export import export, load, load_mindir, save_mindir
from sporax._src.checkpoint.serialization import load_checkpoint, load_param_into_net, save_checkpoint

__all__ = [
    "async_ckpt_thread_status",
    "check_checkpoint",
    "ckpt_to_safetensors",
    "export",
    "load",
    "load_checkpoint",
    "load_checkpoint_async",
    "load_mindir",
    "load_param_into_net",
    "safetensors_to_ckpt",
    "save_checkpoint",
    "save_mindir",
]
