"""The machine underneath as programs see it: `devices` (streams, memory), `device_context`, `profiler`."""
