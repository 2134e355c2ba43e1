//! A paper: its ledger, and its parts with what they measure.

use crate::memo::Memo;
use crate::{AboutPart, Bench, Error, Figure, Ledger, Options, Row, Settings, Table, Value};
use onramp_report::statistics::median;
use std::sync::atomic::Ordering;

/// A paper.
pub struct Paper {
    /// Its numbers and open questions.
    pub ledger: Ledger,
    /// How each part of it is measured, in the ledger's order.
    pub parts: Vec<Part>,
    /// Scenario files that run the paper's networks on a real kernel, beside today's congestion
    /// controls.
    pub kernel: &'static [&'static str],
    /// Draws figures from the transfers of `kernel`.
    pub kernel_figures: Option<KernelFigures>,
}

/// Draws a paper's figures from the transfers of its [`kernel`](Paper::kernel) scenarios, in their
/// order and with traces.
pub type KernelFigures = fn(&[onramp_report::Run]) -> Vec<Figure>;

/// A part of a paper: rows that come from the same runs and are measured together.
pub struct Part {
    /// What the ledger says of it.
    pub about: AboutPart,
    /// Measures it.
    pub measure: Measure,
}

/// Measures a part.
pub type Measure = fn(&Bench<'_>) -> Result<Measured, Error>;

/// The results of a part's runs.
#[derive(Clone, Debug, Default)]
pub struct Measured {
    pub(crate) rows: Vec<(String, Samples)>,
    /// The figures, redrawn.
    pub figures: Vec<Figure>,
    /// Studies of our own, for which the paper has no row.
    pub tables: Vec<Table>,
    /// Further findings, in sentences.
    pub remarks: Vec<String>,
}

/// What was measured for a row.
#[derive(Clone, Debug)]
pub enum Samples {
    /// One number for each seed.
    Numbers(Vec<f64>),
    /// Whether a statement is true, for each seed.
    Answers(Vec<bool>),
    /// A value without random events.
    Exactly(Value),
}

impl Samples {
    /// The measured value: the median of the numbers, or the answer of most seeds.
    pub fn value(&self) -> Value {
        match self {
            Samples::Exactly(value) => value.clone(),
            Samples::Numbers(numbers) => Value::Number(median(happened(numbers))),
            Samples::Answers(answers) => {
                let yes = answers.iter().filter(|yes| **yes).count();
                Value::yes_no(2 * yes > answers.len())
            }
        }
    }
}

/// The values of the seeds in which the event happened.
pub(crate) fn happened(numbers: &[f64]) -> Vec<f64> {
    let happened = numbers.iter().copied().filter(|number| !number.is_nan());
    happened.collect()
}

impl Measured {
    /// The rows that were measured, by id.
    pub fn samples(&self) -> impl Iterator<Item = (&str, &Samples)> {
        self.rows.iter().map(|(id, samples)| (id.as_str(), samples))
    }

    /// Adds a row's numbers, one for each seed.
    pub fn numbers(&mut self, id: impl Into<String>, numbers: impl IntoIterator<Item = f64>) {
        self.rows
            .push((id.into(), Samples::Numbers(numbers.into_iter().collect())));
    }

    /// Adds whether a row's statement is true, for each seed.
    pub fn answers(&mut self, id: impl Into<String>, answers: impl IntoIterator<Item = bool>) {
        self.rows
            .push((id.into(), Samples::Answers(answers.into_iter().collect())));
    }

    /// Adds a row's value that does not depend on the seed.
    pub fn exactly(&mut self, id: impl Into<String>, value: Value) {
        self.rows.push((id.into(), Samples::Exactly(value)));
    }
}

impl Part {
    /// Measures it with this many seeds.
    pub(crate) fn run(
        &self,
        options: &Options<'_>,
        seeds: usize,
        alternative: Settings,
        memo: &Memo,
    ) -> Result<Measured, Error> {
        self.check_not_stopped(options)?;
        let bench = Bench::new(options, &self.about.scenarios, alternative);
        (self.measure)(&bench.with_seeds(seeds).sharing(memo))
    }

    /// Preparing the cases of many seeds takes a while, which a stopped reproduction must not.
    fn check_not_stopped(&self, options: &Options<'_>) -> Result<(), Error> {
        match options.sim.stop.load(Ordering::Relaxed) {
            false => Ok(()),
            true => Err(Error::Simulator {
                scenario: self.about.title.clone(),
                error: onramp_sim::Error::Stopped,
            }),
        }
    }

    /// Whether any of these keys is for one of its scenarios.
    pub(crate) fn is_changed_by(&self, settings: &Settings) -> bool {
        self.about
            .scenarios
            .iter()
            .any(|scenario| settings.concern(scenario))
    }

    /// Whether the row is one of its own.
    pub fn has(&self, row: &Row) -> bool {
        self.about.ids.iter().any(|id| belongs(&row.id, id))
    }
}

/// Whether a row has this id, or one that begins with it and a dot.
pub(crate) fn belongs(row: &str, id: &str) -> bool {
    let rest = row.strip_prefix(id);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

impl Paper {
    /// The paper with the parts of its ledger, each with the measurement of its name.
    pub(crate) fn new(
        ledger: Ledger,
        measures: &[(&str, Measure)],
        kernel: &'static [&'static str],
    ) -> Paper {
        let part = |about: &AboutPart| {
            let measure = measures.iter().find(|(name, _)| *name == about.measure);
            Part {
                about: about.clone(),
                measure: measure.expect("the ledger names measurements").1,
            }
        };
        Paper {
            parts: ledger.parts.iter().map(part).collect(),
            ledger,
            kernel,
            kernel_figures: None,
        }
    }

    /// The parts to reproduce: all, or only the quick ones.
    pub(crate) fn chosen(&self, quick: bool) -> impl Iterator<Item = &Part> {
        let parts = self.parts.iter();
        parts.filter(move |part| part.about.is_quick || !quick)
    }

    /// How many times [`reproduce`](crate::reproduce()) measures a part, for a progress bar.
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
