"""Objects for the names of torch that were not converted. Importing and passing them works; using them raises an error."""

from __future__ import annotations

from typing import NoReturn

from sporax._src.base.errors import warn_user

_USES = (
    "__call__", "__bool__", "__iter__", "__len__", "__index__", "__float__", "__int__", "__enter__", "__exit__", "__contains__",
    "__add__", "__radd__", "__sub__", "__rsub__", "__mul__", "__rmul__", "__truediv__", "__rtruediv__", "__matmul__",
    "__rmatmul__", "__neg__", "__lt__", "__le__", "__gt__", "__ge__", "__setitem__",
)  # fmt: skip


class NotConverted(NotImplementedError, ImportError):
    """A torch program ran code that the converter could not convert.

    Programs that do without a part of torch where it is missing expect an ImportError.
    """


class Unconverted:
    """A name of torch without a counterpart.

    It may stand in an annotation, among the bases of a class and in `isinstance`: no object is an instance of it.

    Args:
        name: Its dotted name.
        reason: The converter's reason.
    """

    _name: str
    _reason: str
    __name__: str

    def __init__(self, name: str, reason: str) -> None:
        self.__dict__.update(_name=name, _reason=reason, __name__=name.rpartition(".")[2], __doc__=reason)

    def __repr__(self) -> str:
        return f"<{self._name}, not converted>"

    def __getattr__(self, name: str) -> Unconverted:
        if name.startswith("__"):
            raise AttributeError(f"{self._name} was not converted and has no {name}", name=name, obj=self)
        return Unconverted(f"{self._name}.{name}", self._reason)

    def __setattr__(self, name: str, value: object) -> None:
        self.use()

    def __getitem__(self, key: object) -> Unconverted:
        return self

    def __or__(self, other: object) -> Unconverted:
        return self

    __ror__ = __or__

    def __instancecheck__(self, instance: object) -> bool:
        return False

    def __subclasscheck__(self, subclass: type) -> bool:
        return False

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type]:
        return (type(self.__name__, (_Base,), {"_unconverted": self}),)

    def use(self, *args: object, **kwargs: object) -> NoReturn:
        """Raise the error of code that uses the name."""
        raise NotConverted(self._reason if self._reason.startswith(self._name) else f"{self._name}: {self._reason}")


for _use in _USES:
    setattr(Unconverted, _use, Unconverted.use)


class _Base:
    """A class of torch that was not converted, as a base of a class that is never instantiated."""

    _unconverted: Unconverted

    def __new__(cls, *args: object, **kwargs: object) -> NoReturn:
        cls._unconverted.use()


def refuse(reason: str) -> NoReturn:
    """Raise the error of a statement that was not converted."""
    raise NotConverted(reason)


def skip(reason: str) -> None:
    """Warn of a statement of an imported module that was not converted and does not run."""
    warn_user(f"a statement was not converted and is skipped: {reason}")
