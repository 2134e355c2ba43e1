//! `onramp reproduce --flips N,N`: which verdicts other seeds change.

use super::{interrupted, options, reproduced};
use crate::cli::ReproduceArguments;
use crate::commands::runs;
use indicatif::ProgressBar;
use onramp_cli::failure::{Failure, DONE, MISSED};
use onramp_cli::text::{columns, count, out};
use onramp_cli::{print_json, Answer};
use onramp_papers::{OtherSeeds, Paper, Record, Verdict};
use serde::Serialize;
use std::collections::BTreeSet;

/// The `seed` of all scenarios in the first repetition; each further one has the next. The
/// scenarios' own are 1.
const FIRST_SEED: i64 = 1001;

/// A row with its verdicts.
#[derive(Serialize)]
struct Flip {
    id: String,
    /// With the own seeds, then with each number of others.
    verdicts: Vec<Verdict>,
}

/// Rows whose verdict no seed changes, as [`Record::can_flip`] says, are not measured again, except
/// beside others of their part.
pub fn run(papers: &[Paper], arguments: &ReproduceArguments, json: bool) -> Answer {
    let others = arguments.flips.iter().zip(FIRST_SEED..);
    let others = others.map(|(seeds, seed)| (*seeds, Some(seed)));
    let runs: Vec<_> = [(arguments.seeds, None)]
        .into_iter()
        .chain(others)
        .collect();
    let steps: usize = papers
        .iter()
        .map(|paper| paper.steps(arguments.quick, false))
        .sum();
    let progress = runs::progress(steps * runs.len());
    let (mut rows, mut can_flip) = (Vec::<Flip>::new(), BTreeSet::new());
    for (seeds, seed) in &runs {
        let other_seeds = seed.map(|seed| OtherSeeds {
            seed,
            rows: &can_flip,
        });
        let measured = measure(papers, arguments, (*seeds, other_seeds), &progress)?;
        let Some(records) = measured else {
            return Ok(interrupted(&progress));
        };
        if seed.is_none() {
            let ids = |record: &Record| {
                let paper = papers
                    .iter()
                    .find(|paper| paper.ledger.id == record.paper)?;
                record.can_flip(&paper.ledger).then(|| record.id.clone())
            };
            can_flip = records.iter().filter_map(ids).collect();
        }
        for Record { id, verdict, .. } in records {
            match rows.iter_mut().find(|row| row.id == id) {
                Some(row) => row.verdicts.push(verdict),
                None => rows.push(Flip {
                    id,
                    verdicts: vec![verdict],
                }),
            }
        }
    }
    progress.finish_and_clear();
    let measured = rows.len();
    rows.retain(|row| row.verdicts.iter().any(|one| *one != row.verdicts[0]));
    if json {
        print_json(&rows);
    } else {
        out(format_args!("{}", text(&rows, measured, &runs)));
    }
    Ok(if rows.is_empty() { DONE } else { MISSED })
}

/// The rows of all papers with this many seeds; `None` if the user interrupted it.
fn measure(
    papers: &[Paper],
    arguments: &ReproduceArguments,
    (seeds, other_seeds): (u16, Option<OtherSeeds<'_>>),
    progress: &ProgressBar,
) -> Result<Option<Vec<Record>>, Failure> {
    let step = || progress.inc(1);
    let options = options(arguments, seeds, other_seeds, &step);
    let mut records = Vec::new();
    for paper in papers {
        let Some(reproduction) = reproduced(paper, arguments.quick, false, &options)? else {
            return Ok(None);
        };
        records.extend(reproduction.records);
    }
    Ok(Some(records))
}

fn text(flips: &[Flip], measured: usize, runs: &[(u16, Option<i64>)]) -> String {
    let number = |(seeds, other): &(u16, Option<i64>)| match other {
        None => count((*seeds).into(), "seed"),
        Some(_) => format!("{seeds} others"),
    };
    let numbers: Vec<String> = runs.iter().map(number).collect();
    let sum = format!(
        "{} of {measured} rows have another verdict: {}\n",
        match flips.len() {
            0 => "none".to_owned(),
            some => some.to_string(),
        },
        numbers.join(", "),
    );
    if flips.is_empty() {
        return sum;
    }
    let head = std::iter::once(String::new()).chain(numbers).collect();
    let row = |flip: &Flip| {
        let names = flip
            .verdicts
            .iter()
            .map(|verdict| verdict.name().to_owned());
        std::iter::once(flip.id.clone()).chain(names).collect()
    };
    let rows: Vec<Vec<String>> = std::iter::once(head).chain(flips.iter().map(row)).collect();
    columns(&rows) + &sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_with_several_verdicts_are_shown_with_all_of_them() {
        let runs = [(200, None), (101, Some(FIRST_SEED))];
        let flip = Flip {
            id: "X.one".to_owned(),
            verdicts: vec![Verdict::Reproduced, Verdict::Undecided],
        };
        let shown = text(&[flip], 3, &runs);
        assert_eq!(
            shown,
            "       200 seeds   101 others\n\
             X.one  reproduced  undecided\n\
             1 of 3 rows have another verdict: 200 seeds, 101 others\n"
        );
        assert_eq!(
            text(&[], 3, &runs),
            "none of 3 rows have another verdict: 200 seeds, 101 others\n"
        );
    }
}
