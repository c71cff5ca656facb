"""The attribute `grad`, for programs whose `step` does not follow `backward` in one block."""

from sporax import mint


def _accumulate(parameters, gradients):
    """Add gradients to those in the attribute `grad` of Parameters or Tensors."""
    for parameter, gradient in zip(parameters, gradients, strict=True):
        before = getattr(parameter, "grad", None)
        parameter.grad = gradient if before is None else before + gradient


def _step(optimizer, closure=None):
    """Take a step of an optimizer by the gradients in the attribute `grad`; return the result of the closure."""
    if hasattr(optimizer, "step"):  # this optimizer reads the gradients itself
        return optimizer.step() if closure is None else optimizer.step(closure)
    loss = closure() if closure is not None else None
    gradients = [getattr(parameter, "grad", None) for parameter in optimizer.parameters]
    pairs = zip(optimizer.parameters, gradients, strict=True)
    optimizer(tuple(mint.zeros_like(parameter) if gradient is None else gradient for parameter, gradient in pairs))
    return loss


def _zero_grad(optimizer):
    """Remove the gradients of an optimizer's Parameters."""
    for parameter in optimizer.parameters:
        parameter.grad = None
