"""Where gradients are recorded, and the derivatives of functions."""

import functools

import sporax as mindspore
from sporax import ops


class _GradMode:
    """A context and decorator that turns the recording of gradients on or off."""

    def __init__(self, mode):
        self.mode = mode
        self.before = []

    def __enter__(self):
        executor = mindspore.common.api._pynative_executor
        self.before.append(executor.enable_grad())
        executor.set_enable_grad(self.mode)
        return self

    def __exit__(self, *error):
        mindspore.common.api._pynative_executor.set_enable_grad(self.before.pop())

    def __call__(self, function):
        @functools.wraps(function)
        def within(*args, **kwargs):
            with type(self)(self.mode):
                return function(*args, **kwargs)

        return within


def _no_grad(orig_func=None):
    """Return the context without gradients, or a function that runs in it."""
    return _GradMode(False) if orig_func is None else _GradMode(False)(orig_func)


def _enable_grad(orig_func=None):
    """Return the context with gradients, or a function that runs in it."""
    return _GradMode(True) if orig_func is None else _GradMode(True)(orig_func)


def _inference_mode(mode=True):
    """Return the context of inference, or a function that runs in it."""
    return _GradMode(False)(mode) if callable(mode) else _GradMode(not mode)


class _set_grad_enabled(_GradMode):
    """Turn the recording of gradients on or off, from now on or to the end of a `with`."""

    def __init__(self, mode):
        super().__init__(bool(mode))
        super().__enter__()

    def __enter__(self):
        return self

    def __call__(self, function):
        self.__exit__()
        return _GradMode(self.mode)(function)


def _is_grad_enabled():
    """Return whether gradients are recorded."""
    return mindspore.common.api._pynative_executor.enable_grad()


def _listed(inputs):
    """Return one or several Tensors as a tuple."""
    return (inputs,) if isinstance(inputs, mindspore.Tensor) else tuple(inputs)


def _pulled_back(func, inputs, vectors):
    """Return the gradients of a function's outputs, weighted with `vectors`."""

    def weighted(*values):
        outputs = _listed(func(*values))
        return sum((o * v).sum() for o, v in zip(outputs, vectors, strict=True))

    return mindspore.grad(weighted, tuple(range(len(inputs))))(*inputs)


def _vjp(func, inputs, v=None):
    """Return a function's result and the product of a vector with its Jacobian."""
    values = _listed(inputs)
    outputs = func(*values)
    if v is None and any(o.size != 1 for o in _listed(outputs)):
        raise RuntimeError("The vector v can only be None if the user-provided function returns a single element")
    vectors = [ops.ones_like(o) for o in _listed(outputs)] if v is None else _listed(v)
    gradients = _listed(_pulled_back(func, values, vectors))
    return outputs, gradients[0] if isinstance(inputs, mindspore.Tensor) else gradients


def _jvp(func, inputs, v=None):
    """Return a function's result and the product of its Jacobian with a vector."""
    values = _listed(inputs)
    if v is None and (len(values) != 1 or values[0].size != 1):
        raise RuntimeError(
            "The vector v can only be None if the input to the user-provided function is a single Tensor"
        )
    vectors = [ops.ones_like(x) for x in values] if v is None else _listed(v)
    outputs = func(*values)
    starts = tuple(ops.zeros_like(o) for o in _listed(outputs))

    def along(*weights):
        pulled = _listed(_pulled_back(func, values, weights))
        return sum((g * u).sum() for g, u in zip(pulled, vectors, strict=True))

    pushed = _listed(mindspore.grad(along, tuple(range(len(starts))))(*starts))
    return outputs, pushed[0] if isinstance(outputs, mindspore.Tensor) else pushed


def _hvp(func, inputs, v=None):
    """Return a function's result and the product of its Hessian with a vector."""
    values = _listed(inputs)
    vectors = [ops.ones_like(x) for x in values] if v is None else _listed(v)

    def along(*points):
        gradients = _listed(mindspore.grad(func, tuple(range(len(points))))(*points))
        return sum((g * u).sum() for g, u in zip(gradients, vectors, strict=True))

    products = _listed(mindspore.grad(along, tuple(range(len(values))))(*values))
    return func(*values), products[0] if isinstance(inputs, mindspore.Tensor) else products


def _jacobian(func, inputs):
    """Return the Jacobian of a function: for each output, for each input."""
    values = _listed(inputs)
    outputs = func(*values)
    jacobians = []
    for i, output in enumerate(_listed(outputs)):
        rows = []
        for j in range(output.size):

            def element(*points, i=i, j=j):
                return _listed(func(*points))[i].reshape(-1)[j]

            rows.append(_listed(mindspore.grad(element, tuple(range(len(values))))(*values)))
        columns = [
            ops.stack(list(column)).reshape((*output.shape, *column[0].shape)) for column in zip(*rows, strict=True)
        ]
        jacobians.append(columns[0] if isinstance(inputs, mindspore.Tensor) else tuple(columns))
    return jacobians[0] if isinstance(outputs, mindspore.Tensor) else tuple(jacobians)


def _hessian(func, inputs):
    """Return the Hessian of a function whose result is one number."""
    values = _listed(inputs)

    def gradients(*points):
        return _listed(mindspore.grad(func, tuple(range(len(points))))(*points))

    second = _jacobian(gradients, values)
    return second[0][0] if isinstance(inputs, mindspore.Tensor) else second


def _positions(function, argnums):
    """Return a function of only the arguments at some positions; the others are fixed."""

    def split(args):
        chosen = (argnums,) if isinstance(argnums, int) else tuple(argnums)

        def partial(*values):
            whole = list(args)
            for at, value in zip(chosen, values, strict=True):
                whole[at] = value
            return function(*whole)

        return partial, args[argnums] if isinstance(argnums, int) else tuple(args[i] for i in chosen)

    return split


def _jacobian_function(func, argnums=0):
    """Return the function that computes the Jacobian of a function."""
    return lambda *args: _jacobian(*_positions(func, argnums)(args))


def _hessian_function(func, argnums=0):
    """Return the function that computes the Hessian of a function."""
    return lambda *args: _hessian(*_positions(func, argnums)(args))


def _grad_and_value(func, argnums=0, has_aux=False):
    """Return the function that computes the gradient of a function and its result."""
    differentiated = mindspore.value_and_grad(func, argnums, None, has_aux)

    def swapped(*args, **kwargs):
        value, gradient = differentiated(*args, **kwargs)
        return gradient, value

    return swapped


def _func_vjp(func, *primals):
    """Return a function's result, and the function that multiplies vectors with its Jacobian."""
    outputs = func(*primals)

    def pull(*vectors):
        cotangents = vectors[0] if len(vectors) == 1 else vectors
        return _listed(_pulled_back(func, primals, _listed(cotangents)))

    return outputs, pull


def _once_differentiable(function):
    """Return a function as it is."""
    return function
