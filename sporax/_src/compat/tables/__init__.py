"""The lines of the table of import paths, a file for each part of MindSpore; `compat.paths` says how they are read."""
