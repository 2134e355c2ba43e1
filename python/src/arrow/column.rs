//! Columns of Arrow from the fields of rows.

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema};
use std::sync::Arc;

/// A type of cells. Whether a column can have empty cells depends on the type alone, so that all
/// batches of a table have one schema.
pub trait Cell: Sized {
    /// The type of the column.
    const TYPE: DataType;
    /// The column may have empty cells.
    const IS_NULLABLE: bool;

    /// The column with these cells.
    fn array(cells: impl Iterator<Item = Self>) -> ArrayRef;
}

/// Declares cells: the type in Rust, the type in Arrow, the array, and the conversion.
macro_rules! cells {
    ($($cell:ty, $type:ident, $array:ident, $convert:expr;)*) => {
        $(
            impl Cell for $cell {
                const TYPE: DataType = DataType::$type;
                const IS_NULLABLE: bool = false;

                fn array(cells: impl Iterator<Item = Self>) -> ArrayRef {
                    Arc::new($array::from(cells.map($convert).collect::<Vec<_>>()))
                }
            }

            impl Cell for Option<$cell> {
                const TYPE: DataType = DataType::$type;
                const IS_NULLABLE: bool = true;

                fn array(cells: impl Iterator<Item = Self>) -> ArrayRef {
                    let cells = cells.map(|cell| cell.map($convert));
                    Arc::new($array::from(cells.collect::<Vec<_>>()))
                }
            }
        )*
    };
}

/// An integer that may exceed the positive numbers of 64 signed bits, as a seed does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsigned(pub u64);

/// Arrow's integers are signed here: the difference of two columns may be negative.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

cells! {
    &str, Utf8, StringArray, |text| text;
    bool, Boolean, BooleanArray, |is| is;
    u32, Int64, Int64Array, i64::from;
    u64, Int64, Int64Array, signed;
    Unsigned, UInt64, UInt64Array, |number: Unsigned| number.0;
    f64, Float64, Float64Array, |number| number;
}

/// A column with its name.
pub fn column<C: Cell>(name: &str, cells: impl Iterator<Item = C>) -> (Field, ArrayRef) {
    (Field::new(name, C::TYPE, C::IS_NULLABLE), C::array(cells))
}

/// A table of columns of one length.
///
/// # Panics
/// If the columns differ in length, or if there are none.
pub fn record_batch(columns: Vec<(Field, ArrayRef)>) -> RecordBatch {
    let (fields, arrays): (Vec<Field>, Vec<ArrayRef>) = columns.into_iter().unzip();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
        .expect("columns of one length, with the types of their fields")
}

/// A table of rows: `batch!(rows, row => { name: row.name.as_str(), size_bytes: row.size_bytes })`.
/// Each cell is a [`Cell`].
macro_rules! batch {
    ($rows:expr, $row:ident => { $($name:ident: $cell:expr),* $(,)? }) => {
        $crate::arrow::column::record_batch(vec![
            $($crate::arrow::column::column(stringify!($name), $rows.iter().map(|$row| $cell))),*
        ])
    };
}
pub(crate) use batch;

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::Array;

    #[test]
    fn types_and_empty_cells_follow_from_the_rust_type() {
        let rows = [(1u64, None), (u64::MAX, Some(2.5))];
        let batch =
            batch!(rows, row => { size_bytes: row.0, time_s: row.1, seed: Unsigned(row.0) });
        let schema = batch.schema();
        let types: Vec<_> = schema
            .fields()
            .iter()
            .map(|field| (field.data_type().clone(), field.is_nullable()))
            .collect();
        assert_eq!(
            types,
            [
                (DataType::Int64, false),
                (DataType::Float64, true),
                (DataType::UInt64, false)
            ]
        );
        assert_eq!(batch.column(1).null_count(), 1);
        let sizes = batch.column(0).as_any().downcast_ref::<Int64Array>();
        assert_eq!(sizes.unwrap().values(), &[1, i64::MAX]);
    }

    #[test]
    fn a_table_without_rows_has_its_columns() {
        let rows: [(u32,); 0] = [];
        let batch = batch!(rows, row => { case: row.0 });
        assert_eq!((batch.num_rows(), batch.num_columns()), (0, 1));
    }
}
