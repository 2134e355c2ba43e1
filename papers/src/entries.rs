//! The entries of the ledger: what the five papers measured, each with the rows that check it.
//!
//! An entry counts as reproduced only if all of its rows are.

use crate::paper::belongs;
use crate::{Kind, Ledger, Record, Verdict};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// An entry of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Its id. The ids of its rows are the same, or begin with it and a dot.
    pub id: String,
    /// What was measured.
    pub what: String,
    /// The paper's values.
    pub paper: String,
}

/// All entries, by paper.
static ENTRIES: LazyLock<Vec<Entry>> = LazyLock::new(|| {
    let mut file: BTreeMap<String, Vec<Entry>> =
        toml::from_str(include_str!("entries.toml")).expect("a test reads the entries");
    file.remove("entry").unwrap_or_default()
});

/// The entry to which a row belongs: of several the one with the longest id. `None` for rows beyond
/// the ledger.
pub fn entry_of(row: &str) -> Option<&'static Entry> {
    let entries = ENTRIES.iter();
    entries
        .filter(|entry| belongs(row, &entry.id))
        .max_by_key(|entry| entry.id.len())
}

/// The verdict on an entry: that of its worst row. `None` without a row.
pub fn verdict<'a>(records: impl IntoIterator<Item = &'a Record>) -> Option<Verdict> {
    records.into_iter().map(|record| record.verdict).max()
}

/// The table of all entries as Markdown: verdict, rows, and why those that miss do.
pub fn entries_table(records: &[Record], ledgers: &[Ledger]) -> String {
    let mut text = "| entry | what | the paper | rows | verdict | the rows that miss |\n\
                    |---|---|---|---|---|---|\n"
        .to_owned();
    for entry in &*ENTRIES {
        let of_entry = || {
            let belongs = |record: &&Record| entry_of(&record.id) == Some(entry);
            records.iter().filter(belongs)
        };
        let counted = || of_entry().filter(|record| record.verdict != Verdict::Algebra);
        let reproduced = counted().filter(|record| record.verdict == Verdict::Reproduced);
        let misses: Vec<String> = of_entry()
            .filter(|record| !record.verdict.is_good())
            .map(|record| miss(record, kind_of(ledgers, &record.id)))
            .collect();
        text += &format!(
            "| {} | {} | {} | {} of {} | {} | {} |\n",
            entry.id,
            entry.what,
            entry.paper,
            reproduced.count(),
            counted().count(),
            verdict(of_entry()).map_or("not measured", Verdict::name),
            misses.join("; "),
        );
    }
    text
}

/// The table of all rows as Markdown, each with what its seeds say.
pub fn rows_table(records: &[Record]) -> String {
    let mut text = "| row | the paper | rule | median | central 90 % | seeds | agree | verdict |\n\
                    |---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for record in records {
        let seeds = record
            .seeds
            .map_or(String::new(), |seeds| seeds.count.to_string());
        let cells = [
            record.id.clone(),
            record.with_unit(&record.expected),
            record.rule.to_string(),
            record.measured_text(),
            record.central_text(),
            seeds,
            record.within_text(),
            record.verdict.name().to_owned(),
        ];
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}

/// The table of all changes of rules, expected values and choices as Markdown.
pub fn changes_table(ledgers: &[Ledger]) -> String {
    let mut text = "| paper | rows | commit | results known | what and why |\n\
                    |---|---|---|---|---|\n"
        .to_owned();
    for ledger in ledgers {
        for change in &ledger.changed {
            let known = if change.after_measuring { "yes" } else { "no" };
            text += &format!(
                "| {} | {} | {} | {known} | {} |\n",
                ledger.id, change.rows, change.commit, change.reason
            );
        }
    }
    text
}

fn kind_of(ledgers: &[Ledger], row: &str) -> Option<Kind> {
    let mut rows = ledgers.iter().flat_map(|ledger| &ledger.rows);
    rows.find(|one| one.id == row)?.kind
}

/// `A.fig3.5s: consistent, 15.34 % (19.81; C: chance; 13 % of the seeds agree)`.
fn miss(record: &Record, kind: Option<Kind>) -> String {
    let kind = kind.map(|kind| format!("; {}", kind.name()));
    let share = record
        .seeds
        .map(|_| format!("; {} of the seeds agree", record.within_text()));
    format!(
        "{}: {}, {} ({}{}{})",
        record.id,
        record.verdict.name(),
        record.measured_text(),
        record.expected,
        kind.unwrap_or_default(),
        share.unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<String> {
        let ledgers = crate::papers().into_iter().map(|paper| paper.ledger);
        ledgers
            .flat_map(|ledger| ledger.rows)
            .map(|row| row.id)
            .collect()
    }

    #[test]
    fn every_entry_has_a_row() {
        for entry in &*ENTRIES {
            let has_row = rows().iter().any(|row| entry_of(row) == Some(entry));
            assert!(has_row, "{}", entry.id);
        }
    }

    #[test]
    fn few_rows_are_beyond_the_ledger() {
        let beyond: Vec<String> = rows()
            .into_iter()
            .filter(|row| entry_of(row).is_none())
            .collect();
        assert_eq!(beyond, ["C.spacing", "C.spacing.remaining", "R.fig4.4"]);
    }

    #[test]
    fn a_row_belongs_to_the_entry_with_the_longest_id() {
        let id = |row| entry_of(row).map(|entry| entry.id.as_str());
        assert_eq!(id("A.fig3.data.5s"), Some("A.fig3.data"));
        assert_eq!(id("A.fig3.5s"), Some("A.fig3"));
        assert_eq!(id("R.fig1.linear"), Some("R.fig1"));
        assert_eq!(id("N.fig12.gain"), Some("N.fig12"));
        assert_eq!(id("C.fig100"), None);
    }
}
