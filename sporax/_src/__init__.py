"""The house, in reading order.

`base`, `runtime`, `core` (Tensor, Parameter, the scope that supplies values inside a trace, the tape), `engine` (the table of
operators and how they run), `ops` (their rows), `data`, `transform` (gradients and graphs), `dist`, `api` (what users see of the
operators), `nn`, `optim`, `checkpoint`, `train`, `compat` (MindSpore's name and paths), `cli`.
"""
