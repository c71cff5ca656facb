"""Settings of a Cell for parallel training, and information about its graphs."""

from __future__ import annotations

import importlib
from collections import OrderedDict
from collections.abc import Callable, Iterator
from inspect import signature
from typing import TYPE_CHECKING, Any

from sporax._src.base.config import get_context
from sporax._src.base.errors import describe
from sporax._src.base.settings.parameter_server import check_role
from sporax._src.core.parameter import Parameter
from sporax._src.transform.jit import Jit
from sporax._src.transform.jit_options import JitConfig
from sporax._src.transform.parallel.shard import Region, plan_parameters

_RECOMPUTED = "recompute_"
_RECOMPUTE_OPTIONS = (
    "mp_comm_recompute", "parallel_optimizer_comm_recompute", "recompute_slice_activation", "use_reentrant",
    "output_recompute", "early_stop", "context_fn",
)  # fmt: skip


class Settings:
    """The part of a Cell with hints: they are stored and can be read; XLA decides layout and fusion itself."""

    _compiled: Jit | None
    _mindspore_flags: dict[str, Any]
    _sporax_region: Region | None = None  # the strategies of its inputs
    _scope: str | None = None  # its name in MindSpore's graphs

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """Yield Parameters; see `Cell`."""
        raise NotImplementedError

    def cells_and_names(self) -> Iterator[tuple[str, Any]]:
        """Yield this Cell and those below it; see `Cell`."""
        raise NotImplementedError

    if TYPE_CHECKING:  # of `Cell`
        _sporax_quietly: Callable[[str, Any], None]
        _sporax_invalidate: Callable[..., None]
        add_flags_recursive: Callable[..., Any]
        name_cells: Callable[[], dict[str, Any]]
        update_parameters_name: Callable[..., None]
        check_names: Callable[[], None]
        construct: Callable[..., Any]

    def get_flags(self) -> dict[str, Any]:
        """Return the flags of this Cell."""
        return self._mindspore_flags

    @property
    def cls_name(self) -> str:
        """The name of the class."""
        return type(self).__name__

    def _sporax_keep(self, name: str, value: object) -> None:
        self._sporax_quietly(name, value)  # a hint: graphs do not depend on it

    # --- compilation --------------------------------------------------------------------------------------------------

    def set_jit_config(self, jit_config: JitConfig) -> None:
        """Store options for compiling the Cell (see `JitConfig`)."""
        if not isinstance(jit_config, JitConfig):
            raise TypeError(f"Cell.set_jit_config: expected a JitConfig, got {describe(jit_config)}.")
        self._sporax_keep("_jit_config", jit_config.jit_config_dict)

    @property
    def jit_config_dict(self) -> dict[str, Any]:
        """The options set by `set_jit_config`."""
        return self.__dict__.get("_jit_config", {})

    def _get_attr_from_cell(self, network: object) -> None:
        """Copy the compile options and the level of mixed precision from a Cell, as wrappers of networks do."""
        if isinstance(network, Settings):
            self._sporax_keep("_jit_config", network.jit_config_dict)
            self._sporax_keep("_amp_level", getattr(network, "_amp_level", ""))

    @property
    def compiled(self) -> bool:
        """Whether a call has compiled the Cell."""
        return bool(self.phase_cache)

    @property
    def compile_cache(self) -> set[str]:
        """The names of the graphs compiled for calls of the Cell."""
        return set(self.phase_cache)

    @property
    def phase_cache(self) -> dict[str, Any]:
        """The keys of the graphs compiled for the Cell (structure, shapes and dtypes), by name."""
        keys = self._compiled.keys() if self._compiled is not None else []
        return {f"{type(self).__name__}.{i}": key for i, key in enumerate(keys)}

    def set_inputs(self, *inputs: Any, **kwargs: Any) -> None:
        """Store a description of the inputs. Graphs are cached by shape; an open size says that shapes will change.

        From the second shape on one graph then serves all sizes, where NumPy can compute it; without open sizes from the fifth.

        Args:
            *inputs: A Tensor (or other argument) for each argument of `construct`.
            **kwargs: The same Tensors by name, instead.

        Raises:
            ValueError: If arguments are passed in both ways, or `construct` has none of a name.
        """
        if inputs and kwargs:
            raise ValueError("Cell.set_inputs: give the inputs by position or by name, not both.")
        named = signature(self.construct).parameters
        for name in kwargs:
            if name not in named:
                raise ValueError(f"Cell.set_inputs: construct takes {', '.join(named)}, got {name!r}.")
        self._sporax_keep("_declared", inputs or tuple(kwargs.values()))
        if self._compiled is not None:
            self._compiled.expects_new_shapes = self._sporax_expects_new_shapes()

    def _sporax_expects_new_shapes(self) -> bool:
        return any(getattr(x, "_open_shape", None) is not None for x in self.get_inputs() or ())

    def get_inputs(self) -> Any:
        """Return the arguments of `set_inputs` as a tuple; None before a call."""
        return self.__dict__.get("_declared")

    def _repr_html_(self) -> str:
        escape = importlib.import_module("html").escape  # only notebooks need it
        sizes = [p.size for p in self.get_parameters()]
        head = f"{type(self).__name__}: {len(sizes)} Parameters of {sum(sizes):,} numbers"
        return f"<details open><summary>{escape(head)}</summary><pre>{escape(repr(self))}</pre></details>"

    # --- devices ------------------------------------------------------------------------------------------------------

    def shard(self, in_strategy: object, out_strategy: object = None, parameter_plan: object = None) -> None:
        """Set the strategies of the Cell's inputs over the devices of a run (see `parallel.shard`).

        Args:
            in_strategy: A tuple with a strategy for each Tensor: a tuple of the number of pieces of each axis, or a Layout.
            out_strategy: The same for results.
            parameter_plan: Strategies of Parameters by name.

        Raises:
            TypeError: If a strategy is no tuple, or the plan no dict.
            ValueError: If a strategy does not fit its Parameter.
        """
        self._sporax_keep("_sporax_region", Region(f"{type(self).__name__}.shard", in_strategy, out_strategy))
        plan_parameters(self, parameter_plan)

    @property
    def parameter_layout_dict(self) -> dict[str, Any]:
        """The layouts of Parameters and arguments by name, in the graphs of the Cell so far; empty on one device.

        Each is a tuple: the device arrangement, its axis for each axis of the Tensor, counted from the last (-1: not sharded), the
        shape of a shard, 0, True, size and stride of the device groups that share it for the optimizer (`"2-4"`), the full shape,
        and the final shape on a device.
        """
        return self._compiled.layouts() if self._compiled is not None else {}

    @property
    def pipeline_stage(self) -> int | None:
        """The stage of a pipeline that the Cell belongs to, None if none was set."""
        return self.__dict__.get("_pipeline_stage")

    @pipeline_stage.setter
    def pipeline_stage(self, value: int) -> None:
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"Cell.pipeline_stage must be an int, got {describe(value)}.")
        if value < 0:
            raise ValueError(f"Cell.pipeline_stage must be >= 0, got {value}.")
        self._sporax_keep("_pipeline_stage", value)
        self._sporax_invalidate("pipeline_stage")
        for param in self.get_parameters():
            if param.requires_grad:
                param.add_pipeline_stage(value)

    def set_param_ps(self, recurse: bool = True, init_in_server: bool = False) -> None:
        """Mark the Parameters for parameter servers; the single process of the run acts as the server.

        Raises:
            RuntimeError: If `set_ps_context(enable_ps=True)` was not called.
        """
        for param in self.get_parameters(expand=recurse):
            param.set_param_ps(init_in_server)

    def flatten_weights(self, fusion_size: int = 0) -> None:
        """Store the hint that Parameters may be adjacent in memory; XLA chooses the layout.

        Raises:
            ValueError: If `fusion_size`, the most bytes of one piece of memory, is negative.
        """
        if fusion_size < 0:
            raise ValueError(f"Cell.flatten_weights: fusion_size must be >= 0, got {fusion_size}.")
        self._sporax_keep("_flattened", fusion_size)

    def offload(self, backward_prefetch: str | int = "Auto") -> None:
        """Store the hint that values for the backward may be offloaded to the host's memory.

        Raises:
            ValueError: If `backward_prefetch` is neither `"Auto"` nor a number >= 0.
        """
        if backward_prefetch != "Auto" and not (isinstance(backward_prefetch, int) and backward_prefetch >= 0):
            raise ValueError(f"Cell.offload: backward_prefetch must be 'Auto' or >= 0, got {backward_prefetch!r}.")
        self._sporax_keep("_offload", backward_prefetch)

    def set_boost(self, boost_type: str) -> Any:
        """Accept an acceleration mode of MindSpore's and return the Cell."""
        if boost_type not in ("less_bn", "grad_freeze", "adasum"):
            raise ValueError(f"Cell.set_boost: boost_type must be less_bn, grad_freeze or adasum, got {boost_type!r}.")
        return self

    def set_broadcast_flag(self, mode: bool = True) -> Any:
        """Accept a flag of MindSpore's data parallelism and return the Cell."""
        return self.add_flags_recursive(broadcast_flag=mode)

    def set_data_parallel(self) -> None:
        """Accept MindSpore's setting to copy Parameters to each device; it has no effect."""

    def remove_redundant_parameters(self) -> None:
        """Accept MindSpore's setting to free sharded Parameters; it has no effect."""

    def parameters_broadcast_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter]:
        """Return the replicated Parameters (those that are not `layerwise_parallel`) by name."""
        parameters = self.get_parameters(expand=recurse)
        return OrderedDict((param.name, param) for param in parameters if not param.layerwise_parallel)

    def set_comm_fusion(self, fusion_type: int, recurse: bool = True) -> Any:
        """Set `comm_fusion` of the Parameters, which groups the reductions of gradients, and return the Cell."""
        for parameter in self.get_parameters(expand=recurse):
            parameter.comm_fusion = fusion_type
        return self

    def place(self, role: str, rank_id: int) -> None:
        """Accept the hint of which process of a cluster runs the Cell; it has no effect.

        Raises:
            ValueError: If `role` is not `"MS_WORKER"`.
            TypeError: If `rank_id` is not an int.
        """
        check_role(f"{type(self).__name__}.place", role, rank_id)

    def cast_inputs(self, inputs: object, dst_type: object) -> None:
        """Accepted for older programs, which call it before `construct`; it does nothing, as in MindSpore."""

    # --- backward functions -------------------------------------------------------------------------------------------

    @property
    def bprop_debug(self) -> bool:
        """Stored for MindSpore programs, without effect: a `bprop` can always be debugged. False by default."""
        return self.__dict__.get("_bprop_debug", False)

    @bprop_debug.setter
    def bprop_debug(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise TypeError(f"Cell.bprop_debug must be a bool, got {describe(value)}.")
        self._sporax_keep("_bprop_debug", value)

    def recompute(self, *, mode: bool = True, **options: object) -> None:
        """Compute intermediate values again in the backward of a graph instead of keeping them.

        Args:
            mode: Whether to recompute.
            **options: `mp_comm_recompute`, `parallel_optimizer_comm_recompute`, `recompute_slice_activation`,
                `use_reentrant`, `output_recompute`, `early_stop` and `context_fn` are accepted for MindSpore programs.

        Raises:
            TypeError: If `mode` or an option of parallel training is not a bool.
            ValueError: If there is another option.
        """
        for name, value in {"mode": mode, **options}.items():
            if name in ("mode", *_RECOMPUTE_OPTIONS[:3]) and not isinstance(value, bool):
                raise TypeError(f"{type(self).__name__}.recompute: {name} must be a bool, got {describe(value)}.")
            if name not in ("mode", *_RECOMPUTE_OPTIONS):
                raise ValueError(f"{type(self).__name__}.recompute: keyword {name!r} is not recognized.")
        self._recompute = mode
        self._mark_scopes(mode)

    # --- names --------------------------------------------------------------------------------------------------------

    def get_scope(self) -> str | None:
        """Return the scope set by `generate_scope` or `recompute`, or None."""
        return self._scope

    def generate_scope(self) -> None:
        """Set the names of the Cells below this one in MindSpore's graphs, such as `Default/first-Dense`."""
        self._give_scopes("Default")

    def _give_scopes(self, above: str) -> None:
        with_class = get_context("reserve_class_name_in_scope")
        for name, cell in self.name_cells().items():
            scope = f"{above}/{name}-{type(cell).__name__}" if with_class else f"{above}/{name}"
            if cell._scope in (None, _RECOMPUTED):
                cell._sporax_keep("_scope", (cell._scope or "") + scope)
            cell._give_scopes(scope)

    def _mark_scopes(self, recomputed: bool) -> None:
        """Add a mark to the scopes of the Cell and of those below it, or remove it."""
        for _, cell in self.cells_and_names():
            scope = (cell._scope or "").removeprefix(_RECOMPUTED)
            cell._sporax_keep("_scope", _RECOMPUTED + scope if recomputed else scope or None)

    def update_cell_type(self, cell_type: str) -> None:
        """Set the attribute `cell_type`, which MindSpore gives to Cells that train."""
        self._sporax_keep("cell_type", cell_type)

    def check_names_and_refresh_name(self) -> None:
        """Rename Parameters with duplicate names after their attributes; the first call does this.

        Raises:
            ValueError: If two Parameters still have the same name.
        """
        names = [param.name for param in self.get_parameters()]
        if len(set(names)) < len(names):
            self.update_parameters_name()
            self.check_names()

    @property
    def param_prefix(self) -> str:
        """The dotted path of the Cell, once `update_cell_prefix` has set it."""
        return self.__dict__.get("_param_prefix", "")

    def update_cell_prefix(self) -> None:
        """Set `param_prefix` of this Cell and of those below it to their dotted paths."""
        for name, cell in self.cells_and_names():
            cell._sporax_quietly("_param_prefix", name)
