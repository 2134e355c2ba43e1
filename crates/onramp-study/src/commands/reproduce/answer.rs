//! The text that `onramp reproduce` prints.

use super::Done;
use onramp_cli::text::{columns, columns_within, count, wrapped, Look};
use onramp_papers::{
    Change, Choice, Influence, Ledger, PartView, Record, Reproduction, Table, Verdict,
};
use onramp_report::{head, TableOptions};
use std::fmt::Write;

/// Whether a median agrees by the rule, in the tables of alternatives.
const GOOD: &str = "✓";
const BAD: &str = "✗";
const SAME: &str = "=";

const LEGEND: &str = "Rows that another answer changes by more than 1 %: medians of nine seeds, \
    without a verdict. ✓: the median agrees by the rule, ✗: it does not, =: no such change.";

const GREEN: u8 = 32;
const YELLOW: u8 = 33;
const RED: u8 = 31;

/// A verdict that is no success stands out.
fn word(verdict: Verdict) -> String {
    match verdict {
        Verdict::Missed => verdict.name().to_uppercase(),
        verdict => verdict.name().to_owned(),
    }
}

fn colour(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Reproduced | Verdict::Algebra => GREEN,
        Verdict::Undecided | Verdict::Consistent => YELLOW,
        Verdict::Missed => RED,
    }
}

/// For each paper: its rows, the questions that it leaves open, and the results on this kernel.
/// Then a line of sums.
pub fn text(all: &[Done], look: Look) -> String {
    let mut text = String::new();
    for Done {
        paper,
        reproduction,
        kernel,
    } in all
    {
        let ledger = &paper.ledger;
        text += &format!("{}\n{}\n", ledger.title, ledger.citation);
        for part in reproduction.views() {
            text += &format!("\n{}\n{}", part.title, rows(&part, look));
            text += &notes(ledger, &part, look.width);
            text += &part
                .tables
                .iter()
                .map(|table| study(table, look))
                .collect::<String>();
        }
        if !reproduction.influences.is_empty() {
            text += "\nWhat the paper leaves open\n";
            text += &wrapped(" ", 1, LEGEND, look.width);
            for choice in &ledger.choices {
                text += &open(choice, reproduction, look);
            }
        }
        if let Some(kernel) = kernel {
            text += &format!("\n{}", kernel.text(&ledger.kernel, look.width));
        }
        text.push('\n');
    }
    if all.len() > 1 {
        for Done {
            paper,
            reproduction,
            ..
        } in all
        {
            let sums = Reproduction::sums([reproduction]);
            let _ = writeln!(text, "{}: {sums}", paper.ledger.id);
        }
    }
    let seeds = all.first().map_or(0, |done| done.reproduction.seeds);
    let sums = Reproduction::sums(all.iter().map(|done| &done.reproduction));
    text + &format!("{sums}; medians of {}\n", count(seeds, "seed"))
}

fn rows(part: &PartView<'_>, look: Look) -> String {
    if part.records.is_empty() {
        return String::new();
    }
    let head = head("| PAPER | MEASURED | HALF | RULE | SEEDS | VERDICT");
    let row = |record: &Record| {
        vec![
            format!("{}\n{}", record.id, record.what),
            record.with_unit(&record.expected),
            record.measured_text(),
            record.half_text(),
            record.rule.to_string(),
            record.within_text(),
            word(record.verdict),
        ]
    };
    let all: Vec<_> = std::iter::once(head)
        .chain(part.records.iter().map(row))
        .collect();
    let mut table = String::new();
    for line in columns_within(look.width, &all).lines() {
        let verdict = Verdict::ALL
            .into_iter()
            .find_map(|verdict| Some((line.strip_suffix(&word(verdict))?, verdict)));
        table += &match verdict {
            Some((rest, verdict)) => {
                format!("{rest}{}", coloured(&word(verdict), colour(verdict), look))
            }
            None => line.to_owned(),
        };
        table.push('\n');
    }
    table
}

/// The text in a colour, if colours are used.
fn coloured(text: &str, code: u8, look: Look) -> String {
    match look.colour {
        true => format!("\u{1b}[{code}m{text}\u{1b}[0m"),
        false => text.to_owned(),
    }
}

/// Notes on how rows are measured and why some miss, and other remarks on the runs.
fn notes(ledger: &Ledger, part: &PartView<'_>, width: usize) -> String {
    let mut text = String::new();
    for note in part.notes(ledger) {
        let missed = if note.is_cause { " NOT REPRODUCED" } else { "" };
        text += &wrapped(
            " ",
            1,
            &format!("{}{missed}: {}", note.ids.join(", "), note.text),
            width,
        );
    }
    for remark in part.remarks {
        text += &wrapped(" ", 1, remark, width);
    }
    text
}

/// The table of a study, after an empty line.
fn study(table: &Table, look: Look) -> String {
    let options = TableOptions {
        width: look.width,
        colour: look.colour,
    };
    format!(
        "\n{}{}",
        wrapped(" ", 1, &table.caption, look.width),
        table.text(&options)
    )
}

/// A question, its answer, and the effect of other answers on the rows.
fn open(choice: &Choice, reproduction: &Reproduction, look: Look) -> String {
    let mut text = String::from("\n");
    for (label, value) in [
        ("question:", &choice.question),
        ("decided:", &choice.decided),
        ("reason:", &choice.reason),
    ] {
        text += &wrapped(label, 9, value, look.width);
    }
    text += &wrapped("else:", 9, &reproduction.others(choice), look.width);
    if let Some(influence) = reproduction
        .influences
        .iter()
        .find(|influence| influence.question == choice.question)
    {
        text += &changes(influence, reproduction, look.width);
    }
    text
}

/// The rows that change, each value with its verdict. If one table would be too wide, there are
/// several.
fn changes(influence: &Influence, reproduction: &Reproduction, width: usize) -> String {
    let changes = reproduction.changes(influence);
    if changes.is_empty() {
        return wrapped("changes:", 9, "no row by more than 1 %", width);
    }
    let value = |record: &Record| {
        format!(
            "{} {}",
            record.measured_text(),
            if record.agrees() { GOOD } else { BAD }
        )
    };
    let table = |some: std::ops::Range<usize>| {
        let names = influence.alternatives[some.clone()]
            .iter()
            .map(|(name, _)| name.clone());
        let head = head("| PAPER | AS DECIDED")
            .into_iter()
            .chain(names)
            .collect();
        let row = |change: &Change<'_>| {
            let decided = change.decided;
            let fixed = [
                decided.id.clone(),
                decided.with_unit(&decided.expected),
                value(decided),
            ];
            let others = change.alternatives[some.clone()].iter();
            fixed
                .into_iter()
                .chain(others.map(|record| record.map_or_else(|| SAME.to_owned(), value)))
                .collect()
        };
        let changes = changes.iter().filter(|change| {
            change.alternatives[some.clone()]
                .iter()
                .any(Option::is_some)
        });
        columns(
            &std::iter::once(head)
                .chain(changes.map(row))
                .collect::<Vec<_>>(),
        )
    };
    let fits = |table: &str| table.lines().all(|line| line.chars().count() <= width);
    let (mut text, mut from, all) = (String::new(), 0, influence.alternatives.len());
    while from < all {
        let to = (from + 1..=all)
            .rev()
            .find(|&to| to == from + 1 || fits(&table(from..to)))
            .unwrap_or(all);
        text += &table(from..to);
        from = to;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::test_paper::{done, sweep};
    use super::*;

    #[test]
    fn a_paper_on_a_terminal() {
        insta::assert_snapshot!(text(
            &[done()],
            Look {
                width: 80,
                colour: false
            }
        ));
    }

    #[test]
    fn tables_stand_below_the_rows_of_their_part() {
        let mut done = done();
        done.reproduction.influences.clear();
        done.reproduction.parts[0].tables = vec![sweep()];
        let narrow = text(
            &[done],
            Look {
                width: 48,
                colour: false,
            },
        );
        insta::assert_snapshot!(narrow);
    }

    #[test]
    fn a_study_without_rows_has_no_heading_of_rows() {
        let mut done = done();
        done.reproduction.records.clear();
        done.reproduction.parts[0].tables = vec![sweep()];
        let text = text(
            &[done],
            Look {
                width: 80,
                colour: false,
            },
        );
        assert!(
            !text.contains("VERDICT") && text.contains("saved, %"),
            "{text}"
        );
    }

    #[test]
    fn alternatives_that_are_too_many_for_the_width_make_several_tables() {
        let narrow = text(
            &[done()],
            Look {
                width: 50,
                colour: false,
            },
        );
        assert_eq!(narrow.matches("AS DECIDED").count(), 2, "{narrow}");
        assert!(
            narrow.lines().all(|line| line.chars().count() <= 84),
            "{narrow}"
        );
    }

    #[test]
    fn verdicts_have_colours_on_a_terminal() {
        let colourful = text(
            &[done()],
            Look {
                width: 100,
                colour: true,
            },
        );
        assert!(
            colourful.contains("\u{1b}[33mconsistent\u{1b}[0m")
                && colourful.contains("\u{1b}[32mreproduced\u{1b}[0m")
        );
    }

    #[test]
    fn several_papers_have_a_line_each() {
        let both = text(
            &[done(), done()],
            Look {
                width: 100,
                colour: false,
            },
        );
        assert!(
            both.ends_with(
                "4 rows: 2 reproduced, 0 undecided, 2 consistent, 0 missed; medians of 9 seeds\n"
            ),
            "{both}"
        );
        assert_eq!(
            both.matches(
                "someone-1999: 2 rows: 1 reproduced, 0 undecided, 1 consistent, 0 missed\n"
            )
            .count(),
            2
        );
    }
}
