"""The comparison of two networks, layer by layer.

`recorder` runs a network and keeps what its layers took and gave, by `cell_recorder` or `torch_recorder`; `align` says which
layer is which, `calls` where a difference begins; `stages` compares two recordings in the order of training, `measure` tells
how far values are apart; `causes` names why they are, by `settings`, `experiments` on the values, and `source`; `report` is
the result. `live` does all for two networks; `storage` and `dump_script` serve two machines.
"""
