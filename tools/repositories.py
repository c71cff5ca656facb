"""Networks of public repositories: whole checkouts converted, their networks built on both sides, and compared.

    git clone https://github.com/OWNER/NAME CHECKOUTS/OWNER/NAME       # for each repository of the tables
    pip install --no-deps --target SITE timm torchvision               # the packages that repositories need, if any
    python tools/repositories.py CHECKOUTS --site SITE                 # all; writes the results and docs/models.md
    python tools/repositories.py CHECKOUTS --only openai/CLIP          # one repository; or a network: openai/CLIP:vit
    python tools/repositories.py --page                                # docs/models.md anew from the results

Each checkout is converted as `sporax migrate CHECKOUTS/OWNER/NAME -o WORK/OWNER/NAME` does it, without a hand edit.
Networks are built and compared as in `tools/models.py`, in evaluation mode.

The tables are the files `tools/repositories/*.toml`. A repository is a table with these keys:

    code        Python that runs before a network is built, such as "from models import *"; it runs on both sides
    inputs      an expression for the inputs: a tuple, or a dict for inputs by name
    root        the folder of the checkout that programs import from; "" is the checkout itself
    needs       packages of SITE that the code imports; they are converted, too
    networks    a table: the name of a network, and the expression that builds it. Instead of the expression, a network
                may be a table with `build` and any of the keys above, which hold for this network only

The code and the expressions see these functions and `np`. `image`, `ids` and `values` make inputs.
`definitions(file, name=value, ...)` gives the classes and functions of a script whose other statements must not run, with
values for its global names. `stand_in(module, ...names)` lets a module that is not installed be imported.
`called(net, function)` lets a network be called as `function(call, *inputs)`, where `call` is its usual call.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import json
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

import models
from models import Model, Outcome, Side, image

from sporax._src.base.atomic import replacing
from sporax.migrate import Report, migrate

TABLES = Path(__file__).resolve().parent / "repositories"
RESULTS = Path(__file__).resolve().parent / "results" / "repositories.json"
WITHIN_ROUNDING = "equal within rounding"


def ids(below: int, *shape: int) -> np.ndarray:
    """Return some whole numbers from 0 to `below` - 1."""
    return np.random.default_rng(0).integers(0, below, shape)


def values(*shape: int, seed: int = 0) -> np.ndarray:
    """Return some normally distributed numbers; other seeds are for networks that have a kink close to those of seed 0."""
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def definitions(file: str, **names: Any) -> ModuleType:
    """Return a module with the imports, classes and functions of a script, and the given global names."""
    path = Path(sys.path[0]) / file
    tree = ast.parse(path.read_text(encoding="utf-8"))
    tree.body = [statement for statement in tree.body if _is_definition(statement)]
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    sys.modules[path.stem] = module
    vars(module).update(names)
    exec(compile(tree, str(path), "exec"), vars(module))
    vars(module).update(names)
    return module


def _is_definition(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Try):
        return all(map(_is_definition, statement.body))
    return isinstance(statement, (ast.Import, ast.ImportFrom, ast.ClassDef, ast.FunctionDef, ast.Pass))


def stand_in(module: str, *names: str) -> None:
    """Let a module be imported that is not installed, with names that no network uses."""
    package, _, last = module.rpartition(".")
    if package:
        stand_in(package, last)
    made = sys.modules.setdefault(module, ModuleType(module))
    vars(made).update({name: None for name in names if name not in vars(made)})
    if package:
        setattr(sys.modules[package], last, made)


def called(net: Any, function: Callable[..., Any]) -> Any:
    """Let a network be called as a function says that gets its usual call and the inputs; return the network."""
    kind = type(net)

    class Called(kind):  # type: ignore[misc, valid-type]
        def __call__(self, *inputs: Any) -> Any:
            return function(super().__call__, *inputs)

    net.__class__ = Called
    return net


KNOWN = {
    "np": np, "image": image, "ids": ids, "values": values, "definitions": definitions, "stand_in": stand_in, "called": called,
}  # fmt: skip


@dataclass(frozen=True)
class Network(Model):
    """A network of a repository.

    Args:
        root: The folder of the checkout that its code imports from.
        needs: The packages that its code imports.
    """

    root: str
    needs: tuple[str, ...]


def table() -> list[Network]:
    """Return the networks of all tables."""
    found = []
    for file in sorted(TABLES.glob("*.toml")):
        for repository, common in tomllib.loads(file.read_text(encoding="utf-8")).items():
            for name, network in common["networks"].items():
                own = network if isinstance(network, dict) else {"build": network}
                found.append(_network(repository, name, {"code": "", "root": "", "needs": []} | common | own))
    return found


def _network(repository: str, name: str, row: dict[str, Any]) -> Network:
    inputs = eval(row["inputs"], dict(KNOWN))
    return Network(repository, name, _builder(row["code"], row["build"]), inputs, row["root"], (*row["needs"],))


def _builder(code: str, build: str) -> Callable[[], Any]:
    def built() -> Any:
        names = dict(KNOWN)
        exec(code, names)
        return eval(build, names)

    return built


def _side(network: Network, checkout: Path, site: Path) -> Side:
    """Return the modules and packages that a network's code imports."""
    root = checkout / network.root
    own = {path.stem for path in root.iterdir() if path.is_dir() or path.suffix == ".py"}
    return Side(own | {*network.needs}, root, *([site] if network.needs else []))


@dataclass
class Places:
    """Where the sources are, and where their conversions are put.

    Args:
        checkouts, site: The sources.
        work: Where what is converted of them is put, in folders `checkouts` and `site`.
    """

    checkouts: Path
    site: Path
    work: Path

    def convert(self, networks: list[Network]) -> Report:
        """Convert the repository of some networks, and the packages that they need; return the repository's report."""
        for package in sorted({package for network in networks for package in network.needs}):
            if not (self.work / "site" / package).exists():
                models.convert(package, self.site, self.work / "site")
        repository = networks[0].package
        return migrate(self.checkouts / repository, self.work / "checkouts" / repository, force=True)

    def compare(self, network: Network, report: Report) -> Outcome:
        """Build a network on both sides and compare them."""
        torch_side = _side(network, self.checkouts / network.package, self.site)
        cell_side = _side(network, self.work / "checkouts" / network.package, self.work / "site")
        return models.compare(network, torch_side, cell_side, report, (False,))


def status(outcome: Outcome) -> str:
    """Return what became of a network, in one word or a few."""
    if outcome.agrees:
        return "equal"
    if not outcome.error:
        return WITHIN_ROUNDING if outcome.agrees_within_rounding else "differs"
    if not outcome.converted:
        return "does not run under torch"
    return "announced by a TODO" if outcome.todo else "raises"


def run(places: Places, networks: list[Network]) -> Iterator[dict[str, Any]]:
    """Convert repositories and compare their networks; give the results after each of them."""
    alive = models.start()
    tools = str(Path(__file__).resolve().parent)  # whose models.py would hide a folder `models` without an __init__.py
    sys.path[:] = [folder for folder in sys.path if folder != tools]
    for repository in dict.fromkeys(network.package for network in networks):
        own = [network for network in networks if network.package == repository]
        report = places.convert(own)
        counts = {"converted": sum(report.used.values()), "todo": len(report.todo)}
        print(repository, counts, flush=True)
        for network in own:
            outcome = places.compare(network, report)
            print(f"{status(outcome)}: {models.line(outcome)}", flush=True)
            found = {
                "status": status(outcome),
                "weights": outcome.weights,
                "forward": outcome.forward,
                "gradients": outcome.gradients,
                "error": outcome.error,
            }
            if not outcome.agrees and outcome.noise:
                found |= {"noise": outcome.noise, "float64": outcome.float64}
            yield {repository: counts | {"networks": {network.name: found}}}
    del alive


HEAD = """# Networks of public repositories

Whole repositories are converted without manual changes, and their networks are built and compared as above, in evaluation mode.
Of {count} networks,

- {equal} are equal within the bounds above.
- {rounding} are equal within rounding. They are out of the bounds, but no further from torch than torch's own results in
  float32 are uncertain, and in float64 both sides agree to {exact:.0e}.
- {differ} differ for other reasons.
- {announced} do not run, and a TODO of the converter says why.
- {others} do not run, and no TODO says so.

`tools/repositories.py` writes this section from the tables in `tools/repositories`.

| repository | uses converted | left to do | networks | equal | outputs | gradients |
|---|---|---|---|---|---|---|
"""
ROUNDING = """
Networks that are equal within rounding. The columns give the differences of outputs and of gradients: between sporax and torch,
the uncertainty of torch's results in float32, and between both sides in float64.

| repository | network | outputs | gradients | torch's outputs | torch's gradients | outputs, float64 | gradients, float64 |
|---|---|---|---|---|---|---|---|
"""


def page(results: dict[str, Any]) -> str:
    """Return the section of docs/models.md."""
    rows, rounding, others = "", "", ""
    counts: Counter[str] = Counter()
    for repository, of in results.items():
        networks = of["networks"]
        good = [outcome for outcome in networks.values() if outcome["status"] == "equal"]
        apart = [f"{max(o[kind] for o in good):.1e}" if good else "" for kind in models.BOUNDS]
        cells = [repository, f"{of['converted']:,}", of["todo"], len(networks), len(good), *apart]
        rows += f"| {' | '.join(map(str, cells))} |\n"
        for name, outcome in networks.items():
            counts[outcome["status"]] += 1
            if outcome["status"] == WITHIN_ROUNDING:
                measured = [
                    of[kind] for of in (outcome, outcome["noise"], outcome["float64"]) for kind in models.BOUNDS
                ]
                rounding += f"| {repository} | {name} | {' | '.join(f'{value:.1e}' for value in measured)} |\n"
            elif outcome["status"] != "equal":
                others += f"- {repository} {name} {outcome['status']}: {outcome['error'] or _difference(outcome)}\n"
    named = {"equal": "equal", "rounding": WITHIN_ROUNDING, "differ": "differs", "announced": "announced by a TODO"}
    of_kind = {kind: counts.pop(status, 0) for kind, status in named.items()}
    text = HEAD.format(
        count=counts.total() + sum(of_kind.values()), others=counts.total(), exact=models.IN_FLOAT64, **of_kind
    )
    text += rows + (ROUNDING + rounding if rounding else "")
    return text + (f"\nNetworks that are not equal:\n\n{others}" if others else "")


def _difference(outcome: dict[str, Any]) -> str:
    """Return by how much results differ, and what is known of it in float64."""
    text = "outputs by {forward:.1e}, gradients by {gradients:.1e}".format(**outcome)
    if "noise" not in outcome:
        return text
    exact = outcome["float64"]
    return text + (f"; in float64, by at most {max(exact.values()):.1e}" if exact else "; it does not run in float64")


def updated(before: dict[str, Any], newer: dict[str, Any]) -> dict[str, Any]:
    """Return earlier results with newer ones in their places, in the order of the tables."""
    found: dict[str, Any] = {}
    for network in table():
        for results in (before, newer):
            of = results.get(network.package, {})
            if outcome := of.get("networks", {}).get(network.name):
                networks = found.get(network.package, {}).get("networks", {})
                found[network.package] = of | {"networks": networks | {network.name: outcome}}
    return found


def _known() -> dict[str, Any]:
    return json.loads(RESULTS.read_text()) if RESULTS.exists() else {}


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=Path, nargs="?", help="the folder of the checkouts, as OWNER/NAME")
    parser.add_argument("--site", type=Path, default=Path(), help="the folder in which needed packages are installed")
    parser.add_argument("--only", nargs="*", default=[], help="repositories, or networks as OWNER/NAME:NETWORK")
    parser.add_argument("--work", type=Path, help="where conversions are kept; else they are removed")
    parser.add_argument("--page", action="store_true", help="write docs/models.md from the results that there are")
    options = parser.parse_args()
    if not options.page and options.checkouts is None:
        parser.error("say in which folder the checkouts are")
    chosen = [n for n in table() if not options.only or {n.package, f"{n.package}:{n.name}"} & {*options.only}]
    with contextlib.ExitStack() as stack:
        work = options.work or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if not options.page:
            places = Places(options.checkouts.resolve(), options.site.resolve(), work.resolve())
            for results in run(places, chosen):
                text = json.dumps(updated(_known(), results), indent=1) + "\n"
                with replacing(RESULTS) as temporary:
                    temporary.write_text(text)
        models.write_section(page(_known()))


if __name__ == "__main__":
    main()
