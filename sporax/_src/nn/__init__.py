"""Cells: `cell` first, `containers`, then a file a family of layers, `losses`, `wrap` (training steps), `probability`, `mint`."""
