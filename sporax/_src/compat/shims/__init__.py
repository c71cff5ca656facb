"""Names that programs import from MindSpore's modules and that no public module of sporax has.

A file is named after the module, without the underscore in front: `parallel/utils.py` has those of `mindspore.parallel._utils`.
It says which program imports them; where no program of docs/programs.md does, a repository of the census or MindSpore's own
tests. The lines of `compat.tables` put them at their paths.
"""
