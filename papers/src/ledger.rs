//! A paper's `paper.toml`: its numbers and statements, row by row, and its open questions.

use crate::expectation::{Claim, Expected, Rule, Value};
use onramp_plot::plot::Axis;
use serde::Deserialize;

/// A paper's ledger.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ledger {
    /// The paper's name on the command line.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Authors, place and year.
    pub citation: String,
    /// The reproduced measurements and the method, in paragraphs.
    pub about: Vec<String>,
    /// The parts in which it is measured, in the order of their rows.
    #[serde(rename = "part", default)]
    pub parts: Vec<AboutPart>,
    /// The words of its figures.
    #[serde(rename = "figure", default)]
    pub figures: Vec<AboutFigure>,
    /// The words of its tables.
    #[serde(rename = "table", default)]
    pub tables: Vec<AboutTable>,
    /// The paper's measurements, in its order.
    #[serde(rename = "row")]
    pub rows: Vec<Row>,
    /// The questions that the paper leaves open, each decided once.
    #[serde(rename = "choice", default)]
    pub choices: Vec<Choice>,
    /// Paragraphs about its [`kernel`](crate::Paper::kernel) scenarios.
    #[serde(default)]
    pub kernel: Vec<String>,
    /// The changes of rows and choices, oldest first. The last one has the digest of today's.
    #[serde(default)]
    pub changed: Vec<Changed>,
}

/// A part in the ledger.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AboutPart {
    /// The name of its measurement.
    pub measure: String,
    /// Its heading.
    pub title: String,
    /// Prefixes of its rows' ids.
    pub ids: Vec<String>,
    /// Names of the scenarios that it runs. Empty if no open question affects it.
    pub scenarios: Vec<String>,
    /// Whether it takes seconds only, even in a debug build.
    #[serde(default, rename = "quick")]
    pub is_quick: bool,
    /// Whether its runs are so long that it has fewer seeds than others.
    #[serde(default, rename = "long")]
    pub is_long: bool,
}

/// The words of a figure in the ledger.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AboutFigure {
    /// Its name, as [`Figure::name`](crate::Figure::name).
    pub name: String,
    /// The title above it.
    pub title: String,
    /// The horizontal axis of a plot.
    #[serde(default)]
    pub x: Axis,
    /// The vertical axis of a plot.
    #[serde(default)]
    pub y: Axis,
    /// The sentence below it.
    pub caption: String,
}

/// The words of a table of a study in the ledger.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AboutTable {
    /// Its name, as [`Table::name`](crate::Table::name).
    pub name: String,
    /// The sentence above it.
    pub caption: String,
    /// The names of its columns, with units.
    pub head: Vec<String>,
}

/// A number or statement of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The row's name, unique among all papers.
    pub id: String,
    /// A description.
    pub what: String,
    /// Section and figure of the paper.
    pub section: String,
    /// The paper's value or claim.
    pub expected: Expected,
    /// Unit of the number; empty where there is none.
    #[serde(default)]
    pub unit: String,
    /// When it counts as reproduced.
    pub rule: Rule,
    /// How it is measured, and misprints.
    #[serde(default)]
    pub note: String,
    /// Why it misses, for a row that does.
    #[serde(default)]
    pub cause: String,
    /// What kind of cause that is.
    #[serde(default)]
    pub kind: Option<Kind>,
    /// It follows from equations, or from how its run is built: no measurement could contradict it.
    #[serde(default, rename = "algebra")]
    pub is_algebra: bool,
    /// Why the row is undecided whatever the seeds say: others have another verdict, or an answer
    /// that the paper leaves open decides it. [`Ledger::read`] adds the alternatives that
    /// [decide](Alternative::decides) it.
    #[serde(default)]
    pub undecided: String,
}

impl Row {
    /// Whether the verdict does not follow from the measurement: it does not count, or something
    /// that is open decides it.
    pub fn is_withheld(&self) -> bool {
        self.is_algebra || !self.undecided.is_empty()
    }

    /// Says which answers to this question decide the row, if there are any.
    fn say_decided_by(&mut self, choice: &Choice) {
        let decides = |one: &&Alternative| one.decides.contains(&self.id);
        let answers = choice.alternatives.iter().filter(decides);
        let answers: Vec<&str> = answers.map(|one| one.name.as_str()).collect();
        if answers.is_empty() {
            return;
        }
        let separator = if self.undecided.is_empty() { "" } else { " " };
        self.undecided += &format!(
            "{separator}The paper leaves open: \"{}\" It is another result with: {}.",
            choice.question,
            answers.join("; ")
        );
    }
}

/// A change of a rule, an expected value or a choice.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Changed {
    /// The commit: its hash or subject.
    pub commit: String,
    /// The rows or the question.
    pub rows: String,
    /// What was changed, and why.
    pub reason: String,
    /// Whether the rows' results were known.
    pub after_measuring: bool,
    /// The digest of all rows and choices since then: see [`Ledger::digest`]. Of changes before
    /// there were digests, none.
    #[serde(default)]
    pub digest: String,
}

/// Why a row misses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A: the paper leaves something open that decides the row, and our answer may be another one.
    Reading,
    /// B: the paper's own numbers or rules contradict each other.
    Contradiction,
    /// C: chance; the row's [seeds](crate::Seeds) is the evidence.
    Chance,
}

impl Kind {
    /// The letter and the word in tables.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Reading => "A: our reading",
            Kind::Contradiction => "B: the paper contradicts itself",
            Kind::Chance => "C: chance",
        }
    }
}

/// A question that a paper leaves open.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// The question.
    pub question: String,
    /// The answer that the scenarios and their code implement.
    pub decided: String,
    /// The reason for it.
    pub reason: String,
    /// Other plausible answers that keys of the scenarios can set; there may be none.
    #[serde(rename = "alternative", default)]
    pub alternatives: Vec<Alternative>,
}

/// A plausible other answer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Alternative {
    /// A short name, for the head of a column.
    pub name: String,
    /// The scenario keys that it changes: see [`Settings`](crate::Settings).
    pub set: toml::Table,
    /// Ids of the rows that it decides: they agree with the paper by the decided answer and are not
    /// reproduced by this one, or agree by this one alone. A test measures it. They are undecided.
    #[serde(default)]
    pub decides: Vec<String>,
}

impl Ledger {
    /// Parses a ledger. All ledgers are part of the program.
    ///
    /// # Panics
    /// If the text is no ledger. A test reads them all.
    pub fn read(text: &str) -> Ledger {
        let mut ledger: Ledger = toml::from_str(text).unwrap_or_else(|error| panic!("{error}"));
        for row in &mut ledger.rows {
            for choice in &ledger.choices {
                row.say_decided_by(choice);
            }
        }
        ledger
    }

    /// The paper's number of a row, for a mark in a figure; of a claim, its bound, or the middle of
    /// its two bounds.
    ///
    /// # Panics
    /// If there is no such row, or no number in it. A test draws all figures.
    pub fn number(&self, row: &str) -> f64 {
        let row = self.rows.iter().find(|one| one.id == row);
        let row = row.unwrap_or_else(|| panic!("no such row in {}", self.id));
        match &row.expected {
            Expected::Value(Value::Number(number)) => *number,
            Expected::Claim(Claim::Above(bound) | Claim::Below(bound)) => *bound,
            Expected::Claim(Claim::Between(min, max)) => (min + max) / 2.0,
            Expected::Value(Value::Text(text)) => text
                .parse()
                .unwrap_or_else(|_| panic!("{} has no number", row.id)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rows_that_an_alternative_decides_are_undecided_and_say_so() {
        let row = |id: &str| {
            format!("[[row]]\nid = '{id}'\nwhat = ''\nsection = ''\n")
                + "expected = 1\nrule = 'exact'\n"
        };
        let text = "id = ''\ntitle = ''\ncitation = ''\nabout = []\n".to_owned()
            + &row("X.one")
            + "undecided = 'Other seeds do.'\n"
            + &row("X.two")
            + "[[choice]]\nquestion = 'How?'\ndecided = 'So.'\nreason = ''\n\
               [[choice.alternative]]\nname = 'thus'\nset = {}\ndecides = ['X.one']\n\
               [[choice.alternative]]\nname = 'else'\nset = {}\ndecides = ['X.one']\n";
        let ledger = Ledger::read(&text);
        assert_eq!(
            ledger.rows[0].undecided,
            "Other seeds do. The paper leaves open: \"How?\" It is another result with: thus; else."
        );
        assert!(ledger.rows[0].is_withheld() && !ledger.rows[1].is_withheld());
    }

    #[test]
    fn alternatives_decide_rows_that_exist() {
        for paper in crate::papers() {
            let ledger = &paper.ledger;
            let alternatives = ledger.choices.iter().flat_map(|one| &one.alternatives);
            for id in alternatives.flat_map(|one| &one.decides) {
                assert!(ledger.rows.iter().any(|row| row.id == *id), "{id}");
            }
        }
    }
}
