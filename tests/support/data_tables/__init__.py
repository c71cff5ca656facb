"""The tables that test operations on data, sources and pipelines, and the rows of them that belong to one module.

Each file here is a table or a few: MindSpore's results, draws, texts of errors.
"""

import re
from collections.abc import Iterator
from typing import Any

from by_module import Table, cases_of, without_a_file

import sporax.dataset as ds
from data_tables import (
    audio,
    audio_effects,
    converters,
    pipeline_errors,
    pipelines,
    sources,
    text,
    vision,
    vision_boxes,
    vision_draws,
)
from sporax import mindrecord
from sporax._src.base.public_names import defined_in
from sporax._src.data import config
from sporax._src.data.dataset import Dataset

_OPERATIONS = vars(ds.audio) | vars(ds.vision) | vars(ds.text) | vars(ds.transforms)


def _names(value: Any) -> Iterator[str]:
    """Yield the names that an expression or a function uses, in order."""
    if isinstance(value, str):
        yield from re.findall(r"[A-Za-z_]\w*", value)
    elif callable(value) and hasattr(value, "__code__"):
        yield from value.__code__.co_names


def module_of(value: Any, *_: Any) -> str:
    """Return the module of the operation that a row is about: an object, or the first that an expression names."""
    if not isinstance(value, str) and not hasattr(value, "__code__"):
        return defined_in(type(value))
    known = [_OPERATIONS[name] for name in _names(value) if getattr(_OPERATIONS.get(name), "__module__", None)]
    return defined_in(known[0] if known else ds.text.Vocab)  # the vocabulary that all rows share has no name there


def module_of_source(call: str, *_: Any) -> str:
    """Return the module of the source that a call makes."""
    return next(defined_in(getattr(ds, name)) for name in _names(call) if hasattr(ds, name))


def module_of_converter(call: str, *_: Any) -> str:
    """Return the module of the converter that a call makes."""
    known = vars(mindrecord) | converters.READS
    return next(defined_in(known[name]) for name in _names(call) if name in known)


def module_of_pipeline(name: str) -> str:
    """Return the module of the dataset at the end of a pipeline."""
    return defined_in(type(pipelines.PIPELINES[name]()))


def module_of_error(name: str) -> str:
    """Return the module of what refuses: an operation, a transformation, a sampler, a setting or a source."""
    call = (pipeline_errors.CREATED | pipeline_errors.ITERATED)[name][0]
    names = list(_names(call))
    for space in (vars(ds.transforms), vars(Dataset), vars(config), vars(ds)):
        for name in names:
            value = space.get(name)
            if callable(value) and str(defined_in(value)).startswith("sporax._src.data."):
                return defined_in(value)
    return defined_in(ds.GeneratorDataset)  # what the helpers of the table make


OPERATIONS: list[Table] = [
    *(
        (test, module_of)
        for test in (
            audio.test_results_are_mindspores,
            audio.test_texts_of_errors,
            audio_effects.test_effects_are_mindspores,
            audio_effects.test_errors_are_mindspores,
            audio_effects.test_arguments_that_mindspore_takes,
            vision.test_images_are_mindspores,
            vision.test_floats_are_near_bytes,
            vision.test_draws_differ_by_row_and_repeat_by_seed,
            vision.test_probabilities,
            vision.test_error_texts,
            vision.test_batches_of_images,
            vision.test_operations_that_take_one_image,
            vision_boxes.test_results_and_errors_are_mindspores,
            vision_boxes.test_boxes_stay_inside_and_keep_what_follows,
            vision_draws.test_operations_that_mindspore_knows_for_arrays_only_give_arrays,
            text.test_texts_are_mindspores,
            text.test_error_texts_of_vectors,
            text.test_errors_of_texts,
        )
    ),
    *(
        (test, lambda name: module_of(vision_draws.RANDOM[name]))
        for test in (
            vision_draws.test_random_operations_follow_the_seed_and_keep_type_and_shape,
            vision_draws.test_pillow_in_is_pillow_out,
            vision_draws.test_images_of_one_call_share_one_draw,
            vision_draws.test_geometry_keeps_any_type,
        )
    ),
    (vision_draws.test_errors_name_what_came, lambda name: module_of(vision_draws.NAMED_ERRORS[name][0])),
]
SOURCES: list[Table] = [
    (sources.test_call, module_of_source),
    (sources.test_texts_of_errors, module_of_source),
    (sources.test_shares_are_whole_rows, module_of_source),
    (sources.test_pk_sampler_needs_one_label_a_row, module_of_source),
]
CONVERTERS: list[Table] = [
    (converters.test_files_are_mindspores, module_of_converter),
    (converters.test_errors_are_mindspores, module_of_converter),
    (converters.test_arrays_are_mindspores, module_of_converter),
]
PIPELINES: list[Table] = [
    (pipelines.test_laws, module_of_pipeline),
    (pipeline_errors.test_refused_at_once, module_of_error),
    (pipeline_errors.test_refused_while_iterating, module_of_error),
]
LAWS = PIPELINES[:1]  # it has every transformation by itself, a new one too
TABLES: dict[str, list[Table]] = {
    "operations_of": OPERATIONS,
    "sources_of": SOURCES,
    "converters_of": CONVERTERS,
    "pipelines_of": PIPELINES,
}


def operations_of(*modules: str) -> type:
    """Return the tests of the operations that these modules define, a method for each table."""
    return cases_of(modules, OPERATIONS)


def sources_of(*modules: str) -> type:
    """Return the tests of the sources that these modules define."""
    return cases_of(modules, SOURCES)


def converters_of(*modules: str) -> type:
    """Return the tests of the converters that these modules define."""
    return cases_of(modules, CONVERTERS)


def pipelines_of(*modules: str) -> type:
    """Return the laws and errors of the datasets, samplers, settings and operations that these modules define."""
    return cases_of(modules, PIPELINES)


def modules_without_a_file(selection: str) -> set[str]:
    """Return the modules whose rows no file runs."""
    return without_a_file(TABLES[selection], selection)
