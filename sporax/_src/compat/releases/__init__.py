"""What newer releases of MindSpore do differently: one row for each change, applied if the followed release has it.

The code of sporax answers like MindSpore 2.7. A row of this table names what a later release changed, and has the function that
makes the newer version of a public name from the older one. docs/releases.md is made from the rows. What each release answers to
their examples is recorded in `tests/goldens/releases.json`.

Reading order: `table`, `served`, then the rows: `arithmetic`, `arguments`, `names`.
"""
