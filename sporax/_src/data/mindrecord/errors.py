"""The errors of reading and writing MindRecord files."""

from __future__ import annotations


class MindRecordException(Exception):
    """The base of the errors of MindRecord files."""

    text = "Unknown Error."

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail)
        self.error_msg = f"{self.text} Detail: {detail}" if detail else self.text

    def __str__(self) -> str:
        return f"[{type(self).__name__}]: {self.error_msg}"


class ParamTypeError(MindRecordException, TypeError):
    """An argument has the wrong type."""

    text = "Invalid parameter type."


class ParamValueError(MindRecordException, ValueError):
    """An argument has a value that is not allowed."""

    text = "Invalid parameter value."


class PathNotExistsError(MindRecordException):
    """A file or a folder is missing."""

    text = "Invalid path."


class MRMInvalidSchemaError(MindRecordException):
    """A schema cannot be used."""

    text = "Schema format is error."


class MRMAddSchemaError(MindRecordException):
    """A file has one schema already."""

    text = "Failed to add schema."


class MRMDefineIndexError(MindRecordException):
    """A field cannot be indexed."""

    text = "Failed to define index field."


class MRMDefineCategoryError(MindRecordException):
    """A field is not a category."""

    text = "Failed to define category field."
