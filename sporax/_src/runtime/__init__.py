"""The machine underneath as programs see it: `devices` (streams, memory), `core_limits`, `device_context`, `profiler`."""
