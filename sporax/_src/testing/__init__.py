"""Level 7: laws over tables, and the oracles they compare with."""
