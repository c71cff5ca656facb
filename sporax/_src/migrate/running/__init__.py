"""Running a torch program, unmodified: each module is converted when it is imported (`sporax run --torch`).

Reading order: `unconverted` (what the names of torch that are left stand for), `stand_in` (the module `torch`), `leftovers` (code
that is left raises an error when it runs), `positions` (the lines of the user's file in tracebacks), `packages` (what the
conversion of a file must know of other files), `disk_cache`, `compilation` (from a file to its code), `finder` (the import hook),
`spawned` (worker processes), `report` (what was left), `start`.
"""
