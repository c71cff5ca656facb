"""The passes of the converter. Each takes a `Context` and handles the types of syntax nodes that its methods name.

`convert` in the folder above makes the passes and registers them with its visitor, in the order in which they are asked.

Reading order: `names`, `calls` and `call_conversion` (the conversion of names and calls), `import_statements`,
`definitions`, `new_modules`; `assignments`, `control_flow`, `values` and `tensor_types` (the kinds of values); `gradients` with
`differentiated`, `training_loops`, `optimizer_steps`, `given_tensors`, `gradient_reads`, `learning_rates` and
`attribute_flow`; about one topic each: `layer_attributes`, `introspection`, `formats`, `complex_numbers`, `indices`; `in_place`
(augmented assignments) with `numpy_memory` and `views`.
"""
