"""The machine: what the report says about it, and how much of it other work takes."""

import os
import platform
from collections.abc import Iterable
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")


def describe() -> dict[str, str]:
    """Processor, cores, memory and system."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count()),
        "memory": f"{memory:.0f} GiB",
        "system": platform.platform(),
    }


def busy_seconds(cores: Iterable[int]) -> float:
    """How long these cores have been busy since the machine started, whoever used them."""
    names = {f"cpu{core}" for core in cores}
    rows = [line.split() for line in Path("/proc/stat").read_text().splitlines() if line.startswith("cpu")]
    # user nice system idle iowait irq softirq steal
    return sum(sum(map(int, row[1:9])) - int(row[4]) - int(row[5]) for row in rows if row[0] in names) / _TICKS


def process_seconds(pid: int) -> float:
    """The processor time that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _processor() -> str:
    cpu = Path("/proc/cpuinfo").read_text().split("\n\n")[0]
    fields = {key.strip(): value.strip() for key, _, value in (line.partition(":") for line in cpu.splitlines())}
    wide = [flag for flag in ("avx2", "avx512f", "amx_tile") if flag in fields.get("flags", "").split()]
    return f"{fields.get('model name', platform.machine())} ({', '.join(wide)})"
