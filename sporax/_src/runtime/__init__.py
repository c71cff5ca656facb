"""The machine underneath as programs see it: `devices` (streams, memory) and `profiler`."""
