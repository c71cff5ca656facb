"""`MsDispatchMode`: a block that hands each operator of PyNative mode to a method of the program."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Mapping, Sequence
from typing import Any

from sporax._src.bindings.primitive import PRIMITIVES
from sporax._src.core.execution import running
from sporax._src.engine.dispatch import Kernel, run, run_view
from sporax._src.engine.table import TABLE


@functools.cache
def _primitives() -> dict[str, str]:
    """Return the names of all Primitives by their lower case."""
    return {name.lower(): name for name in PRIMITIVES}


class OpFunc:
    """An operator that was called, with its options: `func(*args)` runs it.

    Attributes:
        name: The name of its Primitive, or its own name written so.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel

    @property
    def name(self) -> str:
        label = self._kernel.name.rpartition(".")[2]
        for row in map(TABLE.get, (label, label.strip("_"))):
            if row is not None and row.primitive:
                return row.primitive[0].partition("(")[0]
        words = [word[:1].upper() + word[1:] for word in label.split("_")]
        return _primitives().get("".join(words).lower(), "".join(words))

    def __call__(self, *args: Any) -> Any:
        """Run the operator on Tensors and numbers."""
        return (run_view if self._kernel.traits.views else run)(self._kernel, args)


class MsDispatchMode(contextlib.ContextDecorator):
    """A block, or decorator, in which each operator of PyNative mode is handed to `__ms_dispatch__` instead of being run.

    A subclass overrides `__ms_dispatch__`. Of nested blocks the innermost counts, and what the method itself calls runs as usual.
    Operators that graphs or backward passes run are not handed over.

    Examples:
        >>> import sporax as ms
        >>> class Log(ms.MsDispatchMode):
        ...     def __ms_dispatch__(self, func, args, kwargs=None):
        ...         print(func.name)
        ...         return func(*args)
        >>> x = ms.Tensor([1.0, 2.0])
        >>> with Log():
        ...     y = x + x * 2
        Mul
        Add
    """

    def __init__(self) -> None:
        self._blocks: list[running] = []

    def __enter__(self) -> MsDispatchMode:
        self._blocks.append(running(intercepts=self._intercept))
        self._blocks[-1].__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._blocks.pop().__exit__()

    def _intercept(self, kernel: Kernel, operands: Sequence[Any]) -> Any:
        with running(intercepts=None):
            try:
                return self.__ms_dispatch__(OpFunc(kernel), tuple(operands), None)
            except Exception as error:
                vars(error)["_explained"] = True  # the operator has not raised it
                raise

    def __ms_dispatch__(self, func: OpFunc, args: tuple[Any, ...], kwargs: Mapping[str, Any] | None = None) -> Any:
        """Return the result of an operator.

        Args:
            func: The operator.
            args: Its Tensors and numbers.
            kwargs: None.
        """
        return func(*args)
