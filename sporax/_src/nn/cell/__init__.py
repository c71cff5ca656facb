"""Cell: `cell` (the class), `hooks`, `state_dict`, `hints`."""
