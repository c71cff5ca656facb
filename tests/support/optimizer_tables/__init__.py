"""The tables that test every optimizer and scheduler, and the rows of them that belong to one module.

Read `laws` (convergence, both modes, checkpoints), `steps` and `groups` (MindSpore's steps, states and errors), `schedulers`,
`held_states`.
"""

import re

from by_module import cases_of, without_a_file

from optimizer_tables import groups, held_states, laws, schedulers, steps
from sporax import nn
from sporax._src.base.public_names import defined_in
from sporax.experimental import optim
from sporax.experimental.optim import lr_scheduler


def module_of(text: str, *_: object) -> str:
    """Return the module that defines what a row constructs: `nn.X(...)`, or X of `experimental.optim`."""
    space, name = re.match(r"(nn|optim\.lr_scheduler|optim|)\.?(\w+)", text).groups()  # type: ignore[union-attr]
    if space == "nn":
        return defined_in(getattr(nn, name))
    return defined_in(getattr(optim, name) if hasattr(optim, name) else getattr(lr_scheduler, name))


TABLES = [
    (test, module_of)
    for test in (
        laws.test_laws,
        steps.test_values,
        steps.test_state,
        steps.test_errors,
        steps.test_errors_of_our_own,
        groups.test_state_of_groups,
        groups.test_errors_of_groups,
        schedulers.test_rates,
        schedulers.test_plateau,
        schedulers.test_closed_form,
        schedulers.test_errors_of_schedulers,
        held_states.test_where_gradients_are_centralized,
        held_states.test_states_have_the_attributes_that_they_have_in_mindspore,
    )
]
LAWS = [(laws.test_laws, module_of)]  # it has every public optimizer by itself, a new one too


def optimizers_of(*modules: str) -> type:
    """Return the tests of the optimizers and schedulers that these modules define, a method for each table."""
    return cases_of(modules, TABLES)


def modules_without_a_file() -> set[str]:
    """Return the modules of optimizers whose rows no file runs."""
    return without_a_file(TABLES, "optimizers_of")
