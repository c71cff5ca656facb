"""The processes of one run: their ranks, how they meet, and how they compute together.

Reading order: `world` (rank and size), `launchers` and `rank_assignment` (the source of the rank), `rendezvous` (how a
process joins), `service` (where they meet), `machines` (how launchers of several machines meet), `run_secret`, `store` (values
that all processes share), `watchdog` (ends a run that hangs); `parallel_context` (the settings of parallel training),
`prime_mesh`, `spmd` (one program of all devices), `multiprocess` (functions that all processes call together),
`collective_check`; `dry_run` and `cards` (plans for hardware you don't have).
"""
