"""Running programs that were written for MindSpore under its own name.

Reading order: `finder` (import paths), `paths` and `tables` (which path has which names), `shims` (what no public module has,
by MindSpore's modules), `releases` (what newer releases do differently), `no_kernel`, `operators`, `older_transforms`,
`transformer`; `shown` (how classes print), `companions` (modules that MindSpore brings), `numpy1` with `numpy1_test_ids`
(names that NumPy 2 dropped), `workers` (for worker processes); `editor_stubs`
(what editors are told).
"""
