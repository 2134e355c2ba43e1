"""Tables, and how they become data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd
import pyarrow as pa

if TYPE_CHECKING:
    import polars

    from onramp import _onramp


class Table:
    """A table of typed columns, with the unit in each name.

    It implements Arrow's PyCapsule interface, so that ``pyarrow.table(table)`` and
    ``polars.DataFrame(table)`` share its memory.
    """

    def __init__(self, table: _onramp.Table) -> None:
        self._table = table

    def __len__(self) -> int:
        return len(self._table)

    def __repr__(self) -> str:
        columns = len(self.column_names)
        return f"<{type(self).__name__}: {len(self)} rows, {columns} columns>"

    @property
    def column_names(self) -> list[str]:
        """The names of the columns, in their order."""
        return self._table.column_names

    def __arrow_c_schema__(self) -> object:
        return self._table.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> pa.Table:
        """Share the table with pyarrow, without a copy."""
        return pa.table(self._table)

    def to_polars(self) -> polars.DataFrame:
        """Share the table with Polars, which has to be installed."""
        import polars

        return polars.DataFrame(self._table)

    def to_pandas(self) -> pd.DataFrame:
        """Copy the table into a data frame of pandas.

        Integers that may be missing become ``Int64``, so that the type of a column does not depend
        on its content. Missing numbers are ``NaN``.
        """
        arrow = self.to_arrow()
        columns = {}
        for field in arrow.schema:
            column = arrow.column(field.name)
            if field.nullable and pa.types.is_integer(field.type):
                columns[field.name] = column.to_pandas(
                    types_mapper={pa.int64(): pd.Int64Dtype()}.get
                )
            else:
                columns[field.name] = column.to_pandas()
        return pd.DataFrame(columns)
