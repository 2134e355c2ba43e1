//! What chance makes of a row: the paper's one run among the runs of many seeds.

use crate::expectation::{Claim, Expected, Rule, Value};
use crate::paper::Samples;
use serde::Serialize;

/// The share of seeds on either side of a value that is consistent with them: the central 90 %.
const TAIL: f64 = 0.05;

/// The paper's value among the values of many seeds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Chance {
    /// Number of seeds in which the measured event happened.
    pub seeds: usize,
    /// Share of the seeds that are below the paper's value. Seeds that are equal to it count half.
    /// For a claim the value is its bound.
    pub quantile: f64,
    /// Share of the seeds that agree with the paper by the row's rule.
    pub within: f64,
    /// The paper's value lies within the central 90 % of the seeds. For a claim: it is true of at
    /// least 5 % of them.
    pub consistent: bool,
}

/// A row's verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The median agrees with the paper by the row's rule.
    Reproduced,
    /// It does not, but the paper's value is [consistent](Chance::consistent) with the seeds.
    Consistent,
    /// Neither.
    Missed,
}

impl Verdict {
    /// The word in tables.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Reproduced => "reproduced",
            Verdict::Consistent => "consistent",
            Verdict::Missed => "missed",
        }
    }
}

impl Chance {
    /// The place of the paper's value among these; `None` where nothing is random.
    pub(crate) fn of(expected: &Expected, rule: Rule, samples: &Samples) -> Option<Chance> {
        let Samples::Numbers(numbers) = samples else {
            return None;
        };
        let numbers: Vec<f64> = numbers.iter().copied().filter(|n| n.is_finite()).collect();
        let first = *numbers.first()?;
        if numbers.iter().all(|number| *number == first) {
            return None;
        }
        let share = |is: &dyn Fn(f64) -> bool| {
            numbers.iter().filter(|number| is(**number)).count() as f64 / numbers.len() as f64
        };
        let within = share(&|number| expected.agrees(rule, &Value::Number(number)));
        let (bound, is_claim) = match expected {
            Expected::Value(Value::Number(number)) => (*number, false),
            Expected::Claim(Claim::Above(min)) => (*min, true),
            Expected::Claim(Claim::Below(max)) => (*max, true),
            Expected::Claim(Claim::Between(min, max)) => {
                let below = share(&|number| number < *min);
                (if below > 0.5 { *min } else { *max }, true)
            }
            Expected::Value(Value::Text(_)) => return None,
        };
        let quantile = share(&|number| number < bound) + share(&|number| number == bound) / 2.0;
        Some(Chance {
            seeds: numbers.len(),
            quantile,
            within,
            consistent: match is_claim {
                true => within >= TAIL,
                false => (TAIL..=1.0 - TAIL).contains(&quantile),
            },
        })
    }

    /// `the paper's value is above 90 % of 200 seeds; 3 % of them agree by the rule`.
    pub fn text(&self) -> String {
        format!(
            "the paper's value is above {} of {} seeds; {} of them agree by the rule",
            percent(self.quantile),
            self.seeds,
            percent(self.within),
        )
    }
}

/// A share in whole percent; only no seed at all is `0 %`.
fn percent(share: f64) -> String {
    match share {
        share if share > 0.0 && share < 0.01 => "less than 1 %".to_owned(),
        share if share < 1.0 && share > 0.99 => "more than 99 %".to_owned(),
        share => format!("{:.0} %", 100.0 * share),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chance(expected: Expected, rule: Rule) -> Chance {
        let numbers = (1..=100).map(f64::from).collect();
        Chance::of(&expected, rule, &Samples::Numbers(numbers)).unwrap()
    }

    fn value(number: f64) -> Expected {
        Expected::Value(Value::Number(number))
    }

    #[test]
    fn the_quantile_is_the_share_of_seeds_below_the_papers_value() {
        let ten = chance(value(90.5), Rule::Within(10.0));
        assert_eq!((ten.seeds, ten.quantile), (100, 0.9));
        // 81.45 to 99.55.
        assert_eq!((ten.within, ten.consistent), (0.18, true));
        assert_eq!(chance(value(90.0), Rule::Exact).quantile, 0.895);
        assert_eq!(
            ten.text(),
            "the paper's value is above 90 % of 100 seeds; 18 % of them agree by the rule"
        );
    }

    #[test]
    fn a_value_in_the_outer_twentieth_is_not_consistent() {
        assert!(chance(value(95.5), Rule::Exact).consistent);
        assert!(!chance(value(96.5), Rule::Exact).consistent);
        assert!(chance(value(5.5), Rule::Exact).consistent);
        assert!(!chance(value(4.5), Rule::Exact).consistent);
    }

    #[test]
    fn a_claim_is_consistent_where_a_twentieth_of_the_seeds_has_it() {
        let claim = |claim| chance(Expected::Claim(claim), Rule::Shape);
        assert!(claim(Claim::Below(6.0)).consistent);
        assert!(!claim(Claim::Below(5.0)).consistent);
        assert!(claim(Claim::Above(95.0)).consistent);
        assert!(!claim(Claim::Between(-5.0, 3.0)).consistent);
        assert_eq!(claim(Claim::Above(80.0)).within, 0.2);
    }

    #[test]
    fn without_chance_there_is_no_quantile() {
        let of = |samples| Chance::of(&value(1.0), Rule::Exact, &samples);
        assert_eq!(of(Samples::Numbers(vec![2.0, 2.0])), None);
        assert_eq!(of(Samples::Numbers(vec![f64::NAN])), None);
        assert_eq!(of(Samples::Exactly(Value::Number(2.0))), None);
        // A seed in which the event did not happen does not count.
        let some = of(Samples::Numbers(vec![0.0, f64::NAN, 3.0])).unwrap();
        assert_eq!((some.seeds, some.quantile), (2, 0.5));
    }
}
