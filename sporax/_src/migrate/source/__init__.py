"""The converter of PyTorch source to MindSpore source.

Read `source_text` (text with edits), `scopes` and `walk` (what names and values are), `calls` (a call, by its row of the map),
`convert` (one file) and `project` (a folder).
"""
