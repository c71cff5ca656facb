"""Python control flow on traced Tensors, and what else of Python happens when a graph runs (`docs/graph_mode.md`).

Reading order: `rewrite` (sends conditions, loops, calls, items and attributes of a function through functions of this package),
`syntax` (our passes over the syntax tree; AutoGraph has the others); `branches`, `loops` and `operators` (these functions:
plain Python where values are known, `lax.cond` and a loop in the graph where they are traced); `merge` (two branches or
iterations get one structure), `undo_log` (finds and undoes what they change), `reverse` (a loop with its gradient), `numbers`,
`unbound` (names that only some paths bind), `aliases` (views that only some paths make); `failures` and `strings` (errors and
`print` in a run); `captured_state` (what a function changes around it becomes inputs and outputs).

What does not fit raises `NeedsValue`, and the call runs in PyNative mode. Functions are rewritten only after a plain trace has
failed for want of a value: most networks never are.
"""
