"""What sporax changes in JAX: `lowering` (what one is, and how to turn them off), `operation` (operations that sporax adds to JAX),
`recurrence` (those of recurrent layers), `normalization`, `elementwise` (that of optimizers), `fused_attention` (a kernel of
cuDNN, or blocks of queries), and a folder for each platform: `cpu`.

A new lowering is one file in the folder of its platform, with a list `LOWERINGS`; `startup.process` installs it.
"""
