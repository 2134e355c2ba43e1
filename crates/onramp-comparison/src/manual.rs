//! Tables that tests write into pages of the manual.

use std::path::Path;

/// What became of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entered {
    /// The page has this table.
    Same,
    /// The page had another table, and has this one now.
    Updated,
    /// The page has another table, and nobody asked for an update.
    Differs,
}

/// Compares a table with that between the marks `<!-- NAME -->` and `<!-- /NAME -->` of a page.
/// With the environment variable `INSTA_UPDATE=always` the table replaces one that differs.
///
/// # Panics
/// If the page cannot be read or written, or lacks the marks.
pub fn enter(page: &Path, name: &str, table: &str) -> Entered {
    let shown = page.display();
    let text = std::fs::read_to_string(page).unwrap_or_else(|error| panic!("{shown}: {error}"));
    let [begin, end] = [format!("<!-- {name} -->\n"), format!("<!-- /{name} -->")];
    let parts = text.split_once(&begin).and_then(|(before, rest)| {
        let (found, after) = rest.split_once(&end)?;
        Some((before, found, after))
    });
    let (before, found, after) = parts.unwrap_or_else(|| panic!("{shown} has no {begin}"));
    if found == table {
        println!("{shown} has this table.");
        return Entered::Same;
    }
    write(page, &[before, &begin, table, &end, after].concat())
}

/// The same for a file that has one table and nothing else.
///
/// # Panics
/// If the file cannot be read or written.
pub fn replace(file: &Path, table: &str) -> Entered {
    let shown = file.display();
    let found = std::fs::read_to_string(file).unwrap_or_else(|error| panic!("{shown}: {error}"));
    if found == table {
        println!("{shown} has this table.");
        return Entered::Same;
    }
    write(file, table)
}

/// Writes the new text of a file, where somebody asked for an update.
fn write(file: &Path, text: &str) -> Entered {
    let shown = file.display();
    if !std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        println!("{shown} has another table: INSTA_UPDATE=always writes this one.");
        return Entered::Differs;
    }
    std::fs::write(file, text).unwrap_or_else(|error| panic!("{shown}: {error}"));
    println!("{shown} has been updated.");
    Entered::Updated
}
