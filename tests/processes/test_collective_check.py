"""What processes exchange is compared before they do: differences are told with the line of each, agreement costs nothing."""

import pytest
from launching import PROGRAMS, launched

PROGRAM = PROGRAMS / "disagreeing.py"
REDUCE, GATHER, OTHER = "x = reduce(x)", "else gather(x)", "return reduce(gather(x))"
DIFFERENCES = {
    "shape": (("ops.AllReduce(float32[2]), psum", REDUCE), ("ops.AllReduce(float32[3]), psum", REDUCE)),
    "dtype": (("ops.AllReduce(float32[2]), psum", REDUCE), ("ops.AllReduce(float16[2]), psum", REDUCE)),
    "order": (("ops.AllReduce(float32[2]), psum", REDUCE), ("ops.AllGather(float32[2]), all_gather", OTHER)),
    "number": (("ops.AllGather(float32[2]), all_gather", GATHER), None),
}


def _told(exchange: tuple[str, str] | None) -> str:
    if exchange is None:
        return "nothing more"
    lines = PROGRAM.read_text().splitlines()
    return f"{exchange[0]} at {PROGRAM}:{next(i for i, line in enumerate(lines, 1) if exchange[1] in line)}"


@pytest.mark.parametrize(
    ("mode", "counts"), [("graph", "compared 1 1 0 0"), ("pynative", "compared 2 1 0 0")]
)  # forward, gradient, and both again
def test_differences_are_told_and_agreement_is_remembered(mode: str, counts: str):
    run = launched(PROGRAM, mode)
    assert run.returncode == 0, run.stdout + run.stderr
    for rank in range(2):
        lines = [line.removeprefix(f"[{rank}] ") for line in run.stdout.splitlines() if line.startswith(f"[{rank}]")]
        found = dict(line.split(": ", 1) for line in lines if line.split(":")[0] in DIFFERENCES)
        for how in found:
            number = f", exchange {2 if how == 'number' else 1} of a graph" if mode == "graph" else ""
            first, second = map(_told, DIFFERENCES[how])
            head = f"processes are about to exchange different values{number}. "
            assert found[how] == f"{head}process 0: {first}; process 1: {second}."
        assert set(found) == set(DIFFERENCES) - ({"number"} if mode == "pynative" else set())
        assert counts in lines
