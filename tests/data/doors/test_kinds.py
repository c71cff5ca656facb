"""The door: what it takes, what it refuses, and that it imports no package."""

import subprocess
import sys

import pytest

import sporax.dataset as ds
from sporax._src.data.doors.kinds import KINDS


def test_datasets_pass() -> None:
    data = ds.NumpySlicesDataset([1])
    assert ds.from_source(data) is data


@pytest.mark.parametrize("source", [1, None, b"bytes", int, object()])
def test_what_is_refused(source: object) -> None:
    with pytest.raises(TypeError, match=r"from_source: expected a dataset, or what dataset\.from_source takes, got "):
        ds.from_source(source)


def test_arguments() -> None:
    with pytest.raises(TypeError, match="from_source: shuffle must be a bool"):
        ds.from_source([1], shuffle=1)
    assert ds.from_source([1, 2], sampler=[1]).get_dataset_size() == 1


def test_no_package_is_imported() -> None:
    code = f"""
import sys
import sporax.dataset as ds
assert ds.from_source([1, 2]).get_dataset_size() == 2
loaded = {sorted({module.partition(".")[0] for module, _, _ in KINDS})} & sys.modules.keys()
assert not loaded, loaded
"""
    code = code.replace("= [", "= set([").replace("] &", "]) &")
    subprocess.run([sys.executable, "-c", code], check=True)


def test_objects_of_unlisted_modules_are_taken_by_what_they_do() -> None:
    class Rows:
        def __len__(self) -> int:
            return 2

        def __getitem__(self, index: int) -> int:
            return index * 10

    assert [row[0].item() for row in ds.from_source(Rows())] == [0, 10]
