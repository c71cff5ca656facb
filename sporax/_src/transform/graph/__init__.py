"""The parts of a captured graph, and its transformations before XLA compiles it.

Reading order: `graph_plan` (its states), `stages` (the graph as text at each stage, with `text`), `constants`, `attention`,
`channels_last`, `chains`, `index_prechecks`, `argument_names`, `provenance` (the line and Cell of an operation), `flops`,
`recompile_reasons`, `updates` (the new values of all states at once).
"""
