"""The comparison of two networks, layer by layer.

Reading order: `recorder` (runs a network and records the inputs and outputs of its layers) with `cell_recorder` and
`torch_recorder`; `align` (pairs the layers), `calls` (the layer where a difference begins), `stages` (two recordings in
the order of training), `measure` (the distance of values), `causes` (the causes of differences) with `settings`,
`experiments` and `source`; `report` and `terminal`; `live` (all of it for two networks in one process); `storage` and
`dump_script` (for two machines).
"""
