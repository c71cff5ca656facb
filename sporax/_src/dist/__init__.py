"""Processes of one run: `group` first, `exchange` (what arrays become), `primitives`, `comm_func`, `distributed`; `layout`."""
