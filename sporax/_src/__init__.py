"""The code of sporax; the public modules import from it.

Reading order; each package builds on those before it: `base` (settings, errors, access to private JAX), `processes` (the processes
of a run), `lowering` (how operations of JAX are compiled), `startup` (what happens at import), `runtime` (devices and memory),
`core` (Tensor, Parameter, what runs now), `engine` (the table of operators and how a row runs), `sharding` (tensor
parallelism), `bindings` (Primitive classes and Tensor methods of a row), `ops` (the rows), `data` (the pipeline), `transform`
(gradients and graphs), `dist` (collective operators), `api` (namespaces), `nn` (Cells), `optim`, `checkpoint`, `train`; and
`compat` (MindSpore's import paths), `cli` (commands), `migrate` (programs from PyTorch).
"""
