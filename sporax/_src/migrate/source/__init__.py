"""The converter of PyTorch source to MindSpore source.

Reading order: `nodes` (of a syntax tree), `source_text` (text with edits), `scopes` (what names stand for), `imports` and
`left_imports`, `lookup` and `factory_keywords` (rows of the map), `context`, `diagnostics` and `visitor` (what passes share, and
how they are called), `aliases` (other names of a Tensor), `class_tests` (classes that are compared), `passes`, `calls` (a call, by
its row of the map), `rewriting`, `dataflow`, `optimizer_kinds`, `helper_modules` and `import_roots` (the package beside the
output), `convert` (one file), `project` (a folder) with `program`, `scan`, `tracing` (kinds of values, from a run), `review` (what
to look at).
"""
