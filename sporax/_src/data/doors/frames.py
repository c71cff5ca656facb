"""DataFrames of pandas."""

from __future__ import annotations

from typing import Any

import numpy as np

from sporax._src.data.doors.kept import ColumnsDataset, Foreign, Names, Selection


def of_frame(source: Foreign, column_names: Names, selection: Selection) -> ColumnsDataset:
    """Return the rows of a DataFrame without its index; columns of numbers are not copied."""
    columns = {str(name): _column(source[name]) for name in source.columns}
    return ColumnsDataset(source, columns, column_names, selection)


def _column(series: Foreign) -> Any:
    """Return the values of a column; what pandas holds as objects becomes numbers if every value is one."""
    values = series.to_numpy()
    if values.dtype.kind != "O":
        return values
    kind = getattr(series.dtype, "numpy_dtype", None)  # that of a column that may lack values
    if isinstance(kind, np.dtype) and kind.kind in "biuf" and not series.isna().any():
        return values.astype(kind)
    return [None if missing else value for value, missing in zip(values.tolist(), series.isna(), strict=True)]
