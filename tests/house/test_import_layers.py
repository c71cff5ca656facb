"""The layout of the house: who may import whom. The list is `[tool.sporax.layers]` of pyproject.toml."""

import ast
from graphlib import CycleError, TopologicalSorter

from house import Import, Module, modules, settings, walk

LAYERS = settings()["layers"]
IMPORTS = settings()["imports"]
DOOR = ("sporax._src.base.jax_compat", "sporax._src.base.jax_service")  # and the program of another process


def where(module: Module, line: int) -> str:
    return f"{module.path.name} ({module.name}:{line})"


def allowed(module: Module, target: str) -> bool:
    """Tell whether a layer's row lets this module import a module of sporax."""
    row = LAYERS[module.layer]
    parts = target.split(".")
    if parts[:2] != ["sporax", "_src"]:
        return module.is_facade or "facade" in row
    if len(parts) == 2:
        return False
    inside = ".".join(parts[2:])
    return parts[2] == module.package or any(f"{inside}.".startswith(f"{name}.") for name in row)


def own(target: str) -> bool:
    return target.split(".")[0] == "sporax"


def test_every_package_has_a_row():
    assert sorted({m.layer for m in modules().values() if m.layer} - set(LAYERS)) == []


def test_rows_name_lower_rows_only():
    order = list(LAYERS)
    wrong = [
        f"{package} may not import {name}: its row comes later"
        for package, row in LAYERS.items()
        for name in row
        if name != "facade" and order.index(name.split(".")[0]) > order.index(package)
    ]
    assert wrong == [], "\n".join(wrong)


def test_modules_import_from_lower_layers_only():
    wrong = [
        f"{where(module, i.line)} imports {i.target}"
        for module in modules().values()
        if module.layer
        for i in module.imports
        if own(i.target) and not allowed(module, i.target)
    ]
    assert wrong == [], "\n".join(wrong)


def test_public_modules_see_the_finder_only_of_compat():
    """What a documented name needs is in a room below; what only older paths need is reached by the table of paths."""
    assert [name for name in LAYERS["facade"] if name.startswith("compat")] == ["compat.finder"]
    finder = modules()["sporax._src.compat.finder"]
    assert [i.target for i in finder.imports if own(i.target) and not i.target.startswith("sporax._src.compat")] == []


def test_no_import_cycles():
    """Imports for type checkers alone count too: a reader follows them like any other."""
    graph = {
        name: {i.target for i in module.imports if i.target in modules()} - {name} for name, module in modules().items()
    }
    assert cycle(graph) == []


def cycle(graph: dict[str, set[str]]) -> list[str]:
    """Return a cycle as the modules along it, empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_cycles_are_found():
    assert cycle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert sorted(cycle({"top": {"a"}, "a": {"b"}, "b": {"a", "c"}, "c": set()})[1:]) == ["a", "b"]


def test_imports_inside_functions_are_optional_packages_only():
    wrong = [
        f"{where(module, i.line)} imports {i.target} inside a function"
        for module in modules().values()
        for i in module.imports
        if i.in_function and i.target.split(".")[0] not in IMPORTS["optional"] + IMPORTS["heavy"]
    ]
    assert wrong == [], "\n".join(wrong)


def test_data_workers_never_see_jax():
    wrong = [
        f"{where(module, i.line)} imports {i.target}"
        for module in modules().values()
        if module.package in IMPORTS["without-jax"]
        for i in module.imports
        if i.target.split(".")[0] in ("jax", "jaxlib")
    ]
    assert wrong == [], "\n".join(wrong)


def test_private_names_stay_in_their_file():
    """Except MindSpore's own, which its transformer files share, and the names of helpers.

    Those begin with an underscore so that none is a name of the converted program that imports them.
    """
    exempt = ("sporax._src.compat.transformer.", "sporax._src.migrate.helpers.")
    wrong = [
        f"{where(module, node.lineno)} imports {alias.name} of {node.module}"
        for module in modules().values()
        if module.package and not module.name.startswith(exempt)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ImportFrom) and own(node.module or "")
        for alias in node.names
        if alias.name.startswith("_") and not alias.name.startswith("__")
    ]
    assert wrong == [], "\n".join(wrong)


def test_private_jax_has_one_door():
    wrong = [
        where(module, line) for module in modules().values() if module.name not in DOOR for line in private_jax(module)
    ]
    assert wrong == [], "\n".join(wrong)


def private_jax(module: Module) -> list[int]:
    attributes = [n.lineno for n in ast.walk(module.tree) if isinstance(n, ast.Attribute) and n.attr == "_src"]
    return attributes + [i.line for i in module.imports if is_private_jax(i)]


def is_private_jax(item: Import) -> bool:
    return f"{item.target}.".startswith(("jax._src.", "jaxlib._", "jaxlib.xla_"))


def test_environment_is_read_by_the_settings_and_the_allocator():
    wrong = [
        where(module, node.lineno)
        for module in modules().values()
        if module.name not in ("sporax._src.base.config", "sporax._src.startup.allocator")
        for node, _, _ in walk(module.tree)
        if (isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv") and ast.unparse(node.value) == "os")
        or (
            isinstance(node, ast.ImportFrom)
            and node.module == "os"
            and {a.name for a in node.names} & {"environ", "getenv"}
        )
    ]
    assert wrong == [], "\n".join(wrong)
