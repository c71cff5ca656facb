"""Groups, collectives and layouts of a run of one process: `group` first, then `primitives` and `comm_func`, `layout`."""
