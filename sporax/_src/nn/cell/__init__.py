"""Cell: `cell` (the class), `registry`, `hooks`, `state_dict`, `hints`."""
