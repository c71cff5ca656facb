"""The start of a process: `allocator` (may start it again), `loading` (fast imports), `process` (what sporax changes in JAX),
`public_modules` (which load when they are asked for)."""
