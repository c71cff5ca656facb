"""What reading and writing MindRecord files raises."""

import pytest

from sporax._src.data.mindrecord import errors


def test_a_text_names_the_class_the_kind_and_the_detail() -> None:
    assert str(errors.ParamValueError("no file")) == "[ParamValueError]: Invalid parameter value. Detail: no file"
    assert str(errors.MRMAddSchemaError()) == "[MRMAddSchemaError]: Failed to add schema."
    assert errors.MindRecordException("x").error_msg == "Unknown Error. Detail: x"


@pytest.mark.parametrize("kind, builtin", [(errors.ParamTypeError, TypeError), (errors.ParamValueError, ValueError)])
def test_wrong_arguments_are_errors_of_python_too(kind: type[Exception], builtin: type[Exception]) -> None:
    assert issubclass(kind, (builtin, errors.MindRecordException))
    with pytest.raises(builtin, match="a detail"):
        raise kind("a detail")
