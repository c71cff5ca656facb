"""The building block of networks.

Reading order: `cell` (the class), `registry`, `hooks`, `state_dict`, `hints`, `precision`, `untrained`.
"""
