"""Which processes start again with other settings of the allocator."""

import pytest

from sporax._src.startup.allocator import with_tunables

RUN, MODULE = ["python", "-m", "sporax", "run", "train.py"], ["-m", "run", "train.py"]


def test_a_program_gets_settings_and_keeps_its_own() -> None:
    found = with_tunables(RUN, MODULE, {"HOME": "/", "GLIBC_TUNABLES": "glibc.malloc.arena_max=4"})
    assert found is not None and found["HOME"] == "/"
    told = dict(part.split("=") for part in found["GLIBC_TUNABLES"].split(":"))
    assert told["glibc.malloc.arena_max"] == "4" and told["glibc.malloc.mmap_max"] == "0" and len(told) == 4
    assert with_tunables(RUN, MODULE, found) is None


@pytest.mark.parametrize(
    ("command", "argv", "starts"),
    [
        (["python", "/bin/sporax", "train.py"], ["/bin/sporax", "train.py"], True),
        (["python", "-Wm", "sporax", "train.py"], ["-m", "train.py"], True),
        (["python", "-m", "sporax", "demo"], ["-m", "demo"], False),
        (["python", "-m", "sporax", "--help"], ["-m", "--help"], False),
        (["python", "-m", "pytest", "run"], ["-m", "run"], False),
        (["python", "train.py", "run"], ["train.py", "run"], False),
        (["python"], [""], False),
    ],
)
def test_which_processes_start_again(command: list[str], argv: list[str], starts: bool) -> None:
    assert (with_tunables(command, argv, {}) is not None) == starts
