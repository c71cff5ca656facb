"""Buffers of a Cell, and its state as a dict of Tensors by the path of their attributes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sporax._src.base.errors import describe
from sporax._src.core import tree
from sporax._src.core.parameter import Parameter
from sporax._src.core.tensor import Tensor
from sporax._src.nn.cell.hooks import to_register

Hook = Callable[..., Any]
_EXTRA = "_extra_state"


class IncompatibleKeys(NamedTuple):
    """The keys that `load_state_dict` could not match.

    Attributes:
        missing_keys: Names of the Cell that the dict does not have.
        unexpected_keys: Names of the dict that the Cell does not have.
    """

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


class HookEntry:
    """The handle that `register_state_dict_...` returns; it removes the hook from a list."""

    def __init__(self, hooks: list[Hook], hook: Hook) -> None:
        self._hooks, self._hook = hooks, hook
        hooks.append(hook)

    def remove(self) -> None:
        """Remove the hook; a second call does nothing."""
        self._hooks[:] = [hook for hook in self._hooks if hook is not self._hook]


class StateDict:
    """The part of a Cell that manages its state: Parameters and buffers, by the path of their attributes.

    A buffer is a Tensor that is part of the state and no Parameter: no optimizer updates it, `load_state_dict` restores
    it. It is an input of graphs, so its value may change between calls.
    """

    _params: OrderedDict[str, Any]
    _sporax_buffer_names: dict[str, bool]

    if TYPE_CHECKING:  # of `Cell`
        _cells: OrderedDict[str, Any]
        _sporax_quietly: Callable[[str, Any], None]
        _sporax_assign: Callable[[str, Any], None]
        get_sub_cell: Callable[[str], Any]

    def cells_and_names(self, cells: object = None, name_prefix: str = "") -> Iterator[tuple[str, Any]]:
        """Yield this Cell and those below it; see `Cell`."""
        raise NotImplementedError

    def _named_members(
        self,
        get_members_fn: Callable[[Any], Iterable[tuple[str, Any]]],
        prefix: str = "",
        recurse: bool = True,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Any]]:
        """Yield `(dotted name, member)` for the members that a function yields for this Cell and all Cells below it.

        Args:
            get_members_fn: Yields `(name, member)` for a Cell; members that are None are left out.
            prefix: The prefix of all names.
            recurse: Whether to include the Cells below this one.
            remove_duplicate: Whether each member is yielded once.
        """
        seen: set[int] = set()
        for path, cell in self.cells_and_names(name_prefix=prefix) if recurse else [(prefix, self)]:
            for name, member in get_members_fn(cell):
                if member is None or id(member) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(member))
                yield tree.path(path, name), member

    # --- buffers ------------------------------------------------------------------------------------------------------

    @property
    def _buffers(self) -> dict[str, Tensor | None]:
        return {name: self.__dict__[name] for name in self._sporax_buffer_names}

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Make a Tensor part of the Cell's state, and an attribute of it; another Tensor may be assigned to it later.

        Args:
            name: The name of the attribute.
            tensor: The Tensor; None for a buffer without value, which no state includes.
            persistent: Whether `state_dict` includes it.

        Raises:
            KeyError: If the name is empty, contains a dot or is in use.
            TypeError: If `name` is not a string, or `tensor` is neither a Tensor nor None.

        Examples:
            >>> import sporax as ms
            >>> net = ms.nn.Cell()
            >>> net.register_buffer("count", ms.Tensor([0]))
            >>> list(net.state_dict())
            ['count']
        """
        if not isinstance(name, str):
            raise TypeError(f"Cell.register_buffer: buffer name should be a string, got {describe(name)}.")
        if not name or "." in name:
            raise KeyError(f'Cell.register_buffer: buffer name can not be empty or contain ".", got {name!r}.')
        if hasattr(self, name) and name not in self._buffers:
            raise KeyError(f"Cell.register_buffer: '{name}' is already an attribute of {type(self).__name__}.")
        self.assign_buffer(name, to_register(self, name, tensor))
        self._sporax_buffer_names[name] = persistent
        self.__dict__["_varying"] = {*self.__dict__.get("_varying", ()), name}  # an input of graphs, not a constant

    def assign_buffer(self, name: str, tensor: Tensor | None) -> None:
        """Replace a buffer; `cell.name = tensor` comes here.

        Raises:
            TypeError: If `tensor` is neither a Tensor nor None.
        """
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"Cell.register_buffer: '{name}' must be a Tensor or None, got {describe(tensor)}.")
        is_input = isinstance(tensor, Tensor) and isinstance(self.__dict__.get(name), Tensor)
        (self._sporax_quietly if is_input else self._sporax_assign)(name, tensor)

    def get_buffer(self, target: str) -> Tensor | None:
        """Return the buffer at a dotted path.

        Raises:
            AttributeError: If there is no buffer.
        """
        path, _, name = target.rpartition(".")
        cell = self.get_sub_cell(path)
        if not hasattr(cell, name):
            raise AttributeError(f"{type(cell).__name__} has no attribute '{name}'.")
        if name not in cell._buffers:
            raise AttributeError(f"'{name}' of {type(cell).__name__} is not a buffer.")
        return cell._buffers[name]

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """Yield `(dotted path, buffer)`, those of this Cell first.

        Args:
            prefix: Put before each path, with a dot.
            recurse: Whether to include those of the Cells below.
            remove_duplicate: Whether a Tensor registered twice is yielded once.
        """
        seen: set[int] = set()
        cells = self.cells_and_names(name_prefix=prefix) if recurse else [(prefix, self)]
        for path, cell in cells:
            for name, buffer in cell._buffers.items():
                if buffer is None or (remove_duplicate and id(buffer) in seen):
                    continue
                seen.add(id(buffer))
                yield tree.path(path, name), buffer

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """Yield the buffers of this Cell and (with `recurse`) of those below it."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    @property
    def _non_persistent_buffers_set(self) -> set[str]:
        """The names of the buffers of this Cell alone that `state_dict` leaves out."""
        return {name for name, is_persistent in self._sporax_buffer_names.items() if not is_persistent}

    # --- the state ----------------------------------------------------------------------------------------------------

    def _own_state(self) -> Iterator[tuple[str, Tensor]]:
        """Yield the Parameters and the persistent buffers of this Cell alone."""
        yield from ((name, param) for name, param in self._params.items() if param is not None)
        persistent = ((name, value) for name, value in self._buffers.items() if self._sporax_buffer_names[name])
        yield from ((name, value) for name, value in persistent if value is not None)

    def _hooks_of(self, kind: str) -> list[Hook]:
        return self.__dict__.setdefault("_state_hooks", {}).setdefault(kind, [])

    def state_dict(self, *args: object, destination: object = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """Return Parameters and persistent buffers by the path of their attributes.

        Args:
            *args: `destination`, `prefix`, `keep_vars` by position, as in older programs.
            destination: A dict to fill; a new one if None.
            prefix: Put before each name.
            keep_vars: Accepted for MindSpore programs: the Tensors of the Cell themselves are returned.

        Raises:
            TypeError: If an argument has another type.

        Examples:
            >>> import sporax as ms
            >>> list(ms.nn.SequentialCell(ms.nn.Dense(2, 1)).state_dict())
            ['0.weight', '0.bias']
        """
        options: tuple[Any, ...] = (*args, *(destination, prefix, keep_vars)[len(args) :])
        result, prefix, keep_vars = options
        result = OrderedDict() if result is None else result
        for name, value, kind in (
            ("destination", result, dict),
            ("prefix", prefix, str),
            ("keep_vars", keep_vars, bool),
        ):
            if not isinstance(value, kind):
                raise TypeError(f"Cell.state_dict: {name} must be a {kind.__name__}, got {describe(value)}.")
        for hook in self._hooks_of("state_pre"):
            hook(self, prefix, keep_vars)
        result.update({prefix + name: value for name, value in self._own_state()})
        if self._has_extra_state("get"):
            result[prefix + _EXTRA] = self.get_extra_state()
        for name, child in self._cells.items():
            if child is not None:
                child.state_dict(destination=result, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._hooks_of("state_post"):
            hook(self, result, prefix, {})
        return result

    def _paths(self, path: str = "") -> Iterator[tuple[str, Any]]:
        """Yield the paths of this Cell and those below it, as `state_dict` names them: a shared Cell has several."""
        yield path, self
        for name, child in self._cells.items():
            if child is not None:
                yield from child._paths(tree.path(path, name))

    def load_state_dict(self, state_dict: Mapping[str, Any], strict: bool = True) -> IncompatibleKeys:
        """Load the values of a dict into Parameters and buffers: all that match, or none if there is an error.

        Args:
            state_dict: Tensors by the path of their attributes, as `state_dict` returns them.
            strict: Whether the names must be exactly those of the Cell.

        Returns:
            The names that are missing and those that are unexpected, as `(missing_keys, unexpected_keys)`.

        Raises:
            TypeError: If `state_dict` is not a dict.
            RuntimeError: If a shape does not fit, a value is no Tensor, or (with `strict`) names differ; one error lists all.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Cell.load_state_dict: state_dict must be a dict, got {describe(state_dict)}.")
        entries, errors = OrderedDict(state_dict), []
        cells = dict(self._paths())
        keys = IncompatibleKeys([], [])
        for path, cell in cells.items():
            prefix = f"{path}." if path else ""
            for hook in cell._hooks_of("load_pre"):
                hook(cell, entries, prefix, {}, True, keys.missing_keys, keys.unexpected_keys, errors)
            if type(cell)._load_from_state_dict is not StateDict._load_from_state_dict:
                cell._load_from_state_dict(entries, prefix, {}, False, [], [], errors)
        targets = {tree.path(path, n): t for path, cell in cells.items() for n, t in cell._own_state()}
        extras = {tree.path(path, _EXTRA): cell for path, cell in cells.items() if cell._has_extra_state("set")}
        keys.missing_keys.extend(name for name in (*targets, *extras) if name not in entries)
        keys.unexpected_keys.extend(name for name in entries if name not in targets and name not in extras)
        shared = [name for name in targets if name in entries]
        errors += [problem for name in shared if (problem := _misfit(name, targets[name], entries[name]))]
        if strict:
            errors += _differences(keys)
        if errors:
            lines = [f"Error(s) in loading state_dict for {type(self).__name__}:", *dict.fromkeys(errors)]
            raise RuntimeError("\n\t".join(lines))
        for name in shared:
            target, value = targets[name], entries[name]._data
            target.adopt(value.astype(target._data.dtype).reshape(target.shape))
        for name, cell in extras.items():
            if name in entries:
                cell.set_extra_state(entries[name])
        for cell in cells.values():
            for hook in cell._hooks_of("load_post"):
                hook(cell, keys)
        return keys

    def _load_from_state_dict(
        self,
        state_dict: dict[str, Any],
        prefix: str,
        local_metadata: dict[str, Any],
        strict: bool,
        missing_keys: list[str],
        unexpected_keys: list[str],
        error_msgs: list[str],
    ) -> None:
        """Load values into the Parameters and buffers of only this Cell; a subclass may change the dict first.

        `load_state_dict` calls the method of a subclass before it compares names, and loads all values itself.

        Args:
            state_dict: Tensors by name.
            prefix: The prefix of the names of this Cell.
            local_metadata: Accepted.
            strict: Whether missing and unexpected names are recorded.
            missing_keys, unexpected_keys, error_msgs: The lists that receive these names, and the errors of values that
                do not fit.
        """
        targets = {f"{prefix}{name}": target for name, target in self._own_state()}
        for name, target in targets.items():
            if name not in state_dict:
                missing_keys.extend([name] if strict else [])
            elif problem := _misfit(name, target, state_dict[name]):
                error_msgs.append(problem)
            else:
                target.adopt(state_dict[name]._data.astype(target._data.dtype).reshape(target.shape))
        if strict:
            below = {name for name, cell in self._cells.items() if cell is not None}
            own = [name for name in state_dict if name.startswith(prefix) and name not in targets]
            unexpected_keys.extend(name for name in own if name.removeprefix(prefix).split(".")[0] not in below)

    def get_extra_state(self) -> Any:
        """Return further state of the Cell for `state_dict` besides Tensors; a subclass defines it.

        Raises:
            RuntimeError: If it does not.
        """
        raise RuntimeError(f"{type(self).__name__}.get_extra_state is not defined.")

    def set_extra_state(self, state: Any) -> None:
        """Restore the result of `get_extra_state`, for `load_state_dict`; a subclass defines it.

        Raises:
            RuntimeError: If it does not.
        """
        raise RuntimeError(f"{type(self).__name__}.set_extra_state is not defined.")

    def _has_extra_state(self, verb: str) -> bool:
        name = f"{verb}_extra_state"
        return getattr(type(self), name) is not getattr(StateDict, name)

    # --- hooks --------------------------------------------------------------------------------------------------------

    def register_state_dict_pre_hook(self, hook: Hook) -> HookEntry:
        """Call `hook(cell, prefix, keep_vars)` before `state_dict` collects this Cell's state; returns a handle."""
        return HookEntry(self._hooks_of("state_pre"), hook)

    def register_state_dict_post_hook(self, hook: Hook) -> HookEntry:
        """Call `hook(cell, state_dict, prefix, metadata)` after `state_dict` collected this Cell's state."""
        return HookEntry(self._hooks_of("state_post"), hook)

    def register_load_state_dict_pre_hook(self, hook: Hook) -> HookEntry:
        """Call `hook(cell, state_dict, prefix, metadata, strict, missing, unexpected, errors)` before values are taken."""
        return HookEntry(self._hooks_of("load_pre"), hook)

    def register_load_state_dict_post_hook(self, hook: Hook) -> HookEntry:
        """Call `hook(cell, (missing_keys, unexpected_keys))` after `load_state_dict`; it may change the lists."""
        return HookEntry(self._hooks_of("load_post"), hook)


def _misfit(name: str, target: Tensor, value: object) -> str:
    if not isinstance(value, Tensor):
        return f"'{name}' must be a Tensor, got {describe(value)}."
    if value.shape != target.shape and not (isinstance(target, Parameter) and value.size == target.size == 1):
        return f"size mismatch for {name}: the state has shape {value.shape}, the Cell {target.shape}."
    return ""


def _differences(keys: IncompatibleKeys) -> list[str]:
    kinds = {"Unexpected": keys.unexpected_keys, "Missing": keys.missing_keys}
    quoted = {kind: ", ".join(f'"{name}"' for name in names) for kind, names in kinds.items()}
    return [f"{kind} key(s) in state_dict: {quoted[kind]}." for kind, names in kinds.items() if names]
