"""What sporax changes in JAX: `lowering` (what one is), `process` (all effects on the process), and a folder for each platform.

A new lowering is one file in the folder of its platform, with a list `LOWERINGS`; `process` finds it.
"""
