//! Tables of numbers in columns: typed arrays of the page.

/// A column. NaN stands for a value that is missing.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// `Float64Array`.
    F64(Vec<f64>),
    /// `Uint32Array`.
    U32(Vec<u32>),
    /// `Uint8Array`.
    U8(Vec<u8>),
}

/// Columns of the same length with their names, those of `page/src/engine/types.ts`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table(Vec<(&'static str, Column)>);

impl Column {
    fn len(&self) -> usize {
        match self {
            Column::F64(values) => values.len(),
            Column::U32(values) => values.len(),
            Column::U8(values) => values.len(),
        }
    }
}

impl Table {
    /// A table of these columns.
    pub fn new(columns: Vec<(&'static str, Column)>) -> Table {
        let lengths = columns.iter().map(|(_, column)| column.len());
        debug_assert!(lengths
            .clone()
            .all(|length| Some(length) == lengths.clone().next()));
        Table(columns)
    }

    /// The columns.
    pub fn columns(&self) -> &[(&'static str, Column)] {
        &self.0
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.0.first().map_or(0, |(_, column)| column.len())
    }

    fn column(&self, name: &str) -> &Column {
        let found = self.0.iter().find(|(own, _)| *own == name);
        &found.unwrap_or_else(|| panic!("no column `{name}`")).1
    }

    /// The values of a column of this type.
    ///
    /// # Panics
    /// If the table has no such column.
    pub fn f64(&self, name: &str) -> &[f64] {
        match self.column(name) {
            Column::F64(values) => values,
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// The same for whole numbers.
    ///
    /// # Panics
    /// If the table has no such column.
    pub fn u32(&self, name: &str) -> &[u32] {
        match self.column(name) {
            Column::U32(values) => values,
            other => panic!("`{name}` is {other:?}"),
        }
    }

    /// The same for kinds and flags.
    ///
    /// # Panics
    /// If the table has no such column.
    pub fn u8(&self, name: &str) -> &[u8] {
        match self.column(name) {
            Column::U8(values) => values,
            other => panic!("`{name}` is {other:?}"),
        }
    }
}
