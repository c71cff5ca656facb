"""Python control flow on traced Tensors, and what else of Python happens when a graph runs (`docs/graph_mode.md`).

Reading order:

* `rewrite.py` turns a function of the program into one whose conditions, loops, calls, items and attributes go through
  functions; `syntax.py` has the passes over the syntax tree that are ours, AutoGraph has the others.
* `branches.py`, `loops.py` and `operators.py` are these functions: plain Python where values are known, `lax.cond` and a
  loop in the graph where they are traced. `merge.py` brings two branches, or two iterations, to one structure;
  `undo_log.py` finds and undoes what they change; `reverse.py` is the loop with its gradient. `numbers.py` is the arithmetic of
  numbers, known to Python or to the run alone, and `unbound.py` the names that only some paths bind.
* `failures.py` and `strings.py` leave errors, strings and `print` to the run. `captured_state.py` makes inputs and outputs of
  what a function changes around it.

What does not fit raises `NeedsValue`, and the call runs in PyNative mode. Functions are rewritten only after a plain trace
has failed for want of a value: most networks never are.
"""
