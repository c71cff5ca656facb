"""Operators, under the path `ops.operations`."""

from sporax.ops.operations import _csr_ops, _embedding_cache_ops, _grad_ops, _infer_ops, _inner_ops, _map_tensor_ops, _ocr_ops, _quant_ops, _rl_inner_ops, _scalar_ops, _sequence_ops, _sparse_grad_ops, _tensor_array, _thor_ops, array_ops, comm_ops, control_ops, custom_ops, debug_ops, image_ops, inner_ops, linalg_ops, manually_defined, math_ops, nn_ops, other_ops, random_ops, reshard_ops, rl_ops, sparse_ops, spectral_ops  # noqa: F401
from sporax.ops._namespace import *  # noqa: F403
from sporax.ops._namespace import __all__  # noqa: F401
