"""What the report says about the machine."""

import os
import platform
from pathlib import Path


def describe() -> dict[str, str]:
    """Processor, cores, memory, system and how busy the machine is with other work."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory:.0f} GiB",
        "system": platform.platform(),
        "load average at the start": f"{os.getloadavg()[0]:.1f}",
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        fields = dict(line.split(":", 1) for line in cpuinfo.read_text().split("\n\n")[0].splitlines() if ":" in line)
        names = {key.strip(): value.strip() for key, value in fields.items()}
        wide = [flag for flag in ("avx2", "avx512f", "amx_tile") if flag in names.get("flags", "").split()]
        return f"{names.get('model name', platform.machine())} ({', '.join(wide)})"
    return platform.processor() or platform.machine()
