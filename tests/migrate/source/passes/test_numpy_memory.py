"""Memory that a Tensor and a NumPy array share in torch: a write that the other shows is refused."""

import pytest

from sporax._src.migrate.source.convert import convert


@pytest.mark.parametrize(
    "program",
    [
        "a = np.zeros(3, 'float32')\nt = torch.from_numpy(a)\nt += 1\nprint(a)",
        "a = np.zeros(3, 'float32')\nt = torch.from_numpy(a)\nt.add_(1)\nprint(a)",
        "a = np.zeros(3, 'float32')\nt = torch.as_tensor(a)\na[0] = 1\nprint(t)",
        "t = torch.zeros(2)\nn = t.numpy()\nt.add_(1)\nprint(n)",
        "t = torch.zeros(2)\nn = t.detach().cpu().numpy()\nn[0] = 1\nprint(t)",
    ],
)
def test_write_that_numpy_would_show_is_refused(program):
    todo = convert(f"import numpy as np\nimport torch\n{program}\n").todo
    assert len(todo) == 1
    assert "share their memory in torch" in todo[0][1]


def test_arrays_that_are_written_before_they_are_shared_are_converted():
    assert not convert(
        "import numpy as np\nimport torch\na = np.zeros(3)\na[0] = 1\nt = torch.from_numpy(a)\nt += 1\n"
    ).todo
