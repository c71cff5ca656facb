"""The comparison of two networks, layer by layer.

Reading order: `recorder` (runs a network and keeps what its layers took and gave) with `cell_recorder` and `torch_recorder`;
`align` (which layer is which), `calls` (where a difference begins), `stages` (two recordings in the order of training),
`measure` (how far values are apart), `causes` (why they are) with `settings`, `experiments` and `source`; `report` and
`terminal`; `live` (all of it for two networks in one process); `storage` and `dump_script` (for two machines).
"""
