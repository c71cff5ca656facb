"""The building block of networks.

Reading order: `cell` (the class), `registry`, `hooks`, `parameter_hooks`, `state_dict`, `placement`, `hints`,
`precision`, `untrained`, `functional_form`.
"""
