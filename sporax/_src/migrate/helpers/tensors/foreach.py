"""Functions of each Tensor of a list."""


def _foreach(function, tensors, *others, **options):
    """Return a function's results for each Tensor; an argument that is a list gives each Tensor an item."""
    count = len(tensors)
    columns = [other if isinstance(other, (list, tuple)) else [other] * count for other in others]
    rows = [{k: v[i] if isinstance(v, (list, tuple)) else v for k, v in options.items()} for i in range(count)]
    return tuple(function(*row, **kw) for row, kw in zip(zip(tensors, *columns, strict=True), rows, strict=True))


def _foreach_(function, tensors, *others, **options):
    """Write a function's results into each Tensor, and return the Tensors."""
    for tensor, result in zip(tensors, _foreach(function, tensors, *others, **options), strict=True):
        tensor.copy_(result)
    return tensors
