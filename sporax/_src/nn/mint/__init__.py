"""`mint.nn`: Cells with torch's arguments; `parametrized` (with Parameters), `namespace` (the table of the others)."""
