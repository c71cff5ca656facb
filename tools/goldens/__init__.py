"""The sections of ``tools/record_goldens.py``, one module each."""
