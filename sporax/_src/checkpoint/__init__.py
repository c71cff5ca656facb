"""Saving and loading Parameters: matching names, reporting what is left over; the file formats below it."""
