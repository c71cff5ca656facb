"""Cell: the building block of networks, a `construct` method with named Parameters and child Cells."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from sporax._src.base.config import draws_late
from sporax._src.base.errors import describe, shown
from sporax._src.core import dtype as mstype
from sporax._src.core import tree
from sporax._src.core.buffer import Buffer
from sporax._src.core.execution import current
from sporax._src.core.parameter import Parameter, ParameterTuple, draw_waiting, waiting
from sporax._src.core.scope import tracing
from sporax._src.core.stateful import Stateful, graph_version
from sporax._src.core.tensor import Tensor
from sporax._src.engine.amp import ByOperator
from sporax._src.nn.cell.functional_form import AsConstruct, FunctionalForm
from sporax._src.nn.cell.hints import Settings
from sporax._src.nn.cell.hooks import HookMethods, Hooks, run_with_bprop
from sporax._src.nn.cell.placement import Placement
from sporax._src.nn.cell.precision import casting, entering
from sporax._src.nn.cell.registry import Registry, check_assignment
from sporax._src.nn.cell.state_dict import StateDict
from sporax._src.nn.cell.untrained import tell_untrained
from sporax._src.transform.capture import Graph
from sporax._src.transform.controlflow.undo_log import assigns, makes
from sporax._src.transform.decorators import checkpointed
from sporax._src.transform.functional import split
from sporax._src.transform.graph.provenance import inside
from sporax._src.transform.jit import Jit, compiles
from sporax._src.transform.recorded_forward import run_ahead, runs_ahead

__all__ = ["Cell"]  # fmt: skip

_FLOATS = {np.dtype(np.float16), np.dtype(np.float32), mstype.bfloat16.np_dtype}


class Cell(StateDict, Settings, Placement, FunctionalForm, HookMethods, Stateful):
    """The base of all networks and layers.

    Assigning a Parameter or a Cell to an attribute registers it under that name; Parameters of children are called by
    their dotted path (`conv1.weight`). Calling the Cell runs `construct`, in GRAPH_MODE as one compiled graph.
    A fresh Cell is in inference mode; `set_train()` switches.

    Args:
        auto_prefix: Whether the names of children's Parameters begin with the name of the child's attribute.
        flags: Flags to set, see `add_flags`.

    Examples:
        >>> import sporax as ms
        >>> class Twice(ms.nn.Cell):
        ...     def construct(self, x):
        ...         return x + x
        >>> Twice()(ms.Tensor([1.0])).asnumpy()
        array([2.], dtype=float32)
    """

    __call__: ClassVar[AsConstruct]
    _params: OrderedDict[str, Any]
    _cells: OrderedDict[str, Any]
    _sporax_buffer_names: dict[str, bool] = {}  # whether each is persistent (see `StateDict`)
    _mindspore_flags: dict[str, Any]
    _auto_prefix: bool
    _param_prefix: str
    _phase: str
    _unnamed = 0  # the number of Parameters of ParameterTuples that it has named
    _gave_weights = False
    _named_apart = False  # the first call renames Parameters with duplicate names
    training = False
    requires_grad = False
    cell_type: str | None = None
    _amp_level = ""  # read by programs
    _compile_phase: str | None = None
    _compiled: Jit | None = None
    _sporax_float_dtype: np.dtype | ByOperator | None = None
    _recompute = False
    bprop: Callable[..., Any] | None = None  # a subclass may define its own backward: bprop(*inputs, out, dout)

    def __init__(self, auto_prefix: bool = True, flags: dict[str, Any] | None = None) -> None:
        makes(self)
        put = self._sporax_quietly
        put("_params", Registry(self))
        put("_cells", Registry(self))
        put("_auto_prefix", auto_prefix)
        put("_mindspore_flags", {})
        put("_sporax_hooks", Hooks())
        put("_param_prefix", "")
        put("_sporax_buffer_names", {})
        put("_phase", "train")
        if flags:
            self.add_flags(**flags)

    # --- attributes ---------------------------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        if "_params" not in self.__dict__:
            if isinstance(value, (Parameter, Cell)):
                name = f"{type(self).__name__}.{name}"
                raise AttributeError(f"call super().__init__() before assigning a {type(value).__name__} to {name}.")
            self._sporax_quietly(name, value)
            return
        check_assignment(self, name, value)
        if isinstance(value, Parameter):
            self._sporax_forget(name, but=self._params)
            self._sporax_own(name, value)
        elif isinstance(value, Cell):
            self._sporax_forget(name, but=self._cells)
            if self._auto_prefix:
                value.update_parameters_name(f"{name}.")
            self._cells[name] = value
        elif isinstance(value, Tensor) and self._params.get(name) is not None:
            self._params[name].set_data(value)
            return
        else:
            if tracing():
                assigns(self, name, value)
            if name in self._sporax_buffer_names:
                self.assign_buffer(name, value)
                return
            self._sporax_forget(name, keep_slot=value is None)
            if isinstance(value, Buffer):
                self.__dict__.pop(name, None)
                self.register_buffer(name, value, value.persistent)
                return
            if isinstance(value, ParameterTuple):
                self._own_all(value)
        self._sporax_assign(name, value)

    def _sporax_assign(self, name: str, value: object) -> None:
        changes = self._sporax_differs(name, value)
        self._sporax_quietly(name, value)
        if changes:  # after the assignment, so that graphs built meanwhile by other threads become invalid
            self._sporax_invalidate(f"attribute '{name}' was assigned")

    def _sporax_differs(self, name: str, value: object) -> bool:
        """Return whether graphs depend on an attribute that becomes `value`."""
        before = self.__dict__.get(name, self)
        if before is value or tracing():
            return False
        return not (
            type(before) is type(value) and isinstance(value, (bool, int, float, str)) and repr(before) == repr(value)
        )

    def __delattr__(self, name: str) -> None:
        registered = name in self._params or name in self._cells or name in self._sporax_buffer_names
        self._sporax_forget(name)
        if name in self.__dict__ or not registered:
            object.__delattr__(self, name)
        self._sporax_invalidate(f"attribute '{name}' was deleted")

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return an entry of a registry that is no attribute: a Parameter of a ParameterTuple, a Cell in `_cells`."""
            for registry in ("_params", "_cells"):
                entry = self.__dict__.get(registry, {}).get(name)
                if entry is not None:
                    return entry
            if hasattr(type(self), name):
                return object.__getattribute__(self, name)  # a property; its own error names what is missing
            raise AttributeError(f"The '{type(self).__name__}' object has no attribute '{name}'.", name=name, obj=self)

    def _sporax_forget(self, name: str, *, but: object = None, keep_slot: bool = False) -> None:
        """Remove a name from the registries except `but`; with `keep_slot` set its entry to None at its position."""
        self._sporax_buffer_names.pop(name, None)
        for registry in (self._params, self._cells):
            if registry is but or name not in registry:
                continue
            if keep_slot:
                registry[name] = None
            else:
                del registry[name]

    def _sporax_own(self, name: str, param: Parameter) -> None:
        if not param.named:
            param.name = name
        self._params[name] = param

    def _own_all(self, params: ParameterTuple) -> None:
        for param in params:
            if not param.named:
                self._sporax_quietly("_unnamed", self._unnamed + 1)
                param.name = f"Parameter${self._unnamed}"
            self._params[param.name] = param

    # --- what the transforms need --------------------------------------------------------------------------------------

    def _sporax_states(self) -> list[Any]:
        """Return all Parameters (see `Stateful`)."""
        return [p for _, p in self.parameters_and_names()]

    def _sporax_fingerprint(self) -> Any:
        """Return the state of the Cell that graphs depend on (see `Stateful`)."""
        return (self.training, self._sporax_version, self._sporax_hooks.version, dict(self._mindspore_flags))

    def _sporax_changed_since(self, fingerprint: Any) -> str:
        """Describe the change since `fingerprint` was taken (see `Stateful`)."""
        if fingerprint[0] != self.training:
            return f"{type(self).__name__}.set_train({self.training})"
        if fingerprint[2] != self._sporax_hooks.version:
            return f"{type(self).__name__}: a hook was registered or removed"
        if fingerprint[1] != self._sporax_version:
            return f"{type(self).__name__}: {self._sporax_last_change}"
        return "" if fingerprint[3] == self._mindspore_flags else f"{type(self).__name__}.add_flags"

    def _sporax_path_to(self, other: Stateful) -> str:
        """Return the path of attributes that leads to a Cell below this one (see `Stateful`)."""
        for name, child in self._cells.items():
            if child is other:
                return name
        return next((name for name, child in self.cells_and_names() if child is other), "")

    # --- calling --------------------------------------------------------------------------------------------------------

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """Compute the Cell's result; every subclass defines it."""
        raise AttributeError(f"For 'Cell', the method 'construct' is not defined in {type(self).__name__}.")

    if not TYPE_CHECKING:

        def __call__(self, *args: Any, **kwargs: Any) -> Any:
            if not self._named_apart:
                self._sporax_quietly("_named_apart", True)
                self.check_names_and_refresh_name()
            scope = current.get().scope
            if scope is not None:
                return self._sporax_entered(*args, **kwargs)
            if waiting:
                draw_waiting(self._sporax_allowed_to_draw(), now=not (draws_late[0] and compiles()))
            if compiles():
                return self._sporax_as_graph()(*args, **kwargs)
            if self.requires_grad and runs_ahead():
                return run_ahead(self, self._sporax_entered, args, kwargs)
            if self._sporax_is_plain():
                return self.construct(*args, **kwargs)
            return self._sporax_run(args, kwargs)

    def _sporax_allowed_to_draw(self) -> Iterator[Parameter]:
        """Yield the Parameters; raise RuntimeError if some have no value and the program forbids drawing values."""
        if any(vars(cell).get("_init_param_in_compile") is False for _, cell in self.cells_and_names()):
            names = [shown(p.name) for p in self.get_parameters() if id(p) in waiting]
            if names:
                more = f" (and {len(names) - 8} more)" if len(names) > 8 else ""
                raise RuntimeError(
                    f"{type(self).__name__}: these Parameters were made within no_init_parameters and have no value: "
                    f"{', '.join(names[:8])}{more}. Load them, or call init_parameters_data()."
                )
        return self.get_parameters()

    def _sporax_is_plain(self) -> bool:
        return self._sporax_float_dtype is None and self.bprop is None and not self._sporax_hooks

    def _sporax_as_graph(self) -> Jit:
        if (compiled := self._compiled) is None:
            compiled = Jit(self._sporax_entered, expects_new_shapes=self._sporax_expects_new_shapes())
            compiled.__name__ = compiled.__qualname__ = type(self).__name__
            self._sporax_quietly("_compiled", compiled)
        return compiled

    def _sporax_entered(self, *args: Any, **kwargs: Any) -> Any:
        now = current.get()
        if now.scope is None:
            return self._sporax_run(args, kwargs)
        now.scope.note_cell(self)
        written = now.scope.forwards.position()
        with inside(self):
            result = self._sporax_run(args, kwargs)
            if now.scope.forwards.position() > written:
                tensors, structure = split((*args, *kwargs.values()))
                now.scope.forwards.note_forward(self, structure, [t._data for t in tensors], written)
            if now.cells.observer is not None:
                now.cells.observer(self, args, result)
        return result

    def _sporax_run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._sporax_float_dtype is None:
            return self._sporax_between_hooks(args, kwargs)
        with casting(self._sporax_float_dtype):
            return self._sporax_between_hooks(args, kwargs)

    def _sporax_between_hooks(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return (
            self._sporax_hooks.run(self, args, kwargs) if self._sporax_hooks else self._sporax_construct(args, kwargs)
        )

    def _sporax_construct(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._sporax_float_dtype is not None:
            args, kwargs = entering(self.construct, (args, kwargs), self._sporax_float_dtype)
        if self.bprop is not None:
            return run_with_bprop(self, args, kwargs)
        scope = current.get().scope
        construct = self.construct if scope is None or scope.rewrite is None else scope.rewrite(self.construct)
        if self._sporax_region is not None and scope is not None:
            construct = functools.partial(self._sporax_region.run, construct)
            return checkpointed(construct, (args, kwargs), {}) if self._recompute else construct(args, kwargs)
        if self._recompute and scope is not None:
            return checkpointed(construct, args, kwargs)
        return construct(*args, **kwargs)

    def run_construct(self, cast_inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of `construct`, with the hooks called before and after it."""
        return self._sporax_between_hooks(tuple(cast_inputs), kwargs)

    def graph(self, *args: Any, **kwargs: Any) -> Graph:
        """Return the graph for these arguments, with its readable stages (see `Graph`), without running it."""
        return self._sporax_as_graph().graph(*args, **kwargs)

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Build the graph for these arguments without running it."""
        self._sporax_as_graph().build(*args, **kwargs)

    def compile_and_run(self, *args: Any, **kwargs: Any) -> Any:
        """Build the graph for these arguments and run it."""
        return self._sporax_as_graph()(*args, **kwargs)

    # --- training flag, precision -----------------------------------------------------------------------------------------

    def set_train(self, mode: bool = True) -> Self:
        """Switch this Cell and all its children to training (or, with False, inference) and return it."""
        if not isinstance(mode, bool):
            raise TypeError(f"{type(self).__name__}.set_train: mode must be a bool, got {describe(mode)}.")
        for _, cell in self.cells_and_names():
            if cell.training != mode:
                cell._sporax_quietly("training", mode)
                graph_version.advance()
        self._sporax_quietly("_phase", "train" if mode else "predict")
        return self

    def set_grad(self, requires_grad: bool = True) -> Self:
        """Mark the Cell and return it: the forward of its next call is reused by a gradient at the same arguments.

        Gradients need no such mark. In PyNative mode it makes `net(x)` record the tape that `grad(net)(x)` uses, so that
        random draws and counters are not repeated. The record is kept until that gradient is taken, a weight or an
        argument changes, or an argument is deleted.
        """
        if not isinstance(requires_grad, bool):
            raise TypeError(
                f"{type(self).__name__}.set_grad: requires_grad must be a bool, got {describe(requires_grad)}."
            )
        self._sporax_quietly("requires_grad", requires_grad)
        return self

    def to_float(self, dst_type: mstype.TypeLike) -> Self:
        """Compute this Cell and its children in `dst_type` and return it; Parameters keep their dtype.

        A graph casts the inputs of each Cell, and the Parameters and Tensors that it reads from outside. A value that
        `construct` itself casts to another dtype keeps it. PyNative mode casts the operands of each operator.

        Args:
            dst_type: `float16`, `float32` or `bfloat16`.

        Raises:
            ValueError: If `dst_type` is another dtype.
        """
        if not isinstance(dst_type, mstype.Type) or dst_type.np_dtype not in _FLOATS:
            raise ValueError(f"Cell.to_float: dst_type must be float16, float32 or bfloat16, got {dst_type!r}.")
        names = {"float16": "fp16", "float32": "fp32", "bfloat16": "bf16"}
        for _, cell in self.cells_and_names():
            cell._sporax_computes_in(dst_type.np_dtype, f"to_float({dst_type})")
            cell._mindspore_flags.update({flag: flag == names[dst_type.name.lower()] for flag in names.values()})
        return self

    def _sporax_computes_in(self, dtype: np.dtype | ByOperator | None, change: str) -> None:
        self._sporax_quietly("_sporax_float_dtype", dtype)
        self._sporax_invalidate(change)

    # --- children ---------------------------------------------------------------------------------------------------------

    def cells(self) -> Any:
        """Return the direct children."""
        return self.name_cells().values()

    def name_cells(self) -> OrderedDict[str, Cell]:
        """Return the direct children by name, each once."""
        seen: set[int] = set()
        children = [(n, c) for n, c in self._cells.items() if c is not None and not (id(c) in seen or seen.add(id(c)))]
        return OrderedDict(children)

    def cells_and_names(self, cells: Any = None, name_prefix: str = "") -> Iterator[tuple[str, Cell]]:
        """Yield `(dotted name, cell)` for this Cell (named `''`) and all Cells below it, each once, parents first.

        A child of length 0, such as an empty CellList, is not among them, as in MindSpore.
        """
        seen: set[int] = set() if cells is None else cells
        if id(self) in seen:
            return
        seen.add(id(self))
        yield name_prefix, self
        for name, child in self._cells.items():
            if child:
                yield from child.cells_and_names(seen, tree.path(name_prefix, name))

    def insert_child_to_cell(self, child_name: str, child_cell: Cell | None) -> None:
        """Register a child under a name, replacing an existing child; the names of Parameters do not change.

        Args:
            child_name: The name.
            child_cell: The child, or None.

        Raises:
            KeyError: If the name is empty, contains a dot, or belongs to another attribute.
            TypeError: If `child_name` is not a string or `child_cell` no Cell.
        """
        if not isinstance(child_name, str):
            raise TypeError(f"Cell.insert_child_to_cell: child_name must be a string, got {describe(child_name)}.")
        if not child_name or "." in child_name:
            raise KeyError(
                f"Cell.insert_child_to_cell: child_name must not be empty or contain a dot, got '{child_name}'."
            )
        if hasattr(self, child_name) and child_name not in self._cells:
            raise KeyError(
                f"Cell.insert_child_to_cell: '{child_name}' is already an attribute of {type(self).__name__}."
            )
        if child_cell is not None and not isinstance(child_cell, Cell):
            raise TypeError(
                f"Cell.insert_child_to_cell: child '{child_name}' must be a Cell, got {describe(child_cell)}."
            )
        self._cells[child_name] = child_cell
        self._sporax_assign(child_name, child_cell)

    def get_sub_cell(self, target: str) -> Cell:
        """Return the Cell at a dotted path."""
        for name, cell in self.cells_and_names():
            if name == target:
                return cell
        raise AttributeError(f"{type(self).__name__} has no Cell at '{target}'.")

    def apply(self, fn: Callable[[Cell], Any]) -> Self:
        """Call `fn` on every Cell, children first, and return this Cell."""
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    # --- parameters -------------------------------------------------------------------------------------------------------

    def parameters_and_names(self, name_prefix: str = "", expand: bool = True) -> Iterator[tuple[str, Parameter]]:
        """Yield `(dotted path, Parameter)`, own Parameters first, each Parameter once."""
        seen: set[int] = set()
        cells = self.cells_and_names(name_prefix=name_prefix) if expand else [(name_prefix, self)]
        for path, cell in cells:
            for name, param in cell._params.items():
                if param is not None and id(param) not in seen:
                    seen.add(id(param))
                    yield tree.path(path, name), param

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """Yield the Parameters of this Cell and (with `expand`) of its children."""
        for _, param in self.parameters_and_names(expand=expand):
            yield param

    def parameters_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter]:
        """Return the Parameters by their own names."""
        return OrderedDict((p.name, p) for p in self.get_parameters(expand=recurse))

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Return the Parameters with `requires_grad=True`; the first call warns of those only in a list or a dict."""
        if not self._gave_weights:
            self._sporax_quietly("_gave_weights", True)
            tell_untrained(self)
        return [p for p in self.get_parameters(expand=recurse) if p.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """Return the Parameters with `requires_grad=False`."""
        return [p for p in self.get_parameters(expand=recurse) if not p.requires_grad]

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Name every Parameter by `prefix` and its dotted path."""
        if not isinstance(prefix, str):
            raise TypeError(f"Cell.update_parameters_name: prefix must be a string, got {describe(prefix)}.")
        for name, param in self.parameters_and_names(expand=recurse):
            param.name = prefix + name

    def insert_param_to_cell(self, param_name: str, param: object, check_name_contain_dot: bool = True) -> None:
        """Register a Parameter under a name.

        Raises:
            KeyError: If the name is empty, contains a dot or is in use.
            TypeError: If `param` is not a Parameter.
        """
        if not param_name:
            raise KeyError("Cell.insert_param_to_cell: param_name must not be empty.")
        if check_name_contain_dot and "." in param_name:
            raise KeyError(f"Cell.insert_param_to_cell: param_name must not contain '.', got '{param_name}'.")
        if hasattr(self, param_name) and param_name not in self._params:
            raise KeyError(
                f"Cell.insert_param_to_cell: '{param_name}' is already an attribute of {type(self).__name__}."
            )
        if not isinstance(param, Parameter) and param is not None:
            raise TypeError(f"Cell.insert_param_to_cell: '{param_name}' must be a Parameter, got {describe(param)}.")
        if param is None:
            self._params[param_name] = None
            self._sporax_quietly(param_name, None)
        else:
            setattr(self, param_name, param)

    def check_names(self) -> None:
        """Raise ValueError if two Parameters have the same name."""
        names: set[str] = set()
        for param in self.get_parameters():
            if param.name in names:
                raise ValueError(f"The name '{shown(param.name)}' belongs to two Parameters of {type(self).__name__}.")
            names.add(param.name)

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict[Parameter, Parameter]:
        """Return each Parameter paired with itself; those created within `no_init_parameters` are drawn."""
        return {p: p.init_data() for p in self.get_parameters()}

    # --- flags and settings -------------------------------------------------------------------------------------------------

    def add_flags(self, **flags: object) -> Self:
        """Set flags of this Cell and return it."""
        self._mindspore_flags.update(flags)
        for name, value in flags.items():
            self._sporax_quietly(name, value)
        graph_version.advance()
        return self

    def add_flags_recursive(self, **flags: object) -> Self:
        """Set flags of this Cell and all below it and return it."""
        for _, cell in self.cells_and_names():
            cell.add_flags(**flags)
        return self

    @property
    def phase(self) -> str:
        """`"train"` or `"predict"`, or the value that was set."""
        return self._phase

    @phase.setter
    def phase(self, value: str) -> None:
        self._sporax_quietly("_phase", value)

    @property
    def compile_phase(self) -> str | None:
        """A name for the compilation that programs set, here and below; sporax does not read it."""
        return self._compile_phase

    @compile_phase.setter
    def compile_phase(self, value: str) -> None:
        if not isinstance(value, str):
            raise TypeError(f"{type(self).__name__}.compile_phase must be a string, got {describe(value)}.")
        for _, cell in self.cells_and_names():
            cell._sporax_quietly("_compile_phase", value)

    # --- printing, copying ------------------------------------------------------------------------------------------------------

    def extend_repr(self) -> str:
        """Return the text between the parentheses of `repr`; subclasses override it."""
        return ""

    def __repr__(self) -> str:
        own = self.extend_repr()
        lines = [own] if own else []
        lines += [f"({name}): {cell!r}" for name, cell in self._cells.items()]
        body = "\n".join(lines)
        if self._cells or "\n" in own:
            body = "\n  " + body.replace("\n", "\n  ") + "\n"
        return f"{type(self).__name__}({body})"

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in self.__dict__.items() if k not in ("_compiled", "_staged")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            of_another = name in ("_params", "_cells") and not isinstance(value, Registry)  # Python's own, for copies
            self._sporax_quietly(name, Registry(self, value) if of_another else value)
