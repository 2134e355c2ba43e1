//! Measures a paper's rows and judges them, as decided and under each alternative.

use crate::expectation::{Expected, Rule, Value};
use crate::judge::{judge, Seeds, Verdict};
use crate::memo::Memo;
use crate::paper::Samples;
use crate::{
    figure, study_table, Error, Figure, Ledger, Measured, Options, Paper, Part, Row, Settings,
    Table,
};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rayon::ThreadPoolBuilder;
use serde::Serialize;

/// A row, measured and judged: what `--json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// The paper's id.
    pub paper: String,
    /// The row's id.
    pub id: String,
    /// A description.
    pub what: String,
    /// The paper's value or claim.
    pub expected: Expected,
    /// The measured value: the median of all seeds.
    pub measured: Value,
    /// Unit of both.
    pub unit: String,
    /// When it counts as reproduced.
    pub rule: Rule,
    /// Whether it is reproduced.
    pub verdict: Verdict,
    /// What the seeds say; null without random events.
    pub seeds: Option<Seeds>,
    /// How it is measured; where it misses, why.
    pub note: String,
    /// Section and figure of the paper.
    pub section: String,
}

/// The effect of an open question on the rows.
#[derive(Clone, Debug)]
pub struct Influence {
    /// The question.
    pub question: String,
    /// Each alternative's name, and the records of the parts that it affects.
    pub alternatives: Vec<(String, Vec<Record>)>,
}

/// A reproduced part of a paper, except for its records, which stand in
/// [`Reproduction::records`].
#[derive(Clone, Debug)]
pub struct ReproducedPart {
    /// Its heading.
    pub title: String,
    /// Index of its first record. Its records end where those of the next part begin.
    pub first_record: usize,
    /// Its figures, redrawn.
    pub figures: Vec<Figure>,
    /// Its tables.
    pub tables: Vec<Table>,
    /// Further findings, in sentences.
    pub remarks: Vec<String>,
}

/// A paper, reproduced.
#[derive(Clone, Debug)]
pub struct Reproduction {
    /// Its rows, in the ledger's order.
    pub records: Vec<Record>,
    /// Its parts.
    pub parts: Vec<ReproducedPart>,
    /// The effect of its open questions on the rows.
    pub influences: Vec<Influence>,
    /// How many seeds there were.
    pub seeds: usize,
}

impl Record {
    fn new(paper: &Paper, row: &Row, samples: &Samples) -> Record {
        let (measured, seeds, verdict) = judge(row, samples);
        let has_cause = !verdict.is_good();
        let said = [
            row.note.as_str(),
            if has_cause { &row.cause } else { "" },
            &row.undecided,
        ];
        Record {
            paper: paper.ledger.id.clone(),
            id: row.id.clone(),
            what: row.what.clone(),
            expected: row.expected.clone(),
            measured,
            unit: row.unit.clone(),
            rule: row.rule,
            verdict,
            seeds,
            note: said
                .into_iter()
                .filter(|said| !said.is_empty())
                .collect::<Vec<_>>()
                .join(" "),
            section: row.section.clone(),
        }
    }

    /// Whether other seeds could have another verdict: the row depends on chance, counts, and its
    /// ledger does not call it undecided whatever the seeds say.
    pub fn can_flip(&self, ledger: &Ledger) -> bool {
        let row = ledger.rows.iter().find(|row| row.id == self.id);
        let never_happened = matches!(self.measured, Value::Number(number) if number.is_nan());
        (self.seeds.is_some() || never_happened) && !row.is_some_and(Row::is_withheld)
    }

    /// Whether the measured value alone agrees by the rule: less than a verdict.
    pub fn agrees(&self) -> bool {
        self.expected.agrees(self.rule, &self.measured)
    }
}

/// Measures a paper's rows and judges them; with `alternatives`, again under each of them.
///
/// # Errors
/// Errors of the simulator, including that it was stopped.
///
/// # Panics
/// If a part has no measurement for one of its rows, or has one that is not in the ledger, or if a
/// [`Table`] breaks the rules of its fields.
pub fn reproduce(
    paper: &Paper,
    quick: bool,
    alternatives: bool,
    options: &Options<'_>,
) -> Result<Reproduction, Error> {
    let is_wanted = |part: &&Part| {
        let mut rows = paper.ledger.rows.iter().filter(|row| part.has(row));
        options
            .other_seeds
            .is_none_or(|other| rows.any(|row| other.rows.contains(&row.id)))
    };
    let parts: Vec<&Part> = paper.chosen(quick).filter(is_wanted).collect();
    let tasks = match alternatives {
        true => alternative_tasks(paper, &parts),
        false => Vec::new(),
    };
    let memo = Memo::default();
    // All runs of all parts share the threads, so none is idle while a part ends.
    let pool = ThreadPoolBuilder::new()
        .num_threads(options.threads.max(1))
        .build()
        .expect("the system can start the threads");
    let (decided, again) = pool.install(|| {
        rayon::join(
            || {
                let decide = |part: &&Part| measure_decided(paper, part, options, &memo);
                parts.par_iter().map(decide).collect::<Result<_, _>>()
            },
            || {
                let measure = |task: &Task<'_>| task.measure(paper, options, &memo);
                tasks.par_iter().map(measure).collect::<Result<_, _>>()
            },
        )
    });
    let mut reproduction = Reproduction {
        records: Vec::new(),
        parts: Vec::new(),
        influences: influences(paper, alternatives, &tasks, again?),
        seeds: options.seeds,
    };
    let decided: Vec<(Vec<Record>, Measured)> = decided?;
    for (part, (judged, measured)) in parts.into_iter().zip(decided) {
        let first_record = reproduction.records.len();
        reproduction.records.extend(judged);
        let Measured {
            figures,
            tables,
            remarks,
            ..
        } = measured;
        reproduction.parts.push(ReproducedPart {
            title: part.about.title.clone(),
            first_record,
            figures,
            tables,
            remarks,
        });
    }
    study_table::check(reproduction.parts.iter().flat_map(|part| &part.tables));
    figure::check(reproduction.parts.iter().flat_map(|part| &part.figures));
    Ok(reproduction)
}

/// The most seeds of a part that is [long](Part::is_long).
const LONG_SEEDS: usize = 25;

/// Number of seeds under an alternative, which has no verdicts.
const ALTERNATIVE_SEEDS: usize = 9;

/// Measures a part with the decided answers.
fn measure_decided(
    paper: &Paper,
    part: &Part,
    options: &Options<'_>,
    memo: &Memo,
) -> Result<(Vec<Record>, Measured), Error> {
    let seeds = match part.about.is_long {
        true => options.seeds.min(LONG_SEEDS),
        false => options.seeds,
    };
    let measured = part.run(options, seeds, Settings::default(), memo)?;
    (options.progress)();
    Ok((records(paper, part, &measured), measured))
}

/// A part under an alternative.
struct Task<'a> {
    /// Number of the choice, and of the alternative in it.
    place: (usize, usize),
    settings: Settings,
    part: &'a Part,
}

impl Task<'_> {
    fn measure(
        &self,
        paper: &Paper,
        options: &Options<'_>,
        memo: &Memo,
    ) -> Result<Vec<Record>, Error> {
        let seeds = options.seeds.min(ALTERNATIVE_SEEDS);
        let measured = self.part.run(options, seeds, self.settings.clone(), memo)?;
        (options.progress)();
        Ok(records(paper, self.part, &measured))
    }
}

/// Each alternative with each part that it changes, in the ledger's order.
fn alternative_tasks<'a>(paper: &Paper, parts: &[&'a Part]) -> Vec<Task<'a>> {
    let mut tasks = Vec::new();
    for (choice, of_choice) in paper.ledger.choices.iter().enumerate() {
        for (number, alternative) in of_choice.alternatives.iter().enumerate() {
            let settings = Settings::of_table(&alternative.set);
            let changed = parts.iter().filter(|part| part.is_changed_by(&settings));
            tasks.extend(changed.map(|part| Task {
                place: (choice, number),
                settings: settings.clone(),
                part,
            }));
        }
    }
    tasks
}

/// The records of the tasks, by choice and alternative.
fn influences(
    paper: &Paper,
    alternatives: bool,
    tasks: &[Task<'_>],
    records: Vec<Vec<Record>>,
) -> Vec<Influence> {
    let choices = paper.ledger.choices.iter().filter(|_| alternatives);
    let mut all: Vec<Influence> = choices
        .map(|choice| Influence {
            question: choice.question.clone(),
            alternatives: choice
                .alternatives
                .iter()
                .map(|alternative| (alternative.name.clone(), Vec::new()))
                .collect(),
        })
        .collect();
    for (task, records) in tasks.iter().zip(records) {
        let (choice, number) = task.place;
        all[choice].alternatives[number].1.extend(records);
    }
    all.retain(|influence| !influence.alternatives.is_empty());
    all
}

fn records(paper: &Paper, part: &Part, measured: &Measured) -> Vec<Record> {
    let rows: Vec<&Row> = paper
        .ledger
        .rows
        .iter()
        .filter(|row| part.has(row))
        .collect();
    for (id, _) in &measured.rows {
        assert!(
            rows.iter().any(|row| row.id == *id),
            "{id} is not in the ledger of {}",
            paper.ledger.id
        );
    }
    let record = |row: &&Row| {
        let samples = measured.rows.iter().find(|(id, _)| *id == row.id);
        let (_, samples) = samples.unwrap_or_else(|| panic!("{} was not measured", row.id));
        Record::new(paper, row, samples)
    };
    rows.iter().map(record).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_row_belongs_to_one_part() {
        for paper in crate::papers() {
            for row in &paper.ledger.rows {
                let parts = paper.parts.iter().filter(|part| part.has(row)).count();
                assert_eq!(parts, 1, "{}", row.id);
            }
        }
    }

    #[test]
    fn ids_are_unique() {
        let mut ids: Vec<String> = crate::papers()
            .into_iter()
            .flat_map(|paper| paper.ledger.rows)
            .map(|row| row.id)
            .collect();
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}
