"""The only module that uses private or version-dependent JAX."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, NoReturn, TypeGuard

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import array as _array
from jax._src import clusters as _clusters
from jax._src import compilation_cache as _compilation_cache
from jax._src import compiler as _compiler
from jax._src import core as _core  # `jax.extend.core` has the same, and loads Pallas: a twentieth of an import of JAX
from jax._src import distributed as _distributed
from jax._src import source_info_util as _source_info_util
from jax._src import xla_bridge as _xla_bridge
from jax._src.compilation_cache_interface import CacheInterface
from jax._src.export import shape_poly as _shape_poly
from jax._src.interpreters import mlir as _mlir
from jax._src.interpreters import partial_eval as _partial_eval
from jax._src.interpreters.pxla import batched_device_put as _batched_device_put
from jax._src.lax import lax as _lax
from jax._src.layout import Layout as _Layout
from jax._src.lib import _jax  # type: ignore[attr-defined]
from jax._src.lib.mlir import ir as _ir  # type: ignore[attr-defined]
from jax._src.lib.mlir.dialects import hlo as _hlo
from jax._src.pjit import with_layout_constraint as _with_layout_constraint
from jax._src.random.threefry2x32 import threefry2x32_p
from jax.core import Tracer
from jaxlib import xla_client as _xla_client

__all__ = [
    "Array",
    "BetweenHosts",
    "CALLS",
    "CacheInterface",
    "ClosedJaxpr",
    "DrivenByHost",
    "HEARTBEAT",
    "Primitive",
    "Tracer",
    "UNTRACEABLE",
    "aligned",
    "aligned_room",
    "array_on",
    "begin_to_agree_on_stops",
    "cluster_address",
    "cluster_size",
    "connect",
    "constants_as_inputs",
    "decided_comparisons",
    "evaluate",
    "exchanges",
    "frames_of",
    "full",
    "has_devices",
    "inner_jaxpr",
    "is_connected",
    "is_decided",
    "is_exchange",
    "is_literal",
    "is_of_current_trace",
    "is_tracer",
    "is_variable_size",
    "jaxpr_as_fun",
    "jaxprs_in",
    "jit_with",
    "needed_inputs",
    "refuse_to_compute",
    "remove_weak_type",
    "replace_lowering",
    "runs_here_whole",
    "scopes_of",
    "shared_table",
    "size_as_array",
    "size_at",
    "stops_after",
    "stored_by_rows",
    "threefry2x32_p",
    "to_device",
    "use_compile_cache",
    "weakly_typed",
    "without_output",
]

Array = jax.Array
Enter = Callable[[Any], int]  # what `connect` calls

MOST_ELEMENTS = 2**60  # XLA aborts the process for an array of so many elements, or of one such size
_NAME_PATIENCE = 60  # seconds until the name of the first machine of a cluster is known
HEARTBEAT = 25  # seconds without a sign of life after which a process counts as dead


class BetweenHosts(Exception):
    """A traced value would be sent from host to host, which is impossible in a graph."""


class DrivenByHost(BetweenHosts):
    """A function is meant to run step by step on the host; no warning says that it is not compiled."""


# The errors of operations on traced values that need a concrete value, and of code that no graph can contain.
UNTRACEABLE: tuple[type[Exception], ...] = (
    BetweenHosts,
    jax.errors.ConcretizationTypeError,
    jax.errors.TracerArrayConversionError,
    jax.errors.TracerBoolConversionError,
    jax.errors.TracerIntegerConversionError,
    jax.errors.NonConcreteBooleanIndexError,
)

Jaxpr = _core.Jaxpr
ClosedJaxpr: Any = getattr(_core, "ClosedJaxpr", Jaxpr)  # one class since JAX 0.12
Literal = _core.Literal
jaxpr_as_fun = _core.jaxpr_as_fun
Primitive = _core.Primitive


def is_tracer(value: object) -> bool:
    """Return whether `value` is a tracer."""
    return isinstance(value, Tracer)


def is_of_current_trace(value: object) -> bool:
    """Return whether a value is a tracer of the running trace."""
    return isinstance(value, Tracer) and value._trace is _core.trace_ctx.trace


def remove_weak_type(value: Array) -> Array:
    """Return `value` without JAX's weak type."""
    return jax.lax.convert_element_type(value, value.dtype) if value.aval.weak_type else value


def weakly_typed(value: Array) -> Array:
    """Return `value` with a weak type, as Python numbers have."""
    weak: Any = _lax._convert_element_type(value, weak_type=True)
    return weak


def use_compile_cache(cache: CacheInterface | None) -> None:
    """Set JAX's cache of executables (None: no cache)."""
    _compilation_cache.reset_cache()
    _compilation_cache._cache, _compilation_cache._cache_initialized = cache, cache is not None


def to_device(array: np.ndarray) -> Array:
    """Return a NumPy array as one of JAX on the device in use; it may share memory, so the array must not be written again.

    `jnp.array` compiles a copy for each shape, 20 ms and a megabyte; `jax.device_put` takes five times as long.
    """
    if not _core.trace_ctx.is_top_level():
        return jnp.asarray(array)
    device = _device_in_use()
    return _batched_device_put(_core.ShapedArray(array.shape, array.dtype), _alone(device), [array], [device], False)


def moved_to_device(array: Array) -> Array:
    """Return an array on the device in use; one that is there already is not copied."""
    device = _device_in_use()
    return array if array.devices() == {device} else jax.device_put(array, device)


def full(shape: Sequence[int], value: complex, dtype: Any) -> Array:
    """Return an array of equal elements; outside of traces NumPy makes it, because JAX compiles a program for each shape."""
    if not _core.trace_ctx.is_top_level():
        return jnp.full(shape, value, dtype)
    return to_device(np.full(shape, value, dtype))


def one(dtype: np.dtype | type) -> Array:
    """Return a 1 without axes; outside of traces it is made once for each device."""
    return _one(np.dtype(dtype), _device_in_use()) if _core.trace_ctx.is_top_level() else jnp.ones((), dtype)


@cache
def _one(dtype: np.dtype, device: object) -> Array:
    return to_device(np.ones((), dtype))


def _device_in_use() -> Any:
    return jax.config._read("jax_default_device") or jax.local_devices()[0]


@cache
def _alone(device: object) -> jax.sharding.SingleDeviceSharding:
    return jax.sharding.SingleDeviceSharding(device)


class _WithOptions:
    """A jitted function with compiler options, which JAX allows only outside of other traces."""

    def __init__(self, fn: Callable[..., Any], options: dict[str, Any], **settings: Any) -> None:
        outer: Any = jax.jit(fn, compiler_options=options, **settings)
        inner: Any = jax.jit(fn, **settings)  # JAX's stubs lack `clear_cache`
        self._outer, self._inner = outer, inner
        self.lower, self.trace = outer.lower, outer.trace

    def __call__(self, *args: object) -> Any:
        return (self._outer if _core.trace_ctx.is_top_level() else self._inner)(*args)

    def clear_cache(self) -> None:
        """Drop the executables."""
        self._outer.clear_cache()
        self._inner.clear_cache()


def jit_with(options: dict[str, Any] | None, fn: Callable[..., Any], **settings: Any) -> Any:
    """Return `jax.jit(fn)` compiled with XLA's options (None: none); within another trace its options apply."""
    return jax.jit(fn, **settings) if options is None else _WithOptions(fn, options, **settings)


# --- processes of one run -----------------------------------------------------------------------------------------------


def cluster_address(name: str) -> str:
    """Return where the processes of a cluster meet, as JAX detects it; empty if this is no such cluster."""
    cluster = _cluster(name)
    return "" if cluster is None else cluster.get_coordinator_address(_NAME_PATIENCE, None)


def cluster_size(name: str) -> int:
    """Return the number of processes of a cluster, as JAX detects it; 0 if this is no such cluster."""
    cluster = _cluster(name)
    return 0 if cluster is None else cluster.get_process_count()


MOST_CPU_DEVICES = 2048  # XLA counts those beyond as another process's


def plan_cpu_devices(count: int) -> None:
    """Let JAX's CPU platform have so many devices; those beyond `MOST_CPU_DEVICES` cannot compute, and programs compile for them.

    XLA compiles for devices of other processes if there is a way to exchange with them, which is not used here.
    """
    unconnected = _jax.get_distributed_runtime_client("localhost:0", 0, shutdown_on_destruction=False)
    make = functools.partial(
        _xla_client.make_cpu_client,
        asynchronous=True,
        collectives=_jax.make_gloo_tcp_collectives(distributed_client=unconnected),
        num_devices=count,
    )
    _xla_bridge._backend_factories["cpu"] = _xla_bridge.BackendRegistration(make, 0)


def _cluster(name: str) -> Any:
    """Return JAX's class of a cluster if this process runs in one; Kubernetes needs a package, without which JAX warns."""
    if name == "K8sCluster" and importlib.util.find_spec("kubernetes") is None:
        return None
    found = [cluster for cluster in _clusters.ClusterEnv._cluster_types if cluster.__name__ == name]
    return next((cluster for cluster in found if cluster.is_env_present()), None)


def connect(address: str, rank: int, processes: int, patience: int, source: dict[str, str], enter: Enter) -> None:
    """Join the processes that meet at an address; operations that wait for a process that has left raise an error.

    Args:
        address: The address at which they meet.
        rank: The number of this process.
        processes: How many there are.
        patience: Seconds to wait for the others.
        source: The interface, or the host name or address, by which others reach this process.
        enter: Called with the shared key-value store before this process changes; it returns the number of this process's
            device on its machine. If it raises an error, this process has not joined.
    """
    client = _jax.get_distributed_runtime_client(
        address, rank, init_timeout=patience, heartbeat_timeout=HEARTBEAT, shutdown_on_destruction=False
    )
    client.connect()
    local = enter(client)
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    _jax.make_gloo_tcp_collectives = functools.partial(_gloo, **source)
    for platform in ("cuda", "rocm"):
        jax.config.update(f"jax_{platform}_visible_devices", str(local))
    state = _distributed.global_state
    _compiler._cache_write = _write_as_first
    state.client, state.process_id, state.num_processes, state.coordinator_address = client, rank, processes, address


_gloo = _jax.make_gloo_tcp_collectives
_write_to_cache = _compiler._cache_write


def _write_as_first(*args: Any, **kwargs: object) -> None:
    """Let JAX write executables of this process to its disk cache; by default only the first process does, whose keys differ."""
    state = _distributed.global_state
    own, state.process_id = state.process_id, 0
    try:
        _write_to_cache(*args, **kwargs)
    finally:
        state.process_id = own


def is_connected() -> bool:
    """Return whether this process has joined others."""
    return _distributed.global_state.client is not None


def shared_table() -> Any:
    """Return the key-value store that the joined processes share (`key_value_set_bytes`, `blocking_key_value_get_bytes`)."""
    return _distributed.global_state.client


def begin_to_agree_on_stops() -> None:
    """Let JAX handle SIGTERM: if one process gets it, all learn of it, and agree on the step after which they stop."""
    state = _distributed.global_state
    if state.preemption_sync_manager is not None:
        state.preemption_sync_manager.shutdown()
        state.preemption_sync_manager = None
    state.initialize_preemption_sync_manager()


def stops_after(step: int) -> bool:
    """Return whether a process got SIGTERM, and this is the step after which all stop; each must ask after each step."""
    manager: Any = _distributed.global_state.preemption_sync_manager
    return manager.reached_sync_point(step)


def exchanges(closed: Any) -> bool:
    """Return whether a graph has collective operations."""
    return any(isinstance(effect, _core.NamedAxisEffect) for effect in closed.effects)


def is_exchange(eqn: Any) -> bool:
    """Return whether an operation of a graph is itself a collective operation, not one that contains some."""
    has_axis = eqn.primitive.name == "ppermute" or any(isinstance(e, _core.NamedAxisEffect) for e in eqn.effects)
    return has_axis and eqn.primitive.name != "axis_index" and not jaxprs_in(eqn)


def array_on(sharding: object, local: Array, committed: bool = True) -> Any:
    """Return an array with the shards of `local` here, without a copy; JAX may move it if it is not `committed`."""
    shards = [local] if local.sharding.num_devices == 1 else [shard.data for shard in local.addressable_shards]
    return _array.ArrayImpl(local.aval, sharding, shards, committed=committed, _skip_checks=True)  # type: ignore[arg-type]


# --- how operations are lowered --------------------------------------------------------------------------------------


def replace_lowering(
    primitive: Any,
    platform: str,
    fits: Callable[..., bool],
    fn: Callable[..., Any] | None,
    is_on: Callable[[], bool],
    *,
    is_opaque: bool = False,
) -> None:
    """Replace the lowering of a primitive on a platform by a function, for the calls that `fits` selects.

    Args:
        primitive: The operation.
        platform: `"cpu"`, `"cuda"`, `"rocm"` or `"tpu"`.
        fits: Returns, from the shapes and dtypes of the arguments and the parameters, whether the function applies; it is not
            called with symbolic sizes.
        fn: The function of the arguments and parameters; None for the lowering that the other platforms have.
        is_on: Returns whether lowerings are replaced now.
        is_opaque: Whether the function makes calls into which XLA does not see; it cannot divide them among devices or export them.

    Raises:
        ValueError: If `platform` is `"gpu"`, under which JAX registers no lowerings.
    """
    if platform == "gpu":
        raise ValueError("replace_lowering: 'gpu' stands for several of JAX's platforms; name 'cuda' or 'rocm'.")
    general = _mlir._lowerings[primitive].rule
    usual = entry.rule if (entry := _mlir._platform_specific_lowerings[platform].get(primitive)) else general
    lowered = general if fn is None else _mlir.lower_fun(fn, multiple_results=primitive.multiple_results)

    def rule(ctx: Any, *args: object, **params: Any) -> Any:
        applies = is_on() and (not is_opaque or runs_here_whole(ctx)) and _fits(ctx, fits, params)
        return (lowered if applies else usual)(ctx, *args, **params)

    _mlir.register_lowering(primitive, rule, platform=platform)


def runs_here_whole(ctx: Any) -> bool:
    """Return whether a program is not exported, and XLA does not divide its arrays among devices (`shard_map` does it itself)."""
    context = ctx.module_context
    axes = context.axis_context
    mesh = getattr(axes, "mesh", None)
    is_whole = getattr(axes, "num_devices", 1) == 1 if mesh is None else axes.manual_axes == frozenset(mesh.axis_names)
    return is_whole and not context.lowering_parameters.for_export


def _fits(ctx: Any, fits: Callable[..., bool], params: dict[str, Any]) -> bool:
    are_known = all(type(size) is int for aval in ctx.avals_in for size in aval.shape)
    return are_known and fits(*ctx.avals_in, **params)


def hold_operands(
    primitive: Any, platform: str, fits: Callable[..., bool], position: int, is_on: Callable[[], bool]
) -> None:
    """Have XLA take an operand of an element-wise operation on a platform as it is, in the calls that `fits` selects.

    XLA may not simplify the operation together with what the operand is computed by. It still computes both in one loop.

    Args:
        primitive: The operation.
        platform: As for `replace_lowering`.
        fits: As for `replace_lowering`.
        position: Which operand.
        is_on: Returns whether lowerings are replaced now.
    """
    usual = _mlir._lowerings[primitive].rule

    def rule(ctx: Any, *args: Any, **params: object) -> Any:
        if not (is_on() and _fits(ctx, fits, params)):
            return usual(ctx, *args, **params)
        (out,) = ctx.avals_out
        operands = [*_mlir.multi_broadcast_in_dim(ctx, args, ctx.avals_in, out.shape, out.sharding)]
        operands[position] = _hlo.OptimizationBarrierOp([operands[position]]).results[0]
        avals = [aval.update(shape=out.shape, sharding=out.sharding) for aval in ctx.avals_in]
        return usual(ctx.replace(avals_in=avals), *operands, **params)

    _mlir.register_lowering(primitive, rule, platform=platform)


# --- processes that cannot compute ---------------------------------------------------------------------------------------


def has_devices() -> bool:
    """Return whether JAX has initialised its devices in this process, or in one that it was forked from."""
    return _xla_bridge.backends_are_initialized()


def refuse_to_compute(why: str) -> None:
    """Make this process raise a RuntimeError whenever it would compute with XLA, or wait for a result by `block_until_ready`.

    Finished arrays can be read. Host arrays become arrays of the CPU, without XLA's threads if they are aligned.
    """
    for client in _xla_bridge.backends().values():
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(client))  # its destructor would wait for threads that are not here
    # A GPU that the parent began to use cannot be used here.
    host = [] if jax.default_backend() == "cpu" else _host_devices()

    def refuse(*_: object, **__: object) -> NoReturn:
        raise RuntimeError(why)

    def ready(array: Any) -> Any:
        return array if array.is_ready() else refuse()

    def put(aval: Any, sharding: Any, arrays: Sequence[np.ndarray], devices: Sequence[Any], *rest: Any) -> Array:
        if host:
            sharding, devices = _alone(host[0]), host[:1]
        return jax_put(aval, sharding, [aligned(a) for a in arrays], devices, *rest)

    global _batched_device_put
    jax_put, _batched_device_put = _batched_device_put, put
    _array.ArrayImpl.block_until_ready = ready  # type: ignore[assignment, method-assign]
    jax.config.update("jax_debug_key_reuse", True)  # then calls of compiled functions go through the trace
    _core.EvalTrace.process_primitive = refuse
    jax.stages.Lowered.compile = refuse


def _host_devices() -> list[Any]:
    """Return JAX's CPU devices, unless the CPU platform is disabled."""
    try:
        return jax.local_devices(backend="cpu")
    except RuntimeError:
        return []


def aligned(array: np.ndarray, dtype: np.dtype | None = None) -> np.ndarray:
    """Return a copy aligned to 64 bytes, which JAX's CPU device uses without another copy."""
    copy = aligned_room(array.shape, array.dtype if dtype is None else dtype)
    copy[...] = array
    return copy


def aligned_room(shape: Sequence[int], dtype: np.dtype) -> np.ndarray:
    """Return an uninitialised array aligned to 64 bytes (see `aligned`)."""
    room = np.empty(math.prod(shape) * dtype.itemsize + 64, np.uint8)
    return np.ndarray(shape, dtype, room, -room.__array_interface__["data"][0] % 64)


# --- reading a captured graph -------------------------------------------------------------------------------------------


def frames_of(eqn: Any) -> list[tuple[str, int]]:
    """Return the files and lines of the call stack that created an operation of a graph, innermost call first."""
    traceback = eqn.source_info.traceback
    return [] if traceback is None else [(frame.file_name, frame.line_num) for frame in traceback.frames]


def scopes_of(eqn: Any) -> tuple[list[str], list[str]]:
    """Return the named scopes of an operation, outermost first, and the transforms it comes from."""
    scopes: list[str] = []
    transforms: list[str] = []
    for part in eqn.source_info.name_stack.stack:
        (transforms if type(part).__name__ == "Transform" else scopes).append(part.name)
    return scopes, transforms


def jaxprs_in(eqn: Any) -> list[tuple[str, Any]]:
    """Return the graphs that an operation contains, each with the name of its parameter."""
    graphs: list[tuple[str, Any]] = []
    for name, value in eqn.params.items():
        for item in value if isinstance(value, (tuple, list)) else (value,):
            if isinstance(item, (Jaxpr, ClosedJaxpr)):
                graphs.append((name, item))
    return graphs


def needed_inputs(closed: Any) -> list[bool]:
    """Return, for each input of a graph, whether its results depend on it; `jit` drops the others."""
    return _partial_eval.dce_jaxpr(closed.jaxpr, [True] * len(closed.jaxpr.outvars))[1]


def without_dead_operations(closed: Any) -> Any:
    """Return a graph without the operations that none of its results needs; its inputs stay."""
    live, _ = _partial_eval.dce_jaxpr(closed.jaxpr, [True] * len(closed.jaxpr.outvars), instantiate=True)
    return ClosedJaxpr(live, closed.consts)


def stored_by_rows(x: Any) -> Any:
    """Return an array that XLA stores with its last axis together, then the one before it, and so on."""
    return _with_layout_constraint(x, _Layout(tuple(range(x.ndim))))


def without_output(closed: Any, index: int) -> Any:
    """Return a graph without one of its results; XLA removes the operations that become dead."""
    outs = closed.jaxpr.outvars
    return ClosedJaxpr(closed.jaxpr.replace(outvars=[*outs[:index], *outs[index + 1 :]]), closed.consts)


def constants_as_inputs(closed: Any, lifted: Sequence[bool]) -> Any:
    """Return a graph that takes the constants selected by `lifted` as inputs after its other ones."""
    graph = closed.jaxpr
    remaining = [(v, c) for v, c, lift in zip(graph.constvars, closed.consts, lifted, strict=True) if not lift]
    inputs = [*graph.invars, *(v for v, lift in zip(graph.constvars, lifted, strict=True) if lift)]
    info = graph.debug_info.with_unknown_names()
    return ClosedJaxpr(
        graph.replace(constvars=[v for v, _ in remaining], invars=inputs, debug_info=info), [c for _, c in remaining]
    )


def is_literal(atom: object) -> TypeGuard[Literal]:
    """Return whether an operand of an operation is a constant written into the graph."""
    return isinstance(atom, Literal)


def evaluate(eqn: Any, values: list[Any], **changed: Any) -> list[Any]:
    """Run one operation of a graph on arrays, with some of its parameters changed; it keeps its line and its scopes."""
    source = eqn.source_info
    scopes = _source_info_util.current_name_stack() + source.name_stack
    with _source_info_util.user_context(source.traceback, name_stack=scopes), eqn.ctx.manager:
        out = eqn.primitive.bind(*values, **eqn.primitive.get_bind_params(eqn.params | changed))
    return list(out) if eqn.primitive.multiple_results else [out]


# Operations that only run the graph they contain.
CALLS = ("jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call")


def scan_counts(params: dict[str, Any]) -> tuple[int, int]:
    """Return how many constants and how many carried values a `scan` takes."""
    if "num_consts" in params:  # before JAX 0.12
        return params["num_consts"], params["num_carry"]
    consts, carried, _ = params["ft_in"].unpack()
    return len(consts), len(carried)


RECOMPUTED = ("remat", "remat2", "checkpoint")


def for_results(eqn: Any, wanted: Sequence[bool]) -> Any:
    """Return an operation of RECOMPUTED for only some of its results (at least one), with the operands that these need."""
    inner, needed = _partial_eval.dce_jaxpr(eqn.params["jaxpr"], list(wanted))
    params = eqn.params | {"jaxpr": inner}
    if isinstance(params["prevent_cse"], tuple):
        params["prevent_cse"] = tuple(_chosen(params["prevent_cse"], needed))
    invars, outvars = _chosen(eqn.invars, needed), _chosen(eqn.outvars, wanted)
    return eqn.replace(invars=invars, outvars=outvars, params=params, effects=inner.effects)


def _chosen(values: Sequence[Any], which: Sequence[bool]) -> list[Any]:
    return [v for v, is_one in zip(values, which, strict=True) if is_one]


def inner_jaxpr(eqn: Any) -> Any:
    """Return the graph that an operation only wraps, if inlining it computes the same."""
    if eqn.primitive.name in CALLS:
        return next((j for _, j in jaxprs_in(eqn) if isinstance(j, ClosedJaxpr)), None)
    return None


# --- sizes that are variables ----------------------------------------------------------------------------------------------

_comparing = threading.RLock()


def is_variable_size(value: object) -> bool:
    """Return whether a size is a variable, or an expression of variables."""
    return isinstance(value, _shape_poly._DimExpr)


def size_as_array(size: Any) -> Any:
    """Return the array of a trace that stands for a variable size."""
    return size.__jax_array__()


def size_at(value: Any, sizes: dict[str, int]) -> Any:
    """Return a size for values of its variables; a number, or anything else, stays as it is."""
    return int(value._evaluate(sizes)) if is_variable_size(value) else value


_deciding: jax.export.SymbolicScope | None = None


def is_decided(size: object) -> bool:
    """Return whether a size is a variable whose comparisons are recorded at present (see `decided_comparisons`)."""
    return is_variable_size(size) and getattr(size, "scope", None) is _deciding


@contextmanager
def decided_comparisons(
    scope: jax.export.SymbolicScope, differ: Callable[[Any], None], is_at_least_zero: Callable[[Any], bool]
) -> Iterator[None]:
    """Hand over the comparisons of sizes within the block that JAX cannot decide.

    JAX takes two sizes to be different if it does not know that they are equal. If it does not know which of two is the larger, it
    raises an error elsewhere.

    Args:
        scope: The scope of the sizes.
        differ: Called with the difference of two sizes that are taken to be different.
        is_at_least_zero: Returns whether the difference of two sizes is to be at least zero.
    """
    global _deciding
    equal, at_least = _shape_poly._DimExpr.__eq__, _shape_poly._geq_decision

    def is_ours(*values: Any) -> bool:
        return all(getattr(v, "scope", scope) is scope for v in values)

    def compared(self: Any, other: Any) -> bool:
        result = equal(self, other)
        if not result and is_ours(self, other) and _core.is_dim(other):
            difference = self - other
            if is_variable_size(difference):
                differ(difference)
        return result

    def decided(first: Any, second: Any, *text: Any) -> bool:
        try:
            return at_least(first, second, *text)
        except jax.errors.InconclusiveDimensionOperation:
            if not is_ours(first, second):
                raise
            return is_at_least_zero(first - second)

    with _comparing:
        _shape_poly._DimExpr.__eq__, _shape_poly._geq_decision = compared, decided
        _deciding = scope
        try:
            yield
        finally:
            _deciding = None
            _shape_poly._DimExpr.__eq__, _shape_poly._geq_decision = equal, at_least


# --- reading an exported graph ------------------------------------------------------------------------------------------


def custom_calls(exported: jax.export.Exported) -> set[str]:
    """Return the names of the custom calls of an exported graph."""
    names: set[str] = set()

    def visit(operation: Any) -> Any:
        if "call_target_name" in operation.attributes:  # every custom call has one
            names.add(_ir.StringAttr(operation.attributes["call_target_name"]).value)
        return _ir.WalkResult.ADVANCE

    with _mlir.make_ir_context():
        _ir.Module.parse(exported.mlir_module()).operation.walk(visit)
    return names
