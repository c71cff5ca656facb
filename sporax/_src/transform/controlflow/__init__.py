"""Python control flow on traced Tensors.

Reading order: `rewrite.py` turns a user's function into one whose `if`, `while`, `for`, `and`, `or`, `not`, conditional
expressions and calls go through functions; `operators.py` are these functions: plain Python where conditions are plain,
`lax.cond` and `lax.while_loop` where they are traced; `merge.py` brings the variables of two branches (or of two
iterations) to one structure. What does not fit raises `NeedsValue`, and the call runs in PyNative mode.

Functions are rewritten only after a plain trace has failed for want of a value: most networks never are.
"""
