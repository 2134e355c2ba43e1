//! Measuring a paper's rows, judging them, and measuring them again under the alternatives.

use crate::expectation::{Expected, Rule, Value};
use crate::statistics::median;
use crate::{study_table, Bench, Error, Options, Paper, Row, Settings, Table};
use onramp_report::reproduction::PageFigure;
use serde::Serialize;

/// A part of a paper that is measured together: rows that come from the same runs.
pub struct Part {
    /// What its rows' ids begin with.
    pub ids: &'static [&'static str],
    /// Its heading.
    pub title: &'static str,
    /// It takes seconds even in a build for debugging.
    pub quick: bool,
    /// Names of the scenarios that it runs; none where nothing that the paper leaves open has a
    /// part in it.
    pub scenarios: &'static [&'static str],
    /// Measures it.
    pub measure: fn(&Bench<'_>) -> Result<Measured, Error>,
}

/// What a part's runs gave.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    rows: Vec<(String, Samples)>,
    /// The figures, redrawn.
    pub figures: Vec<Figure>,
    /// What the runs show for which the paper has no row: studies of our own.
    pub tables: Vec<Table>,
    /// What else the runs show, in sentences.
    pub remarks: Vec<String>,
}

#[derive(Clone, Debug)]
enum Samples {
    /// One of each seed.
    Numbers(Vec<f64>),
    /// No seed has a part in it.
    Exactly(Value),
}

/// A figure, drawn.
#[derive(Clone, Debug)]
pub struct Figure {
    /// SVG.
    pub svg: String,
    /// The sentence below it.
    pub caption: String,
}

/// A row, measured and judged: what `--json` prints.
#[derive(Clone, Debug, Serialize)]
pub struct Record {
    /// The paper's id.
    pub paper: String,
    /// The row's.
    pub id: String,
    /// What it is.
    pub what: String,
    /// What the paper says.
    pub expected: Expected,
    /// What was measured: the median of all seeds.
    pub measured: Value,
    /// The least and the most of the seeds; null without chance.
    pub spread: Option<[f64; 2]>,
    /// Of both.
    pub unit: String,
    /// How it counts.
    pub rule: Rule,
    /// Whether it agrees, by the rule.
    pub reproduced: bool,
    /// How it is measured; where it misses, why.
    pub note: String,
    /// Where the paper says it.
    pub section: String,
}

/// What a choice does to the rows.
#[derive(Clone, Debug)]
pub struct Influence {
    /// The question.
    pub question: String,
    /// Each alternative's name, and the records of the parts that it changes.
    pub alternatives: Vec<(String, Vec<Record>)>,
}

/// A part of a paper, reproduced: all but its records, which are with those of the other parts.
#[derive(Clone, Debug)]
pub struct ReproducedPart {
    /// Its heading.
    pub title: &'static str,
    /// The place of its first record; they end where those of the next part begin.
    pub first_record: usize,
    /// Its figures, redrawn.
    pub figures: Vec<Figure>,
    /// Its tables.
    pub tables: Vec<Table>,
    /// What else the runs show, in sentences.
    pub remarks: Vec<String>,
}

/// A paper, reproduced.
#[derive(Clone, Debug)]
pub struct Reproduction {
    /// Its rows, in the ledger's order.
    pub records: Vec<Record>,
    /// Its parts.
    pub parts: Vec<ReproducedPart>,
    /// What its open questions do to the rows.
    pub influences: Vec<Influence>,
    /// How many seeds there were.
    pub seeds: usize,
}

impl Figure {
    /// For a page.
    pub fn page_figure(&self) -> PageFigure {
        PageFigure {
            svg: self.svg.clone(),
            caption: self.caption.clone(),
        }
    }
}

impl Measured {
    /// Adds a row's numbers, one of each seed.
    pub fn numbers(&mut self, id: impl Into<String>, numbers: impl IntoIterator<Item = f64>) {
        self.rows
            .push((id.into(), Samples::Numbers(numbers.into_iter().collect())));
    }

    /// Adds what no seed has a part in.
    pub fn exactly(&mut self, id: impl Into<String>, value: Value) {
        self.rows.push((id.into(), Samples::Exactly(value)));
    }
}

impl Record {
    fn new(paper: &Paper, row: &Row, samples: &Samples) -> Record {
        let (measured, spread) = match samples {
            Samples::Exactly(value) => (value.clone(), None),
            Samples::Numbers(numbers) => {
                let least = numbers.iter().copied().fold(f64::INFINITY, f64::min);
                let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                // Of none, or of nothing but what did not happen, there is neither.
                (
                    Value::Number(median(numbers)),
                    (least <= most).then_some([least, most]),
                )
            }
        };
        let reproduced = row.expected.agrees(row.rule, &measured);
        let said = [row.note.as_str(), if reproduced { "" } else { &row.cause }];
        Record {
            paper: paper.ledger.id.clone(),
            id: row.id.clone(),
            what: row.what.clone(),
            expected: row.expected.clone(),
            measured,
            spread,
            unit: row.unit.clone(),
            rule: row.rule,
            reproduced,
            note: said
                .into_iter()
                .filter(|said| !said.is_empty())
                .collect::<Vec<_>>()
                .join(" "),
            section: row.section.clone(),
        }
    }
}

impl Part {
    fn run(&self, options: &Options<'_>, alternative: Settings) -> Result<Measured, Error> {
        (self.measure)(&Bench::new(options, self.scenarios, alternative))
    }

    /// Do these keys belong to any of its scenarios?
    fn is_changed_by(&self, settings: &Settings) -> bool {
        self.scenarios
            .iter()
            .any(|scenario| settings.concern(scenario))
    }

    fn has(&self, row: &Row) -> bool {
        self.ids.iter().any(|id| {
            row.id == *id
                || row
                    .id
                    .strip_prefix(id)
                    .is_some_and(|rest| rest.starts_with('.'))
        })
    }
}

impl Paper {
    /// The parts to reproduce: all, or those that take seconds.
    fn chosen(&self, quick: bool) -> impl Iterator<Item = &'static Part> {
        self.parts.iter().filter(move |part| part.quick || !quick)
    }

    /// How often a part is measured by [`reproduce`], for a progress bar: all of them together.
    pub fn steps(&self, quick: bool, alternatives: bool) -> usize {
        let all = self
            .ledger
            .choices
            .iter()
            .filter(|_| alternatives)
            .flat_map(|choice| &choice.alternatives);
        let again = |settings: &Settings| {
            self.chosen(quick)
                .filter(|part| part.is_changed_by(settings))
                .count()
        };
        self.chosen(quick).count()
            + all
                .map(|alternative| again(&Settings::of_table(&alternative.set)))
                .sum::<usize>()
    }
}

/// Measures a paper's rows and judges them; with `alternatives`, again under each of them.
///
/// # Errors
/// The simulator's, among them that it was stopped.
///
/// # Panics
/// Where a part has no measurement for a row of its own, or one that is not in the ledger; where a
/// [`Table`] is not as its fields demand.
pub fn reproduce(
    paper: &Paper,
    quick: bool,
    alternatives: bool,
    options: &Options<'_>,
) -> Result<Reproduction, Error> {
    let mut reproduction = Reproduction {
        records: Vec::new(),
        parts: Vec::new(),
        influences: Vec::new(),
        seeds: options.seeds,
    };
    for part in paper.chosen(quick) {
        let measured = part.run(options, Settings::default())?;
        let first_record = reproduction.records.len();
        reproduction.records.extend(records(paper, part, &measured));
        let Measured {
            figures,
            tables,
            remarks,
            ..
        } = measured;
        reproduction.parts.push(ReproducedPart {
            title: part.title,
            first_record,
            figures,
            tables,
            remarks,
        });
        (options.progress)();
    }
    study_table::check(reproduction.parts.iter().flat_map(|part| &part.tables));
    for choice in paper.ledger.choices.iter().filter(|_| alternatives) {
        let mut influence = Influence {
            question: choice.question.clone(),
            alternatives: Vec::new(),
        };
        for alternative in &choice.alternatives {
            let settings = Settings::of_table(&alternative.set);
            let mut all = Vec::new();
            for part in paper
                .chosen(quick)
                .filter(|part| part.is_changed_by(&settings))
            {
                all.extend(records(paper, part, &part.run(options, settings.clone())?));
                (options.progress)();
            }
            influence.alternatives.push((alternative.name.clone(), all));
        }
        reproduction.influences.push(influence);
    }
    Ok(reproduction)
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
