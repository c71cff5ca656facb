"""The comparison of two networks, layer by layer.

`cell_recorder` and `torch_recorder` run a network and keep what its layers took and gave; `align` says which layer is which;
`stages` compares two recordings in the order of training, `measure` tells how far values are apart; `causes` names why they
are, by `settings`, `experiments` on the values, and `source`; `report` is the result. `live` does all for two networks.
"""
