"""The passes of the converter. Each takes a `Context` and handles the types of syntax nodes that its methods name.

Read `names` and `calls` (what is written in the place of a name or a call), then `assignments`, `control_flow` and `values` (which
kind a value has), then `gradients` with `training_loops` and `attribute_flow`. The others are about one topic each.
"""
