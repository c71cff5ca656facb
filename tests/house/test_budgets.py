"""What a file may weigh, and that everything public is defined once."""

import ast
import statistics
from collections import Counter, defaultdict

from house import SOURCE, Module, body, code_lines, functions, modules, public_names, settings

BUDGETS = settings()["budgets"]


def test_files_are_short():
    """Counted in lines of code: docstrings, comments, decorator rows and blanks are free."""
    long = {
        name: n
        for name, module in modules().items()
        if (n := code_lines(module.path.read_text())) > BUDGETS["code-lines"]
    }
    assert long == {}, "\n".join(f"{name}: {lines} lines of code" for name, lines in long.items())


def test_lines_of_code_are_counted():
    head, body = (
        '"""What it is."""\n\n@row(\n    a=1,\n)\n',
        '    """Say."""\n    # because\n    return (\n        x\n    )\n',
    )
    text = f"{head}def f(x):  # why\n{body}"
    assert code_lines(text) == 4


def test_folders_are_small():
    """A reader finds the file by its name in a folder that fits on a screen."""
    folders = Counter(
        path.parent.relative_to(SOURCE) for path in SOURCE.rglob("*.py*") if path.suffix in (".py", ".pyi")
    )
    large = {str(folder): files for folder, files in folders.items() if files > BUDGETS["folder-files"]}
    assert large == {}, "\n".join(f"{folder}: {files} files" for folder, files in large.items())


def test_functions_are_short():
    lengths = {
        f"{module.name}.{f.name}": f.end_lineno - body(f)[0].lineno + 1
        for module in modules().values()
        for f in functions(module)
        if body(f)
    }
    p95 = statistics.quantiles(lengths.values(), n=20)[-1]
    longest = sorted(lengths, key=lengths.get, reverse=True)[:10]
    assert p95 <= BUDGETS["body-lines-p95"], [(name, lengths[name]) for name in longest]


def test_few_errors_of_the_type_checker_are_ignored():
    ignored = {name: n for name, module in modules().items() if (n := module.path.read_text().count("# type: ignore"))}
    assert sum(ignored.values()) <= BUDGETS["type-ignores"], ignored


def test_few_parameters_take_anything_unchecked():
    """A parameter that is only passed on, or whose type a function checks, is an `object`."""
    kinds = [p.annotation for module in modules().values() for f in functions(module) for p in parameters(f)]
    unchecked = sum(isinstance(kind, ast.Name) and kind.id == "Any" for kind in kinds)
    assert 100 * unchecked / len(kinds) <= BUDGETS["any-parameters"], f"{unchecked} of {len(kinds)} parameters are Any"


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.arg]:
    """Return the parameters of a function but `self` and `cls`."""
    given = function.args
    every = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    return [p for p in every if p is not None and p.arg not in ("self", "cls")]


def test_parameters_are_counted():
    function = ast.parse("def f(self, a, /, b, *c, d, **e): pass").body[0]
    assert [p.arg for p in parameters(function)] == ["a", "b", "c", "d", "e"]


def test_facades_hold_imports_only():
    wrong = [
        f"{module.name}:{node.lineno}: {ast.unparse(node).splitlines()[0]}"
        for module in modules().values()
        if module.is_facade
        for node in body(module.tree)
        if not is_facade_statement(node)
    ]
    assert wrong == [], "\n".join(wrong)


_CALLS = (
    "hold_collections()",
    "prepare_process()",
    "join_run()",
    "serve_paths()",
    "serve_public_modules(complete)",
    "resume_collections()",
)


def is_facade_statement(node: ast.stmt) -> bool:
    """Imports, also those for later, and `__all__`; the top module has the version and calls around its imports, too."""
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return all(isinstance(inner, ast.ImportFrom) for inner in node.body) and not node.orelse
    if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        return ast.unparse(target) in ("__all__", "__version__")
    return isinstance(node, (ast.Import, ast.ImportFrom)) or ast.unparse(node) in _CALLS


def test_facades_say_what_they_export():
    assert [m.name for m in modules().values() if m.is_facade and "__all__" not in m.path.read_text()] == []


def test_public_names_are_defined_once():
    """Within a layer; a function of one or two statements may adapt another of its name to a second signature."""
    writes = [
        m for m in modules().values() if m.is_facade or m.package == "data"
    ]  # whose names `dataset` takes by star
    public = {name for module in writes for name in public_names(module)}
    places = defaultdict(list)
    for module in modules().values():
        for node in module.tree.body if module.package else ():
            if isinstance(node, (ast.ClassDef, ast.FunctionDef)) and node.name in public and not is_adapter(node):
                places[module.package, node.name].append(module.name)
    twice = {name: where for (_, name), where in places.items() if len(where) > 1 and name not in BUDGETS["same-name"]}
    assert twice == {}, "\n".join(f"{name}: {', '.join(where)}" for name, where in sorted(twice.items()))


def is_adapter(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and len(body(node)) <= 2


def test_no_function_is_written_twice():
    bodies = defaultdict(set)
    for module in modules().values():
        for function in functions(module):
            text = "\n".join(ast.unparse(statement) for statement in body(function))
            if len(text) > 300:
                bodies[ast.unparse(function.args), text].add(f"{module.name}.{function.name}")
    assert [sorted(names) for names in bodies.values() if len(names) > 1] == []


def test_modules_say_what_they_are():
    silent = [m.name for m in modules().values() if not is_described(m)]
    assert silent == [], "\n".join(silent)


def is_described(module: Module) -> bool:
    return bool(ast.get_docstring(module.tree))
