//! The verdict on a row: the paper's one run beside the runs of many seeds.

use crate::expectation::{Claim, Expected, Rule, Value};
use crate::paper::{happened, Samples};
use crate::Row;
use onramp_report::statistics::{median, quantile};
use serde::Serialize;
use std::cmp::Ordering;

/// The share of the seeds on either side of their central half.
const QUARTER: f64 = 0.25;
/// The share of the seeds on either side of their central 90 %, and the least share of them that
/// must agree by the rule where chance is to explain a miss.
const TAIL: f64 = 0.05;

/// By how many standard errors a share must differ from a quarter, or from three quarters, to be
/// clearly on one side.
const CLEAR_ERRORS: f64 = 2.0;

/// What the runs of all seeds say of a row.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Seeds {
    /// Number of seeds in which the measured event happened.
    pub count: usize,
    /// The central half of the seeds: from the first to the third quartile.
    #[serde(serialize_with = "numbers_or_null")]
    pub half: [f64; 2],
    /// The central 90 % of the seeds.
    #[serde(serialize_with = "numbers_or_null")]
    pub central: [f64; 2],
    /// Share of the seeds that agree with the paper by the row's rule.
    pub within: f64,
    /// Share of the seeds that are below the paper's value. Seeds that are equal to it count half.
    /// For a claim the value is its bound.
    pub quantile: f64,
}

/// A row's verdict, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// It follows from equations or from how the run is built, so that no measurement could
    /// contradict it. It does not count.
    Algebra,
    /// The whole central half of the seeds agrees with the paper by the row's rule: clearly fewer
    /// than a quarter are below what agrees, and clearly fewer than a quarter above it.
    Reproduced,
    /// Neither reproduced nor one of the following; or other seeds have another verdict, or an
    /// answer that the paper leaves open decides it.
    Undecided,
    /// The whole half disagrees: clearly more than three quarters are below what agrees, or above
    /// it. But the paper's value has mass beside it: at least 5 % of the seeds agree by the rule,
    /// and a value lies within the central 90 % of them.
    Consistent,
    /// The whole half disagrees without such mass, or fewer than 5 % of the seeds agree.
    Missed,
}

impl Verdict {
    /// All of them.
    pub const ALL: [Verdict; 5] = [
        Verdict::Reproduced,
        Verdict::Undecided,
        Verdict::Consistent,
        Verdict::Missed,
        Verdict::Algebra,
    ];

    /// The word in tables.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Algebra => "algebra",
            Verdict::Reproduced => "reproduced",
            Verdict::Undecided => "undecided",
            Verdict::Consistent => "consistent",
            Verdict::Missed => "missed",
        }
    }

    /// Whether a row of this verdict needs no cause: it is reproduced, or does not count.
    pub fn is_good(self) -> bool {
        matches!(self, Verdict::Reproduced | Verdict::Algebra)
    }
}

/// A row's measured value, its seeds and its verdict.
pub(crate) fn judge(row: &Row, samples: &Samples) -> (Value, Option<Seeds>, Verdict) {
    let (seeds, verdict) = measured(row, samples);
    let verdict = match verdict {
        _ if row.is_algebra => Verdict::Algebra,
        _ if !row.undecided.is_empty() => Verdict::Undecided,
        verdict => verdict,
    };
    (samples.value(), seeds, verdict)
}

impl Row {
    /// The verdict by these samples alone, whatever the ledger withholds.
    pub fn verdict_by(&self, samples: &Samples) -> Verdict {
        measured(self, samples).1
    }
}

fn measured(row: &Row, samples: &Samples) -> (Option<Seeds>, Verdict) {
    match samples {
        Samples::Exactly(value) => match row.expected.agrees(row.rule, value) {
            true => (None, Verdict::Reproduced),
            false => (None, Verdict::Missed),
        },
        Samples::Numbers(numbers) => by_seeds(&row.expected, row.rule, numbers),
        Samples::Answers(answers) => {
            let as_expected = |yes: &bool| row.expected.agrees(row.rule, &Value::yes_no(*yes));
            let agreeing: Vec<f64> = answers.iter().map(|yes| as_expected(yes).into()).collect();
            let one = Expected::Value(Value::Number(1.0));
            by_seeds(&one, Rule::Exact, &agreeing)
        }
    }
}

fn by_seeds(expected: &Expected, rule: Rule, numbers: &[f64]) -> (Option<Seeds>, Verdict) {
    let mut numbers = happened(numbers);
    if numbers.is_empty() {
        return (None, Verdict::Missed);
    }
    numbers.sort_by(f64::total_cmp);
    let count = numbers.len();
    let share =
        |is: &dyn Fn(f64) -> bool| numbers.iter().filter(|n| is(**n)).count() as f64 / count as f64;
    let paper = papers_number(expected, &numbers);
    let of_place = |place: Ordering| share(&|n| expected.place(rule, n) == place);
    let seeds = Seeds {
        count,
        half: around(&numbers, QUARTER),
        central: around(&numbers, TAIL),
        within: of_place(Ordering::Equal),
        quantile: share(&|n| n < paper) + share(&|n| n == paper) / 2.0,
    };
    let outside = [Ordering::Less, Ordering::Greater].map(of_place);
    (Some(seeds), verdict(expected, &seeds, outside, paper))
}

/// The verdict by the shares of the seeds that are below and above what agrees.
fn verdict(expected: &Expected, seeds: &Seeds, outside: [f64; 2], paper: f64) -> Verdict {
    let error = (QUARTER * (1.0 - QUARTER) / seeds.count as f64).sqrt();
    let is_clear = |share: f64, edge: f64| (share - edge).abs() >= CLEAR_ERRORS * error;
    let agrees = |share: f64| share < QUARTER && is_clear(share, QUARTER);
    let disagrees = |share: f64| share > 1.0 - QUARTER && is_clear(share, 1.0 - QUARTER);
    let [from, to] = seeds.central;
    let is_central = match expected {
        Expected::Value(_) => (from..=to).contains(&paper),
        Expected::Claim(_) => true,
    };
    match (seeds.within >= TAIL, is_central) {
        (false, _) => Verdict::Missed,
        (true, _) if outside.into_iter().all(agrees) => Verdict::Reproduced,
        (true, true) if outside.into_iter().any(disagrees) => Verdict::Consistent,
        (true, false) if outside.into_iter().any(disagrees) => Verdict::Missed,
        _ => Verdict::Undecided,
    }
}

/// The paper's number; of a claim its bound, of two the nearer one to most seeds.
fn papers_number(expected: &Expected, sorted: &[f64]) -> f64 {
    match expected {
        Expected::Value(Value::Number(number)) => *number,
        Expected::Claim(Claim::Above(bound) | Claim::Below(bound)) => *bound,
        Expected::Claim(Claim::Between(min, max)) => match median(sorted) < *min {
            true => *min,
            false => *max,
        },
        Expected::Value(Value::Text(_)) => f64::NAN,
    }
}

/// All but this share of the values at either end.
fn around(numbers: &[f64], outer: f64) -> [f64; 2] {
    [outer, 1.0 - outer].map(|share| quantile(numbers.to_vec(), share))
}

/// JSON has no infinite numbers.
fn numbers_or_null<S: serde::Serializer>(
    numbers: &[f64; 2],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    numbers
        .map(|number| number.is_finite().then_some(number))
        .serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdict on these numbers, and what the seeds say.
    fn judged(
        expected: &str,
        rule: &str,
        numbers: impl IntoIterator<Item = f64>,
    ) -> (Verdict, Seeds) {
        let row = row(expected, rule, "");
        let (_, seeds, verdict) = judge(&row, &Samples::Numbers(numbers.into_iter().collect()));
        (verdict, seeds.unwrap())
    }

    fn row(expected: &str, rule: &str, more: &str) -> Row {
        let text = format!(
            "id = 'X'\nwhat = ''\nsection = ''\nexpected = {expected}\nrule = '{rule}'\n{more}"
        );
        toml::from_str(&text).unwrap()
    }

    fn hundred() -> impl Iterator<Item = f64> {
        (1..=100).map(f64::from)
    }

    #[test]
    fn only_a_whole_central_half_within_the_rule_is_reproduced() {
        let (_, seeds) = judged("50", "10 %", hundred());
        assert_eq!((seeds.half, seeds.central), ([25.0, 75.0], [5.0, 95.0]));
        let verdict = |expected, rule| judged(expected, rule, hundred()).0;
        assert_eq!(verdict("50", "70 %"), Verdict::Reproduced);
        assert_eq!(
            verdict("50", "10 %"),
            Verdict::Undecided,
            "both bounds are in it"
        );
        assert_eq!(verdict("60", "50 %"), Verdict::Undecided);
        assert_eq!(verdict("'> 16'", "shape"), Verdict::Reproduced);
        assert_eq!(verdict("'> 50'", "shape"), Verdict::Undecided);
        assert_eq!(verdict("'< 16'", "shape"), Verdict::Consistent);
        assert_eq!(verdict("'< 5'", "shape"), Verdict::Missed);
    }

    #[test]
    fn a_share_that_may_be_on_either_side_of_its_edge_is_undecided() {
        let agreeing = |yes: usize, of: usize| {
            let answers = (0..of).map(|seed| seed < yes).collect();
            judge(&row("'yes'", "shape", ""), &Samples::Answers(answers)).2
        };
        assert_eq!(agreeing(80, 100), Verdict::Undecided);
        assert_eq!(agreeing(84, 100), Verdict::Reproduced);
        assert_eq!(agreeing(320, 400), Verdict::Reproduced);
        assert_eq!(agreeing(20, 100), Verdict::Undecided);
        assert_eq!(agreeing(16, 100), Verdict::Consistent);
        assert_eq!(agreeing(11, 11), Verdict::Undecided, "too few seeds");
    }

    #[test]
    fn a_value_between_two_modes_is_not_consistent() {
        let modes = || (0..100).map(|n| if n % 10 == 0 { 20.0 } else { 100.0 });
        let (verdict, seeds) = judged("60", "10 %", modes());
        assert_eq!((verdict, seeds.within), (Verdict::Missed, 0.0));
        let halves = || (0..100).map(|n| if n % 2 == 0 { 20.0 } else { 100.0 });
        assert_eq!(judged("60", "10 %", halves()).0, Verdict::Missed);
        assert_eq!(judged("20", "10 %", modes()).0, Verdict::Consistent);
        assert_eq!(judged("94", "10 %", hundred()).0, Verdict::Consistent);
        assert_eq!(
            judged("98", "10 %", hundred()).0,
            Verdict::Missed,
            "the outer twentieth"
        );
    }

    #[test]
    fn seeds_without_the_event_do_not_count() {
        let numbers = [f64::NAN, 5.0, f64::NAN, 5.0];
        assert_eq!(judged("5", "10 %", numbers).1.count, 2);
        let none = judge(&row("5", "10 %", ""), &Samples::Numbers(vec![f64::NAN]));
        assert_eq!((none.1, none.2), (None, Verdict::Missed));
    }

    #[test]
    fn answers_are_judged_by_the_share_that_agrees() {
        let of = |yes: usize| {
            let answers = (0..100).map(|seed| seed < yes).collect();
            judge(&row("'yes'", "shape", ""), &Samples::Answers(answers))
        };
        assert_eq!(of(90).2, Verdict::Reproduced);
        assert_eq!(
            (of(55).2, of(55).0),
            (Verdict::Undecided, Value::yes_no(true))
        );
        assert_eq!((of(10).2, of(2).2), (Verdict::Consistent, Verdict::Missed));
    }

    #[test]
    fn a_ledger_can_withhold_a_verdict() {
        let verdict = |more| {
            judge(
                &row("5", "exact", more),
                &Samples::Exactly(Value::Number(5.0)),
            )
            .2
        };
        assert_eq!(verdict(""), Verdict::Reproduced);
        assert_eq!(verdict("algebra = true"), Verdict::Algebra);
        assert_eq!(verdict("undecided = 'other seeds'"), Verdict::Undecided);
    }
}
