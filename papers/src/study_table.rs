//! A table of a study: results for which no paper has a row to compare with, such as a sweep over
//! bandwidths.

use crate::Ledger;
use onramp_report::reproduction::{PageCell, PageTable};
use onramp_report::{table_to_csv, text_table, TableOptions};
use std::collections::BTreeSet;

/// A table of a study. Programs read it too: in a column of numbers a cell is a number alone, or
/// `–` where there is none, and the unit is in the head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// Its name in kebab case, unique in the paper. It is also the name of its file.
    pub name: String,
    /// The sentence above it.
    pub caption: String,
    /// The names of its columns, with units.
    pub head: Vec<String>,
    /// Its rows, each as long as the head. The first column tells them apart.
    pub rows: Vec<Vec<String>>,
}

impl Table {
    /// The table for a page.
    pub fn page_table(&self) -> PageTable {
        let cells = |row: &Vec<String>| {
            row.iter()
                .map(|cell| PageCell::from(cell.as_str()))
                .collect()
        };
        PageTable {
            caption: self.caption.clone(),
            head: self.head.clone(),
            rows: self.rows.iter().map(cells).collect(),
        }
    }

    /// The table for a terminal, without its caption. A table that is too wide is split into
    /// blocks, each with the first column.
    pub fn text(&self, options: &TableOptions) -> String {
        text_table(&self.head, &self.rows, options)
    }

    /// The table as CSV: the head, then the rows.
    pub fn csv(&self) -> String {
        table_to_csv(&self.head, &self.rows)
    }
}

impl Ledger {
    /// The table of this name with these rows.
    ///
    /// # Panics
    /// If there is no such table. A test measures all tables.
    pub(crate) fn table(&self, name: &str, rows: Vec<Vec<String>>) -> Table {
        let table = self.tables.iter().find(|table| table.name == name);
        let table = table.unwrap_or_else(|| panic!("no table {name} in {}", self.id));
        Table {
            name: table.name.clone(),
            caption: table.caption.clone(),
            head: table.head.clone(),
            rows,
        }
    }
}

/// # Panics If two of a paper's tables have one name, a name is not in kebab case, or a row is not
/// as long as the head.
pub(crate) fn check<'a>(tables: impl IntoIterator<Item = &'a Table>) {
    let mut names = BTreeSet::new();
    for Table {
        name, head, rows, ..
    } in tables
    {
        assert!(
            is_kebab_case(name),
            "the name of table {name:?} is not in kebab case"
        );
        assert!(names.insert(name), "two tables are named {name}");
        assert!(
            rows.iter().all(|row| row.len() == head.len()),
            "a row of table {name} is not as long as its head"
        );
    }
}

pub(crate) fn is_kebab_case(name: &str) -> bool {
    let is_word = |word: &str| {
        !word.is_empty()
            && word
                .bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    };
    name.split('-').all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Table {
        Table {
            name: name.to_owned(),
            ..Table::default()
        }
    }

    #[test]
    fn a_name_is_one_of_a_file_in_the_papers_directory() {
        assert!(["sweep", "sweep-of-10-rates"]
            .into_iter()
            .all(is_kebab_case));
        assert!(!["", "-", "a--b", "Sweep", "a b", "../a", "a.csv", "ä"]
            .into_iter()
            .any(is_kebab_case));
    }

    #[test]
    #[should_panic(expected = "two tables are named sweep")]
    fn no_two_tables_are_one_file() {
        check(&[named("sweep"), named("other"), named("sweep")]);
    }

    #[test]
    #[should_panic(expected = "not as long as its head")]
    fn a_row_has_a_cell_for_each_column() {
        check(&[Table {
            rows: vec![vec!["1".to_owned()]],
            ..named("sweep")
        }]);
    }
}
