"""The machine underneath as programs see it: `devices` (streams, memory), `hints`, `core_limits`, `device_context`, `profiler`."""
