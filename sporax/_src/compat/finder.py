"""MindSpore's import paths: those of the table in `paths` below `sporax`, and all of sporax under the name `mindspore`.

    >>> from sporax._src.compat import finder
    >>> finder.install()
    >>> import mindspore.nn
    >>> import sporax
    >>> mindspore.nn is sporax.nn
    True
    >>> finder.uninstall()

`PathFinder` is the last finder of the import system: it makes a module for each path of the table, when a program imports
it or asks for it as an attribute (`sporax.nn.optim.sgd`). It looks at no name that a file answers. It also makes the modules of
`_from_torch`, the helpers of a converted program, for code that runs without the folder that they were written into.

`AliasFinder`, while it is installed, is the first. A submodule of `mindspore` is the very module object of sporax, so classes
keep their identity whichever name they were imported by. Only the top module is another object: it answers like `sporax`, its
`__version__` is the one that programs compare with, and it brings the modules of `compat.companions`. While it is installed,
there are also the paths and names that the table marks, NumPy has the names of `compat.numpy1`, and `print(type(x))` of the
classes of `compat.shown` says what MindSpore says.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder
from pathlib import Path
from types import ModuleType
from typing import Any

from sporax._src.compat import companions, numpy1, shown
from sporax._src.compat.paths import TABLE, Source, read
from sporax._src.compat.releases import served

HOME = "sporax"
NAME = "mindspore"
OWN = frozenset(
    {"cell_values", "compat", "summary"}
)  # names of sporax that are none of MindSpore's, nor of `import mindspore`
WORKER_PATH = str(
    Path(__file__).with_name("workers")
)  # worker processes begin with their parent's path, without its hooks
HELPERS, HELPERS_HOME = "_from_torch", "sporax._src.migrate.helpers"
PATHS, MARKED = read(TABLE)
_lock = threading.RLock()

# --- paths below sporax -----------------------------------------------------------------------------------------------


def children_of(paths: Iterable[str]) -> dict[str, set[str]]:
    """Return the names of the modules in each package; packages of which no line speaks get none of their own."""
    children: dict[str, set[str]] = {}
    for path in paths:
        while path:
            package, _, leaf = path.rpartition(".")
            children.setdefault(package, set()).add(leaf)
            path = package
    return children


CHILDREN = children_of([*PATHS, "compat"])  # that one has a file, which is loaded when it is asked for
MARKED_CHILDREN = children_of(MARKED)


class PathFinder(MetaPathFinder, Loader):
    """Makes a module for each path of the table that no file answers."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to make the module of a path; None for every other name."""
        top, _, below = fullname.partition(".")
        if top == HELPERS:
            spec = _spec(_helper(fullname))
            return spec and ModuleSpec(fullname, self, is_package=spec.submodule_search_locations is not None)
        known = top == HOME and (below in PATHS or below in CHILDREN)
        return ModuleSpec(fullname, self, is_package=below in CHILDREN) if known else None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return None: an ordinary module."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Put the names of the path's lines into its module."""
        top, _, path = module.__name__.partition(".")
        if top == HELPERS:
            home = importlib.import_module(_helper(module.__name__))
            module.__dict__.update({name: value for name, value in vars(home).items() if not name.startswith("__")})
            return
        module.__doc__ = f"What MindSpore has under `{path}`."
        names: dict[str, Any] = {}
        for source in (PATHS if top == HOME else MARKED).get(path, ()):
            names |= _exported(source)
        module.__dict__.update(names, __all__=sorted(names))
        _extend(module, path)


def _helper(name: str) -> str:
    """Return the module of sporax that a module of `_from_torch` is a copy of."""
    return HELPERS_HOME + name.removeprefix(HELPERS)


def _exported(source: Source) -> dict[str, Any]:
    module = importlib.import_module(source.module)
    if source.names is not None:
        there = {new: name for new, name in source.names.items() if not served.is_gone(module, name)}
        return {new: getattr(module, name) for new, name in there.items()}
    values = {name: getattr(module, name) for name in module.__all__}
    return {name: value for name, value in values.items() if not isinstance(value, ModuleType)}


def _extend(module: ModuleType, path: str) -> None:
    """Have a package answer for the paths below it.

    A module below it whose name the package gives to something else (the function `common.seed`) is loaded at once: the
    import system would bind it, when a program first imports it, over that name.
    """
    own = vars(module).get("__getattr__", ())
    if isinstance(own, partial):  # of a module that is loaded again
        own = own.args[2]
    module.__dict__.update(
        __getattr__=partial(_attribute, module, path, own), __dir__=partial(_names, module, path, own)
    )
    if path in CHILDREN and not hasattr(module, "__path__"):
        module.__path__ = []
    for leaf in CHILDREN.get(path, set()) & vars(module).keys():
        value = vars(module)[leaf]
        if not isinstance(value, ModuleType):
            importlib.import_module(f"{module.__name__}.{leaf}")
            setattr(module, leaf, value)


def _attribute(module: ModuleType, path: str, own: Any, name: str) -> Any:
    """Return what a package imports when it is asked for, or what it lacks and the table has: a module below it, or a name."""
    served.refuse_of(module, name)
    if name in own:
        value = own(name)
        served.serve(module)
        return vars(module).get(name, value)
    tables = [(HOME, PATHS, CHILDREN), (NAME, MARKED, MARKED_CHILDREN)][: 2 if is_installed() else 1]
    for top, paths, children in tables if not name.startswith("__") else ():
        if name in children.get(path, ()):
            return importlib.import_module(f"{top}.{path}.{name}".replace("..", "."))
        for source in paths.get(path, ()):
            if (source.names is None and "._src." in source.module) or name in (source.names or ()):
                return getattr(importlib.import_module(source.module), (source.names or {}).get(name, name))
    raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}", name=name, obj=module)


def _names(module: ModuleType, path: str, own: Iterable[str]) -> list[str]:
    """Return what `dir` lists: what the module holds, what it imports later, and what the table has for it."""
    names = {*vars(module), *own} - {"__getattr__", "__dir__"}
    for paths, children in [(PATHS, CHILDREN), (MARKED, MARKED_CHILDREN)][: 2 if is_installed() else 1]:
        names |= children.get(path, set())
        names |= {name for source in paths.get(path, ()) for name in source.names or ()}
    return sorted(names)


def serve_paths() -> None:
    """Make modules for the paths of the table below `sporax`."""
    sys.meta_path.append(PathFinder())


def complete(module: ModuleType) -> None:
    """Serve the paths of the table below a public module that is loaded; its classes say what they do while the alias is there."""
    path = module.__name__.removeprefix(HOME).strip(".")
    if any(path in known for known in (CHILDREN, PATHS, MARKED_CHILDREN, MARKED)):
        _extend(module, path)
    served.serve(module)
    if is_installed():
        shown.show(module)


# --- the name mindspore -----------------------------------------------------------------------------------------------


class Alias(ModuleType):
    """The module `mindspore`: every attribute is sporax's, read and written there."""

    def __init__(self) -> None:
        super().__init__(NAME, _home().__doc__)
        self.__dict__.update(__file__=_home().__file__, __path__=[])

    def __getattr__(self, name: str) -> Any:
        if name == "__all__":
            return [public for public in _home().__all__ if public not in OWN]
        if name == "__version__":
            return served.followed()
        try:
            return getattr(_home(), name)
        except AttributeError:
            raise AttributeError(f"module {NAME!r} has no attribute {name!r}", name=name, obj=self) from None

    def __setattr__(self, name: str, value: object) -> None:
        if name.startswith("__"):
            super().__setattr__(name, value)
        else:
            setattr(_home(), name, value)

    def __delattr__(self, name: str) -> None:
        delattr(_home(), name)

    def __dir__(self) -> list[str]:
        return sorted({*dir(_home()), *self.__dict__} - OWN)


class AliasDistribution(Distribution):
    """What `importlib.metadata` says of the package `mindspore`."""

    def read_text(self, filename: str) -> str | None:
        """Return the metadata; there are no other files."""
        if filename != "METADATA":
            return None
        return f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {served.followed()}\n"

    def locate_file(self, path: Any) -> Path:
        """Return where a file of the package would be."""
        return Path(_home().__file__ or "").parent / path


class AliasFinder(MetaPathFinder, Loader):
    """Finds `mindspore` and `mindspore.x.y` among sporax's public modules; never looks at what else is installed."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return how to load a name below `mindspore`, None for every other name and for what sporax lacks."""
        if fullname == NAME:
            return ModuleSpec(fullname, self, origin=_home().__file__, is_package=True)
        top, _, below = fullname.partition(".")
        if top != NAME or fullname.startswith(f"{NAME}._src"):
            return None
        spec = _spec(f"{HOME}.{below}")
        if spec is not None:
            package = spec.submodule_search_locations is not None
            return ModuleSpec(fullname, self, origin=spec.origin, is_package=package)
        marked = below in MARKED or below in MARKED_CHILDREN
        return ModuleSpec(fullname, PathFinder(), is_package=below in MARKED_CHILDREN) if marked else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module object that the name stands for."""
        if spec.name == NAME:
            return Alias()
        module = importlib.import_module(HOME + spec.name.removeprefix(NAME))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Give a shared module its own identity back: the import system has just put the alias's there.

        The modules below it that are loaded get their second name at once. The import system would bind them, when a
        program first imports them by it, as attributes of the package, over a function of that name (`common.seed`).
        """
        if isinstance(module, Alias):
            companions.load()
        elif module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state
        package = HOME if isinstance(module, Alias) else module.__name__
        for name in [n for n in sys.modules if n.startswith(f"{package}.") and _is_public(n)]:
            sys.modules.setdefault(NAME + name.removeprefix(HOME), sys.modules[name])

    def find_distributions(self, context: DistributionFinder.Context | None = None) -> list[AliasDistribution]:
        """Answer `importlib.metadata.version("mindspore")`, which some packages compare instead of importing."""
        return [AliasDistribution()] if context is not None and context.name == NAME else []


def _is_public(name: str) -> bool:
    return name.partition(".")[0] == HOME and not name.startswith(f"{HOME}._src")


def _home() -> ModuleType:
    return sys.modules[HOME]


def _spec(name: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except ModuleNotFoundError:  # a package above it is missing
        return None


def install() -> None:
    """Let `import mindspore` be answered by sporax, in this process and in worker processes.

    Modules below `mindspore` are sporax's own, so a class is one object under both names. NumPy gets the names of NumPy 1
    that programs for MindSpore use. Where the name is served already, nothing changes, and one `uninstall` ends it.

    Raises:
        RuntimeError: If MindSpore itself is imported already: its objects and sporax's do not mix.

    Examples:
        >>> import sporax
        >>> sporax.compat.install()
        >>> import mindspore
        >>> mindspore.nn.Dense is sporax.nn.Dense
        True
        >>> sporax.compat.uninstall()
        >>> sporax.compat.is_installed()
        False
    """
    with _lock:
        if is_installed():
            return
        present = sys.modules.get(NAME)
        if present is not None:
            raise RuntimeError(
                f"{NAME} is already imported, from {getattr(present, '__file__', 'an unknown place')}; "
                "install the alias before the first import of it."
            )
        sys.meta_path.insert(0, AliasFinder())
        sys.path.insert(1, WORKER_PATH)
        numpy1.install()
        for module in [m for name, m in sys.modules.copy().items() if _is_public(name)]:
            shown.show(module)


def uninstall() -> None:
    """Undo `install`: imports of `mindspore`, `sys.modules`, `sys.path` and the names of NumPy are what they were before.

    What a program holds by then keeps working: its names stand for sporax's own objects.
    """
    with _lock:
        shown.hide()
        sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, AliasFinder)]
        sys.path[:] = [folder for folder in sys.path if folder != WORKER_PATH]
        for package, leaf in _bound():
            delattr(package, leaf)
        for name in [n for n in sys.modules if n == NAME or n.startswith(f"{NAME}.")]:
            del sys.modules[name]
        numpy1.uninstall()


def _bound() -> Iterator[tuple[ModuleType, str]]:
    """Give the modules of marked paths that the import system bound as attributes of sporax's packages."""
    for path, leaves in MARKED_CHILDREN.items():
        package = sys.modules.get(f"{HOME}.{path}".strip("."))
        for leaf in leaves:
            value = vars(package).get(leaf) if package else None
            if package and isinstance(value, ModuleType) and value.__name__.startswith(f"{NAME}."):
                yield package, leaf


def is_installed() -> bool:
    """Return whether `mindspore` is served from sporax."""
    return any(isinstance(finder, AliasFinder) for finder in sys.meta_path)
