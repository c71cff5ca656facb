"""`jit`: a function of Tensors compiled as one graph, cached by the structure, shapes and dtypes of its arguments."""

from __future__ import annotations

import functools
import importlib
import types
from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar, overload

import jax

from sporax._src.base import config
from sporax._src.base.errors import CompileFallback, warn_user
from sporax._src.base.jax_compat import UNTRACEABLE, BetweenHosts, DrivenByHost
from sporax._src.core.execution import capturing, current, running
from sporax._src.core.parameter import Parameter
from sporax._src.core.tape import is_recording
from sporax._src.core.traced_number import TracedNumber
from sporax._src.engine.kernel_cache import RecentSignatures
from sporax._src.engine.numpy_programs import NotInNumPy
from sporax._src.processes.parallel_context import graphs_depend_on
from sporax._src.transform import capture, jit_options
from sporax._src.transform.any_size_graphs import AnySizeGraphs
from sporax._src.transform.controlflow.failures import CannotJoin, NeedsValue
from sporax._src.transform.functional import split, split_numbers
from sporax._src.transform.graph.provenance import block_of, code_of, line_of
from sporax._src.transform.graph.recompile_reasons import report
from sporax._src.transform.graph.stages import save
from sporax._src.transform.graph_entry import Entry, find_states


def compiles() -> bool:
    """Return whether GRAPH_MODE requires a compiled call here."""
    if config.mode() != config.GRAPH_MODE:
        return False
    now = current.get()
    return not now.fallback_depth and now.scope is None


_F = TypeVar("_F", bound=Callable[..., Any])
_USUAL = 4  # signatures that differ only in shapes, after which more are expected


class _Last(NamedTuple):
    """The types and settings of the last call, and the graphs cached for it."""

    structure: Any
    settings: Any
    types: list[Any]
    key: tuple[Any, ...]
    entries: list[Entry | None]


class Jit:
    """A function that is compiled when called; a call inside a trace is inlined.

    Args:
        fn: The function.
        fullgraph: Whether a call that cannot be compiled is an error rather than a fallback to PyNative mode.
        always: Whether to compile even within a call that fell back to PyNative mode.
        expects_new_shapes: Whether more shapes are expected as soon as there is a second one.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        *,
        fullgraph: bool = False,
        always: bool = False,
        expects_new_shapes: bool = False,
    ) -> None:
        functools.update_wrapper(self, fn)
        self.__name__ = getattr(fn, "__name__", type(fn).__name__)
        self.__qualname__ = getattr(fn, "__qualname__", type(fn).__name__)
        self.fn = fn
        self.fullgraph = fullgraph
        self.always = always
        self.expects_new_shapes = expects_new_shapes
        self._entries: dict[Any, list[Entry | None]] = {}
        self._general: dict[
            Any, list[Entry] | None
        ] = {}  # graphs whose numbers are operands; None: numbers cannot be operands
        self._any_sizes = AnySizeGraphs(fn, self.__name__)
        self._cache_stats = RecentSignatures()
        self._last: _Last | None = None

    def keys(self) -> list[Any]:
        """Return the keys of the compiled graphs: structure, precision, shapes and dtypes."""
        return [key for key, entries in self._entries.items() if any(entries)]

    def layouts(self) -> dict[str, Any]:
        """Return how the inputs of the graphs are sharded over devices, by name."""
        graphs = sorted((e.used, i, e.graph) for i, e in enumerate(e for es in self._entries.values() for e in es if e))
        return {name: layout for _, _, graph in graphs for name, layout in graph.layouts.items()}

    def __get__(self, instance: object, owner: object = None) -> Any:
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        now = current.get()
        scope = now.scope
        if scope is not None or (now.fallback_depth and not self.always):
            fn = self.fn if scope is None or scope.rewrite is None else scope.rewrite(self.fn)
            return fn(*args, **kwargs)
        arrays, structure = split((args, kwargs))
        key, entries = self._lookup(structure, arrays)
        if entries is None:
            if (general := self._for_any_number(args, kwargs)) is not None:
                return general[0].graph(general[1])
            if not is_recording() and (sized := self._any_sizes.find(key, arrays, args)) is not None:
                return sized.graph(arrays)
        for entry in entries or ():
            if entry is None:
                return self._in_pynative(args, kwargs)
            if entry.fits(self.fn, args):
                return entry.graph(arrays)
        with capturing:
            built = self._built(key, arrays, args, kwargs)
        return self._in_pynative(args, kwargs) if built is None else built[0].graph(built[1])

    def _built(
        self, key: tuple[Any, ...], arrays: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Entry, list[Any]] | None:
        """Return a new graph for a call, and its operands; None if the call runs in PyNative mode."""
        self._cache_stats.note(hash(key))
        entries = self._entries.get(key)
        if entries is None:
            if (general := self._for_any_number(args, kwargs, exact=key)) is not None:
                return general
            entries = self._entries[key] = []
        for entry in entries:  # another thread may have built it meanwhile
            if entry is None:
                return None
            if entry.fits(self.fn, args):
                return entry, arrays
        try:
            entry = self._compile(key, arrays, args, kwargs)
        except CannotJoin as error:
            raise TypeError(
                "Cannot join the return values of different branches, perhaps you need to make them equal: "
                f"{error}.\n{line_of(error)}\n{block_of(error)}"
            ) from None
        except (*UNTRACEABLE, NeedsValue, ValueError, jax.errors.UnexpectedTracerError) as error:
            if not _needs_value(error):
                raise
            if self.fullgraph:
                raise RuntimeError(self._reason(error, "cannot be compiled as one graph")) from error
            entries.insert(0, None)
            if not isinstance(error, DrivenByHost):
                warn_user(self._reason(error, "runs in PyNative mode"), CompileFallback)
            return None
        entries.insert(0, entry)
        self._forget()
        return entry, arrays

    def _forget(self) -> None:
        """Evict the least recently used graph if there are too many."""
        graphs = [
            (entry.used, entry, key, entries, table)
            for table in (self._entries, self._general)
            for key, entries in table.items()
            if entries is not None
            for entry in entries
            if entry is not None
        ]
        if len(graphs) > self._cache_stats.limit():
            _, entry, key, entries, table = min(graphs, key=itemgetter(0))
            entries.remove(entry)
            self._last = None
            if not entries:
                del table[key]
            entry.graph.forget()
            self._cache_stats.drop({hash(key)}, self.__name__)

    def _for_any_number(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], exact: tuple[Any, ...] | None = None
    ) -> tuple[Entry, list[Any]] | None:
        """Return the graph that takes the numbers of a call as operands, from their second value on.

        Args:
            args, kwargs: The arguments.
            exact: The key of the graph for exactly these numbers; None: no graph is built.
        """
        arrays, structure = split_numbers((args, kwargs))
        if not any(type(t) is TracedNumber for t in arrays):
            return None
        shapes = [type(t._data) if type(t) is TracedNumber else (t._data.shape, t._data.dtype) for t in arrays]
        key = (structure, current.get().compute_dtype, graphs_depend_on(), *shapes)
        entries = self._general.get(key, ())
        for entry in entries or ():
            if entry.fits(self.fn, args):
                return (entry, arrays) if entry.graph.is_valid_for(arrays) else None
        if exact is None or entries is None:
            return None
        if key not in self._general:
            self._general[key] = []
            return None
        entries = self._general[key]
        assert entries is not None
        states = find_states(self.fn, args)
        try:
            graph = capture.graph_class(
                self.fn, structure, [t._data for t in arrays], states, self.__name__, for_numbers=True
            )
        except (Exception, NeedsValue):
            self._general[key] = None  # the numbers decide the graph: each value has its own graph or error
            return None
        entries.insert(0, Entry(graph, list(map(id, states))))
        self._forget()
        report(self.__name__, self.fn, self._entries, exact, entries[0])
        save(graph)
        return (entries[0], arrays) if graph.is_valid_for(arrays) else None

    def _compile(self, key: tuple[Any, ...], arrays: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Entry:
        entry = Entry(self.graph(*args, **kwargs), list(map(id, find_states(self.fn, args))))
        _check_names((*args, *kwargs.values()), [*entry.graph.donated, *entry.graph.retained])
        report(self.__name__, self.fn, self._entries, key, entry)
        save(entry.graph)
        usual = 1 if self.expects_new_shapes else _USUAL
        if sum(other[0] == key[0] for other in self._entries) > usual:  # shapes keep changing
            try:
                self._any_sizes.add(key, self._entries, entry, arrays, args)
            except NotInNumPy:
                entry.graph.compile_quickly()
        return entry

    def graph(self, *args: Any, **kwargs: Any) -> capture.Graph:
        """Return the graph for these arguments, with its readable stages (see `Graph`), without running it."""
        arrays, structure = split((args, kwargs))
        return capture.graph_class(
            self.fn, structure, [t._data for t in arrays], find_states(self.fn, args), self.__name__
        )

    def graph_that_fits(self, *args: object) -> capture.Graph:
        """Return the graph that a call with these arguments would run, captured if necessary, without running it.

        Raises:
            RuntimeError: If such a call runs in PyNative mode.
        """
        arrays, structure = split((args, {}))
        key = self._key(structure, arrays)
        for entry in self._entries.get(key, ()):
            if entry is not None and entry.fits(self.fn, args):
                return entry.graph
        with capturing:
            built = self._built(key, arrays, args, {})
        if built is None:
            raise RuntimeError(f"{self.__qualname__} cannot be compiled as one graph.")
        return built[0].graph

    def _lookup(self, structure: object, arrays: Sequence[Any]) -> tuple[tuple[Any, ...], list[Entry | None] | None]:
        """Return the key of a call and the graphs cached for it.

        A call like the last one is recognized by its types, which JAX creates once for each output of a graph: the key of
        an optimizer's 500 gradients takes longer to build and hash than their update takes.
        """
        try:
            types = [t._data.aval for t in arrays]
        except AttributeError:  # a NumPy array has none
            types = None
        settings, last = (current.get().compute_dtype, graphs_depend_on()), self._last
        if last is not None and types == last.types and settings == last.settings and structure == last.structure:
            return last.key, last.entries
        key = (structure, *settings, *_kinds(arrays))
        entries = self._entries.get(key)
        if entries is not None and types is not None:
            self._last = _Last(structure, settings, types, key, entries)
        return key, entries

    def _key(self, structure: object, arrays: Sequence[Any]) -> tuple[Any, ...]:
        return (structure, current.get().compute_dtype, graphs_depend_on(), *_kinds(arrays))

    def build(self, *args: Any, **kwargs: Any) -> None:
        """Capture and compile the graph for these arguments, for the calls that follow."""
        self.trace(*args, **kwargs).lower().compile()

    def trace(self, *args: Any, **kwargs: Any) -> capture.Graph:
        """Capture the graph for these arguments, for the calls that follow, the first of which compiles it."""
        arrays, structure = split((args, kwargs))
        key = self._key(structure, arrays)
        with capturing:
            entry = self._compile(key, arrays, args, kwargs)
            self._entries.setdefault(key, []).insert(0, entry)
            self._forget()
        return entry.graph

    def _in_pynative(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with running(fallback_depth=current.get().fallback_depth + 1):
            return self.fn(*args, **kwargs)

    def _reason(self, error: BaseException, what: str) -> str:
        advice = importlib.import_module("sporax._src.transform.advice").advice  # only fallbacks need it
        first, line = str(error).strip().split("\n")[0], line_of(error)
        why = (
            f"{first}."
            if isinstance(error, BetweenHosts)
            else f"it needs the value of a Tensor while the graph is built ({type(error).__name__}: {first}). "
            + advice(first, code_of(error))
        ).rstrip()
        return f"{self.__qualname__} {what}: {line}{': ' * bool(line)}{why}"


def _needs_value(error: BaseException) -> bool:
    """Return whether PyNative mode can run a function that could not be captured."""
    if isinstance(error, ValueError) and not isinstance(error, UNTRACEABLE):
        # A loop whose length depends on values has no reverse mode in XLA; the tape of PyNative mode has it.
        return "Reverse-mode differentiation does not work for lax.while_loop" in str(error)
    return True


def _check_names(args: Sequence[Any], states: Sequence[Any]) -> None:
    """Raise if an argument is a Parameter that has the name of another one in the graph."""
    for argument in (a for a in args if isinstance(a, Parameter)):
        for other in states:
            if isinstance(other, Parameter) and other is not argument and other.name == argument.name:
                raise ValueError(
                    f"two Parameters of the graph are called '{argument.name}': the argument needs a name of its own."
                )


def _kinds(arrays: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Return shape and dtype of each Tensor; for a JAX array they come from its type, without a call of Python code."""
    types = [getattr(data, "aval", data) for data in [t._data for t in arrays]]
    return [(t.shape, t.dtype) for t in types]


@overload
def jit(
    function: _F,
    *,
    capture_mode: str = "ast",
    jit_level: str = "O0",
    dynamic: int = 0,
    fullgraph: bool = False,
    backend: str = "",
    **options: object,
) -> _F: ...


@overload
def jit(
    function: None = None,
    *,
    capture_mode: str = "ast",
    jit_level: str = "O0",
    dynamic: int = 0,
    fullgraph: bool = False,
    backend: str = "",
    **options: object,
) -> Callable[[_F], _F]: ...


def jit(
    function: Callable[..., Any] | None = None,
    *,
    capture_mode: str = "ast",
    jit_level: str = "O0",
    dynamic: int = 0,
    fullgraph: bool = False,
    backend: str = "",
    **options: object,
) -> Any:
    """Compile a function of Tensors, Parameters and Python values as one graph.

    A graph is cached by the structure, shapes and dtypes of the Tensors and the values of all else; ints and floats
    that are used only in arithmetic, as indices or as starts of slices of known length are operands of the graph from
    their second value on. The graph reads and writes Parameters and random state like the function. A call that cannot
    be compiled runs in PyNative mode with a warning.

    Args:
        function: The function or the `construct` method; None to use `jit(...)` as a decorator with options.
        fullgraph: Raise instead of falling back to PyNative mode.
        capture_mode: `"ast"`, `"bytecode"` or `"trace"`; all three capture in the same way.
        dynamic: 1: shapes are expected to change, so from the second shape on one graph serves all sizes where NumPy can
            compute it; 0: from the fifth on.
        jit_level, backend, **options: Checked as MindSpore does; without effect.

    Returns:
        The compiled function.

    Raises:
        TypeError: If an option has another type.
        ValueError: If an option has none of the values that there are.

    Examples:
        >>> import sporax as ms
        >>> @ms.jit
        ... def double(x):
        ...     return x + x
        >>> double(ms.Tensor([1.0]))
        Tensor(shape=[1], dtype=Float32, value= [ 2.00000000e+00])
    """
    named = {"capture_mode": capture_mode, "jit_level": jit_level, "backend": backend}
    jit_options.check(dynamic, fullgraph, named | options)
    if function is None:
        return functools.partial(jit, fullgraph=fullgraph, dynamic=dynamic)
    if isinstance(function, Jit):
        return function
    if not callable(function):
        raise TypeError(f"jit: expected a function, got {type(function).__name__}.")
    return Jit(function, fullgraph=fullgraph, expects_new_shapes=dynamic == 1)
