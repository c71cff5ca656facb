"""The parameters of public functions and classes, and the names that classes and their objects have."""

from pathlib import Path

from .common import write_json
from .signature_text import names, objects


def record(out: Path) -> None:
    """Write ``signatures.json``."""
    write_json(out / "signatures.json", {"names": names("mindspore"), "objects": objects("mindspore")})
