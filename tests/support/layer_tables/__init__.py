"""The tables that test every layer, and the rows of them that belong to the layers of one module.

Read `laws` (both modes, gradients, copies), `goldens` (MindSpore's records), `oracles` (torch's results), `empty_batches`,
`wrong_arguments` and `wrong_calls` (texts of errors), `held` (the Primitives that a layer holds).
"""

import re

from by_module import cases_of, without_a_file

from layer_tables import empty_batches, goldens, held, laws, oracles, wrong_arguments, wrong_calls
from sporax import mint, nn
from sporax._src.base.public_names import defined_in


def module_of(text: str, *_: object) -> str:
    """Return the module that defines the layer whose constructor a row calls first."""
    space, name = re.match(r"(?:\w+: )?(mint\.nn\.|nn\.|)(\w+)", text).groups()  # type: ignore[union-attr]
    module = defined_in(getattr(mint.nn if space.startswith("mint") else nn, name))
    return (
        "sporax._src.nn.mint.namespace" if module == "sporax.mint.nn" else module
    )  # a line of its table has no source


TABLES = [
    (test, module_of)
    for test in (
        laws.test_laws,
        goldens.test_golden,
        goldens.test_initial_values,
        oracles.test_oracle,
        empty_batches.test_empty_batch,
        wrong_arguments.test_wrong_argument,
        wrong_calls.test_wrong_call,
        held.test_what_a_layer_holds_computes_what_it_computes,
    )
]


def layers_of(*modules: str) -> type:
    """Return the tests of the layers that these modules define, a method for each table."""
    return cases_of(modules, TABLES)


def modules_without_a_file() -> set[str]:
    """Return the modules of layers whose rows no file runs."""
    return without_a_file(TABLES, "layers_of")
