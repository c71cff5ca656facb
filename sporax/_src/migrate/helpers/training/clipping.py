"""Clipping of gradients, and Parameters as one vector."""

import math

import sporax as mindspore
from sporax import ops


def _total_norm(tensors, norm_type=2.0, error_if_nonfinite=False):
    """Return the norm of all elements of Tensors."""
    tensors = [tensors] if isinstance(tensors, mindspore.Tensor) else list(tensors)
    norm_type = float(norm_type)
    if not tensors:
        return mindspore.Tensor(0.0)
    if norm_type == math.inf:
        total = ops.stack([t.abs().max() for t in tensors]).max()
    elif norm_type == 2:
        total = ops.stack([(t * t).sum() for t in tensors]).sum().sqrt()
    else:
        total = ops.stack([(t.abs() ** norm_type).sum() for t in tensors]).sum() ** (1 / norm_type)
    if error_if_nonfinite and not bool(ops.isfinite(total)):
        raise RuntimeError(f"The total norm of order {norm_type} for gradients is non-finite, so it cannot be clipped.")
    return total


def _with_gradients(parameters):
    """Return the Parameters that have a gradient."""
    parameters = [parameters] if isinstance(parameters, mindspore.Tensor) else parameters
    return [parameter for parameter in parameters if getattr(parameter, "grad", None) is not None]


def _clip_grads_with_norm(parameters, max_norm, total_norm):
    """Scale the gradients of Parameters so that their norm is at most a maximum."""
    factor = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    for parameter in _with_gradients(parameters):
        parameter.grad = parameter.grad * factor


def _clip_grad_norm(parameters, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """Scale the gradients of Parameters so that their norm is at most a maximum, and return the norm before."""
    parameters = _with_gradients(parameters)
    total = _total_norm([parameter.grad for parameter in parameters], norm_type, error_if_nonfinite)
    _clip_grads_with_norm(parameters, max_norm, total)
    return total


def _clip_grad_value(parameters, clip_value):
    """Clip the elements of the gradients of Parameters to [-clip_value, clip_value]."""
    for parameter in _with_gradients(parameters):
        parameter.grad = parameter.grad.clamp(-float(clip_value), float(clip_value))


def _vector_to_parameters(vec, parameters):
    """Copy the parts of a vector into Parameters."""
    at = 0
    for parameter in parameters:
        size = math.prod(parameter.shape)
        parameter.set_data(vec[at : at + size].reshape(parameter.shape))
        at += size
