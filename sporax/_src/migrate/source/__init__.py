"""The converter of PyTorch source to MindSpore source.

Read `source_text` (text with edits), `scopes` (what names stand for), `context` and `visitor` (what passes share, and how they are
called), `passes`, `calls` (a call, by its row of the map), then `convert` (one file) and `project` (a folder).
"""
