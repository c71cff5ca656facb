"""Methods of `torch.nn.Module` as functions, and containers that MindSpore lacks."""

import sporax as mindspore
from sporax import nn


def _is_optimizer(cell):
    """Return whether a Cell is an optimizer, which torch does not take for a Module."""
    return isinstance(cell, (nn.Optimizer, mindspore.experimental.optim.Optimizer))


def _layers_and_names(cell, prefix="", recurse=True):
    """Yield the name of a Cell and the Cell, then those inside it, without optimizers and what is inside these."""
    outside = []
    for path, inner in cell.cells_and_names(name_prefix=prefix) if recurse else [(prefix, cell)]:
        if _is_optimizer(inner):
            outside.append(f"{path}.")
        elif not path.startswith(tuple(outside)):
            yield path, inner


def _named_parameters(cell, prefix="", recurse=True, remove_duplicate=True):
    """Yield the Parameters of a Cell with their names, without running statistics, which torch calls buffers."""
    statistics = ("running_mean", "running_var", "num_batches_tracked", "moving_mean", "moving_variance")
    seen = set()
    for path, inner in _layers_and_names(cell, prefix, recurse):
        for name, parameter in inner.parameters_and_names(expand=False):
            if name in statistics or (remove_duplicate and id(parameter) in seen):
                continue
            seen.add(id(parameter))
            yield (f"{path}.{name}" if path else name), parameter


def _parameters(cell, recurse=True):
    """Yield the Parameters of a Cell."""
    return (parameter for _, parameter in _named_parameters(cell, recurse=recurse))


def _named_buffers(cell, prefix="", recurse=True):
    """Yield the running statistics and the buffers of a Cell with their names."""
    statistics = ("running_mean", "running_var", "num_batches_tracked", "moving_mean", "moving_variance")
    for path, inner in _layers_and_names(cell, prefix, recurse):
        own = [(name, value) for name, value in inner.parameters_and_names(expand=False) if name in statistics]
        for name, value in [*own, *inner.named_buffers(recurse=False)]:
            yield (f"{path}.{name}" if path else name), value


def _at_path(named, target):
    """Return what has a path among pairs of paths and values."""
    for path, value in named:
        if path == target:
            return value
    raise AttributeError(f"the Module has nothing of this kind at `{target}`")


def _buffers(cell, recurse=True):
    """Yield the running statistics and the buffers of a Cell."""
    return (value for _, value in _named_buffers(cell, recurse=recurse))


def _modules(cell):
    """Yield a Cell and the Cells inside it."""
    return (inner for _, inner in _layers_and_names(cell))


def _named_modules(cell, memo=None, prefix="", remove_duplicate=True):
    """Yield a Cell and the Cells inside it with their names, without those of the memo, and add them to the memo."""
    memo = set() if memo is None else memo
    if cell in memo:
        return
    if remove_duplicate:
        memo.add(cell)
    yield prefix, cell
    for name, inner in cell._cells.items():
        if inner is not None and not _is_optimizer(inner):
            yield from _named_modules(inner, memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)


def _new_module(cell):
    """Finish a new Cell as torch does a Module: in training mode, with the paths of its Parameters as their names.

    A Cell inside that is finished already keeps its mode.
    """
    cells = [inner for _, inner in cell.cells_and_names()]
    modes = [(inner, inner.training) for inner in cells if hasattr(inner, "_is_finished")]
    nn.Cell.set_train(cell)
    for inner, training in modes:
        inner.add_flags(training=training)
    for inner in cells:
        inner._is_finished = True
    for path, parameter in cell.parameters_and_names():
        parameter.name = path
    return cell


def _add_module(cell, name, module):
    """Add a Cell to a Cell; in a sequence it comes last."""
    setattr(cell, name, module)  # this prefixes the names of the Parameters
    if isinstance(cell, nn.SequentialCell):
        cell.cell_list = list(cell._cells.values())


def _refilled(cell, cells):
    """Replace Cells of a sequence or list."""
    while len(cell):
        del cell[-1]
    for inner in cells:
        cell.append(inner)
    return cell


def _extended(cell, cells):
    """Append Cells to a sequence."""
    for inner in cells:
        cell.append(inner)
    return cell


def _inserted(cell, index, module):
    """Insert a Cell into a sequence."""
    cells = list(cell.cells())
    cells.insert(index, module)
    return _refilled(cell, cells)


def _popped(cell, key):
    """Remove a Cell from a sequence or list, and return it."""
    cells = list(cell.cells())
    removed = cells.pop(key)
    _refilled(cell, cells)
    return removed


def _cast(cell, dtype):
    """Convert the floating-point Parameters and buffers of a Cell to another dtype."""
    for parameter in cell.get_parameters():
        if parameter.is_floating_point():
            parameter.set_dtype(dtype)
    for _, inner in cell.cells_and_names():
        for name, value in list(inner.named_buffers(recurse=False)):
            if value.is_floating_point():
                setattr(inner, name, value.to(dtype))
    return cell


def _moved(cell, *args, **kwargs):
    """Convert a Cell to the dtype among the arguments of `to`; a device among them changes nothing."""
    for value in [*args, *kwargs.values()]:
        if isinstance(value, mindspore.Tensor):
            return _cast(cell, value.dtype)
        if isinstance(value, mindspore.Type):
            return _cast(cell, value)
    return cell


def _to_any(value, *args, **kwargs):
    """Convert a Tensor or a Cell to the dtype among the arguments of `to`; a device among them changes nothing."""
    if isinstance(value, nn.Cell):
        return _moved(value, *args, **kwargs)
    if not isinstance(value, mindspore.Tensor):  # a class of the program's own
        return value.to(*args, **kwargs)
    kinds = [a.dtype if isinstance(a, mindspore.Tensor) else a for a in [*args, *kwargs.values()]]
    dtype = next((kind for kind in kinds if isinstance(kind, mindspore.Type)), None)
    return value if dtype is None else value.astype(dtype)


def _requires_grad(cell, value=True):
    """Set whether the Parameters of a Cell are trained, and return the Cell."""
    for parameter in _parameters(cell):
        parameter.requires_grad = value
    return cell


def _require_grad_of_any(value, requires_grad=True):
    """Set whether a Parameter, or all Parameters of a Cell, are trained, and return the object."""
    if isinstance(value, nn.Cell):
        return _requires_grad(value, requires_grad)
    value.requires_grad = requires_grad
    return value


def _without_gradients(cell, set_to_none=True):
    """Remove the gradients of the Parameters of a Cell, or set them to zero."""
    for parameter in _parameters(cell):
        gradient = getattr(parameter, "grad", None)
        parameter.grad = None if set_to_none or gradient is None else gradient * 0


class _ModuleList(nn.Cell):
    """A list of Cells; unlike nn.CellList it may contain None."""

    def __init__(self, modules=None):
        super().__init__()
        self._listed = []
        self.extend(modules or [])

    def _fill(self, modules):
        self._listed = list(modules)
        self._cells.clear()
        self._cells.update((str(i), module) for i, module in enumerate(self._listed) if module is not None)
        return self

    def append(self, module):
        return self._fill([*self._listed, module])

    def extend(self, modules):
        return self._fill([*self._listed, *modules])

    def insert(self, index, module):
        return self._fill([*self._listed[:index], module, *self._listed[index:]])

    def __len__(self):
        return len(self._listed)

    def __iter__(self):
        return iter(self._listed)

    def __getitem__(self, index):
        return _ModuleList(self._listed[index]) if isinstance(index, slice) else self._listed[index]

    def __setitem__(self, index, module):
        listed = list(self._listed)
        listed[index] = module
        self._fill(listed)


class _ModuleDict(nn.Cell):
    """Cells by name; unlike nn.CellDict it takes lists, sequences and None as well."""

    def __init__(self, modules=None):
        super().__init__()
        self.update(modules or {})

    def update(self, modules):
        for key, module in modules.items() if hasattr(modules, "items") else modules:
            self[key] = module

    def __setitem__(self, key, module):
        if module is not None:
            module.update_parameters_name(f"{key}.")
        self._cells[key] = module

    def __getitem__(self, key):
        return self._cells[key]

    def __delitem__(self, key):
        del self._cells[key]

    def __contains__(self, key):
        return key in self._cells

    def __len__(self):
        return len(self._cells)

    def __iter__(self):
        return iter(self._cells)

    def keys(self):
        return self._cells.keys()

    def values(self):
        return self._cells.values()

    def items(self):
        return self._cells.items()

    def pop(self, key):
        return self._cells.pop(key)

    def clear(self):
        self._cells.clear()


class _ParameterList(nn.Cell):
    """A list of Parameters and of Cells, such as other lists of Parameters."""

    def __init__(self, values=None):
        super().__init__()
        self.extend(values or [])

    def append(self, value):
        name = str(len(self))
        if isinstance(value, nn.Cell):
            self.insert_child_to_cell(name, value)
        else:
            value = value if isinstance(value, mindspore.Parameter) else mindspore.Parameter(value)
            self.insert_param_to_cell(name, value)
        return self

    def extend(self, values):
        for value in values:
            self.append(value)
        return self

    def __iadd__(self, values):
        return self.extend(values)

    def __len__(self):
        return len(self._params) + len(self._cells)

    def __iter__(self):
        values = {**self._params, **self._cells}
        return iter([values[str(i)] for i in range(len(self))])

    def __getitem__(self, index):
        chosen = list(self)[index]
        return _ParameterList(chosen) if isinstance(index, slice) else chosen

    def __setitem__(self, index, value):
        name = str(range(len(self))[index])
        if isinstance(value, nn.Cell):
            self._params.pop(name, None)
            self._cells[name] = value
        else:
            self._cells.pop(name, None)
            self._params[name] = (
                value if isinstance(value, mindspore.Parameter) else mindspore.Parameter(value, name=name)
            )


class _ParameterDict(nn.Cell):
    """Parameters by name."""

    def __init__(self, parameters=None):
        super().__init__()
        self.update(parameters or {})

    def update(self, parameters):
        for key, value in parameters.items() if hasattr(parameters, "items") else parameters:
            self[key] = value

    def __setitem__(self, key, value):
        self._params[key] = value if isinstance(value, mindspore.Parameter) else mindspore.Parameter(value, name=key)

    def __getitem__(self, key):
        return self._params[key]

    def __delitem__(self, key):
        del self._params[key]

    def __contains__(self, key):
        return key in self._params

    def __len__(self):
        return len(self._params)

    def __iter__(self):
        return iter(self._params)

    def keys(self):
        return self._params.keys()

    def values(self):
        return self._params.values()

    def items(self):
        return self._params.items()

    def get(self, key, default=None):
        return self._params.get(key, default)

    def pop(self, key):
        return self._params.pop(key)

    def clear(self):
        self._params.clear()


class _DataParallel(nn.Cell):
    """A Cell that holds another as `module`, as torch's wrappers for several devices do."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def construct(self, *args, **kwargs):
        return self.module(*args, **kwargs)
