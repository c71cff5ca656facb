"""Sources: datasets that no other dataset feeds."""
