"""The valid names of files that are read and written."""

import pytest

from sporax._src.data.converters.names import check_name
from sporax._src.data.mindrecord.errors import ParamValueError


@pytest.mark.parametrize("path", ["a.mindrecord", "/folder:1/a b.mindrecord", "../ä"])
def test_valid_names(path: str) -> None:
    """Only the last part of a path counts."""
    assert check_name("destination", path) == path


REFUSED = {
    "": "destination must be a path, got ''.",
    "a/": "destination must not end with '/', got 'a/'.",
    "b/a?x*": "destination must be the path of a file without * ? in its name, got 'b/a?x*'.",
    "b/ a": "destination must not begin or end with a blank, got ' a'.",
}


@pytest.mark.parametrize("path", REFUSED)
def test_names_that_are_not_valid_everywhere(path: str) -> None:
    with pytest.raises(ParamValueError) as error:
        check_name("destination", path)
    assert str(error.value).endswith(REFUSED[path])


def test_a_path_is_text() -> None:
    with pytest.raises(ParamValueError, match="source must be a path, got 3"):
        check_name("source", 3)
