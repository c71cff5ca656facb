"""What the programs expect of NumPy and Pillow: names that later releases removed. Python imports this file when it starts."""

import contextlib

with contextlib.suppress(ImportError):
    import numpy as np

    for name, kind in {"bool": bool, "float": float, "int": int, "object": object}.items():
        if name not in vars(np):
            setattr(np, name, kind)

with contextlib.suppress(ImportError):
    from PIL import Image

    if not hasattr(Image, "ANTIALIAS"):
        Image.ANTIALIAS = Image.Resampling.LANCZOS
