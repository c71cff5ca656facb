"""Worker processes of datasets. Nothing here imports JAX, and no worker runs the program's script.

Reading order: `blocks` (memory and messages between two processes), `pickles` (how a function gets to a worker), `absent` (the
names of the framework in a worker), `serve` (what a worker does), `fork_server` (the process that forks workers), `starting` (its
other side, in the program), `pool` (the workers of one operation, and what happens when one fails).
"""
