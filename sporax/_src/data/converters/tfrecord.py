"""Files of TensorFlow's records as MindRecord files."""

from __future__ import annotations

from collections.abc import Iterator
from string import punctuation
from typing import Any

import numpy as np

from sporax._src.base.errors import describe, shown
from sporax._src.data.converters.batches import write_rows
from sporax._src.data.converters.names import check_name
from sporax._src.data.mindrecord.writer import FileWriter
from sporax._src.data.sources.tfrecord import Feature, parse_example, read_records

_UNDERSCORES = str.maketrans(dict.fromkeys(f"{punctuation} ", "_"))
_DTYPES = ("string", "int64", "float32")  # the kinds of values in a record, as TensorFlow reads them


def _dtype(feature: Any) -> str:
    """Return the name of a feature's dtype, which may be TensorFlow's, NumPy's or a text."""
    dtype = feature.dtype
    return dtype if isinstance(dtype, str) else getattr(dtype, "name", getattr(dtype, "__name__", str(dtype)))


class TFRecordToMR:
    """Writes a file of `tf.train.Example` messages as MindRecord.

    A scalar of text is a string or, if named in `bytes_fields`, bytes; numbers are int64 or float32, of one or of as many
    as the feature has. Other characters in the names of features than letters, digits and ``_`` become ``_``.

    Args:
        source (str): The file.
        destination (str): The file to write.
        feature_dict (dict[str, FixedLenFeature]): The features to write: `tf.io.FixedLenFeature`, or anything that has a
            ``shape`` (none or ``[]``, or ``[n]`` of numbers), a ``dtype`` (``'string'``, ``'int64'`` or ``'float32'``)
            and perhaps a ``default_value``. TensorFlow is not needed.
        bytes_fields (list[str], optional): The features that are bytes. Default: ``None``, none.

    Raises:
        ParamValueError: If a path is empty or does not name a file.
        TypeError: If a feature has another dtype.
        ValueError: If another argument is not as described.

    Examples:
        >>> import os, tempfile
        >>> from types import SimpleNamespace
        >>> from sporax.mindrecord import FileReader, TFRecordToMR
        >>> path = os.path.join(tempfile.mkdtemp(), "a.tfrecord")
        >>> message = bytes([10, 12, 10, 10, 10, 1, 97, 18, 5, 26, 3, 10, 1, 7])  # {"a": [7]}
        >>> with open(path, "wb") as file:
        ...     _ = file.write(len(message).to_bytes(8, "little") + bytes(4) + message + bytes(4))
        >>> features = {"a": SimpleNamespace(shape=[], dtype="int64")}
        >>> TFRecordToMR(path, path + ".mindrecord", features).transform()
        >>> list(FileReader(path + ".mindrecord").get_next())
        [{'a': 7}]
    """

    def __init__(
        self, source: str, destination: str, feature_dict: dict[str, Any], bytes_fields: list[str] | None = None
    ) -> None:
        for name, path in (("source", source), ("destination", destination)):
            if not isinstance(path, str):
                raise ValueError(f"TFRecordToMR: {name} must be a str, got {describe(path)}.")
            check_name(name, path)
        if not isinstance(feature_dict, dict):
            raise ValueError(f"TFRecordToMR: feature_dict must be a dict, got {describe(feature_dict)}.")
        self.source, self.destination, self.feature_dict = source, destination, feature_dict
        self.mindrecord_schema = {name.translate(_UNDERSCORES): self._field(name) for name in feature_dict}
        if bytes_fields is not None and not isinstance(bytes_fields, list):
            raise ValueError(f"TFRecordToMR: bytes_fields must be a list of str, got {describe(bytes_fields)}.")
        self.bytes_fields_list = [self._bytes_field(name) for name in bytes_fields or []]
        for name in self.bytes_fields_list:
            self.mindrecord_schema[name] = {"type": "bytes"}

    def _field(self, name: str) -> dict[str, Any]:
        """Return the schema's entry for a feature."""
        where, feature = f"TFRecordToMR: feature_dict[{name!r}]", self.feature_dict[name]
        if not hasattr(feature, "shape") or not hasattr(feature, "dtype") or hasattr(feature, "allow_missing"):
            raise ValueError(f"{where} must be a FixedLenFeature, got {describe(feature)}.")
        kind = _dtype(feature)
        if kind not in _DTYPES:
            raise TypeError(f"{where} must have the dtype string, int64 or float32, got {kind}.")
        if not feature.shape:
            return {"type": kind}
        sizes = list(feature.shape)
        if kind == "string" or len(sizes) != 1 or not isinstance(sizes[0], int) or sizes[0] < 1:
            wanted = "[]" if kind == "string" else "[] or [n]"
            raise ValueError(f"{where} must have the shape {wanted}, got {sizes}.")
        return {"type": kind, "shape": sizes}

    def _bytes_field(self, name: object) -> str:
        """Return the name of a feature of bytes in the records."""
        if not isinstance(name, str) or name not in self.feature_dict:
            raise ValueError(
                f"TFRecordToMR: bytes_fields must hold names of {list(self.feature_dict)}, got {describe(name)}."
            )
        if (kind := _dtype(self.feature_dict[name])) != "string":
            raise ValueError(f"TFRecordToMR: bytes_fields must hold features of strings; {name!r} is {kind}.")
        return name.translate(_UNDERSCORES)

    def tfrecord_iterator(self) -> Iterator[dict[str, Any]]:
        """Give the rows that `run` writes.

        Raises:
            FileNotFoundError: If the file is missing.
            ValueError: If a record lacks a feature that has no default value, or has it with another type or length.
            RuntimeError: If the file is damaged.
        """
        for number, raw in enumerate(read_records("TFRecordToMR", self.source)):
            try:
                features = parse_example(raw)
            except ValueError as error:
                raise RuntimeError(
                    f"TFRecordToMR: row {number} of {shown(self.source)} is damaged: {error}."
                ) from error
            yield {
                name.translate(_UNDERSCORES): self._value(number, name, features.get(name))
                for name in self.feature_dict
            }

    def _value(self, number: int, name: str, value: Feature | None) -> Any:
        where, feature = f"TFRecordToMR: row {number} of {shown(self.source)}", self.feature_dict[name]
        field = self.mindrecord_schema[name.translate(_UNDERSCORES)]
        kind, count = _dtype(feature), field.get("shape", [1])[0]
        if value is None or not len(value):
            default = getattr(feature, "default_value", None)
            if default is None:
                raise ValueError(f"{where} lacks the feature {name!r}, which has no default_value.")
            value = [default] if kind == "string" else np.broadcast_to(np.asarray(default, kind), (count,))
        if (kind == "string") != isinstance(value, list) or (
            isinstance(value, np.ndarray) and value.dtype.name != kind
        ):
            actual = "string" if isinstance(value, list) else value.dtype.name
            raise ValueError(f"{where}: the feature {name!r} must be {kind}, and is {actual}.")
        if len(value) != count:
            raise ValueError(f"{where}: the feature {name!r} must have {count} values, and has {len(value)}.")
        if not isinstance(value, list):
            return np.array(value, kind) if "shape" in field else value[0].item()
        first = value[0].encode() if isinstance(value[0], str) else value[0]
        if field["type"] == "bytes":
            return first
        try:
            return first.decode()
        except UnicodeDecodeError as error:
            raise ValueError(f"{where}: the feature {name!r} is not text; name it in bytes_fields: {error}.") from error

    def run(self) -> None:
        """Write the file.

        Raises:
            FileNotFoundError: If the file to read is missing.
            ValueError: If a record does not fit the features.
            RuntimeError: If the file to read is damaged, or the one to write exists.
        """
        writer = FileWriter(self.destination)
        writer.add_schema(self.mindrecord_schema, "TFRecord to MindRecord")
        write_rows(writer, self.tfrecord_iterator(), True)

    def transform(self) -> None:
        """Do what `run` does."""
        self.run()
