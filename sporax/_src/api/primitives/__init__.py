"""Primitive classes that are more than a row under another name.

Reading order: `arrays`, `reductions`, `random`, `resize`, `gradients`, `optimizer_steps`, `fused_optimizer_steps`,
`higher_order`, `program`, `summary`, `experience_buffer`, `internal`, `auto_generate`, `sets`.
"""

from sporax._src.api.primitives import (  # noqa: F401  (importing registers the classes)
    arrays,
    auto_generate,
    experience_buffer,
    fused_optimizer_steps,
    gradients,
    higher_order,
    internal,
    optimizer_steps,
    program,
    random,
    reductions,
    resize,
    sets,
    summary,
)
