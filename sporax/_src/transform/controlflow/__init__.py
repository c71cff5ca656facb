"""Python control flow on traced Tensors, and other effects of Python code in a graph (`docs/graph_mode.md`).

Reading order: `rewrite` (sends conditions, loops, calls, items and attributes of a function through functions of this package),
`syntax` (our passes over the syntax tree; AutoGraph has the others); `branches`, `loops` and `operators` (these functions:
plain Python where values are known, `lax.cond` and a loop in the graph where they are traced); `merge` (two branches or
iterations get one structure), `undo_log` (finds and undoes what they change), `reverse` (a loop with its gradient), `numbers`,
`unbound` (names that only some paths bind), `aliases` (views that only some paths make); `failures` and `strings` (errors and
`print` in a run); `captured_state` (outer values that a function changes become inputs and outputs).

Code that cannot be traced raises `NeedsValue`, and the call runs in PyNative mode. Functions are rewritten only after a
plain trace has failed because it needs a value; most networks are never rewritten.
"""
