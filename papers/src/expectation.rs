//! A paper's values and claims, and whether a measurement agrees with them.

use serde::de::{Deserializer, Error as _};
use serde::{Deserialize, Serialize, Serializer};
use std::cmp::Ordering;
use std::fmt;

/// A measured value, or a paper's.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number, in the row's unit.
    Number(f64),
    /// Digits that must match exactly, or a statement.
    Text(String),
}

/// A claim about a number, for rows of the rule `shape`.
#[derive(Clone, Debug, PartialEq)]
pub enum Claim {
    /// More than this.
    Above(f64),
    /// Less than this.
    Below(f64),
    /// From the first to the second, both included.
    Between(f64, f64),
}

/// The expected side of a row: the paper's.
#[derive(Clone, Debug, PartialEq)]
pub enum Expected {
    /// This value.
    Value(Value),
    /// A claim about the measured number.
    Claim(Claim),
}

/// When a row counts as reproduced.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// Every digit must match.
    Exact,
    /// The measured number differs from the paper's by at most this percentage.
    Within(f64),
    /// A statement about order, ratio or position, computed.
    Shape,
}

impl Value {
    /// `yes` or `no`, for a statement.
    pub fn yes_no(is: bool) -> Value {
        Value::Text(if is { "yes" } else { "no" }.to_owned())
    }
}

impl Expected {
    /// Whether the measured value agrees by this rule.
    pub fn agrees(&self, rule: Rule, measured: &Value) -> bool {
        match (self, measured) {
            (Expected::Claim(claim), Value::Number(number)) => claim.holds(*number),
            (Expected::Claim(_), Value::Text(_)) => false,
            (Expected::Value(Value::Number(paper)), Value::Number(ours)) => match rule {
                // The bound itself agrees. Binary fractions may miss it by a rounding error.
                Rule::Within(percent) => {
                    (ours - paper).abs() <= (percent / 100.0 + 1e-12) * paper.abs()
                }
                Rule::Exact | Rule::Shape => ours == paper,
            },
            (Expected::Value(paper), ours) => paper == ours,
        }
    }

    /// Where a number lies: equal if it agrees by this rule, else below or above what agrees.
    pub(crate) fn place(&self, rule: Rule, number: f64) -> Ordering {
        if self.agrees(rule, &Value::Number(number)) {
            return Ordering::Equal;
        }
        let is_below = match self {
            Expected::Claim(Claim::Above(_)) => true,
            Expected::Claim(Claim::Below(_)) => false,
            Expected::Claim(Claim::Between(min, _)) => number < *min,
            Expected::Value(Value::Number(paper)) => number < *paper,
            Expected::Value(Value::Text(_)) => false,
        };
        match is_below {
            true => Ordering::Less,
            false => Ordering::Greater,
        }
    }
}

impl Claim {
    /// Whether the claim is true of this number.
    pub fn holds(&self, number: f64) -> bool {
        match *self {
            Claim::Above(min) => number > min,
            Claim::Below(max) => number < max,
            Claim::Between(min, max) => (min..=max).contains(&number),
        }
    }

    /// Parses `> 16`, `< 1` and `5 to 7`. Other texts are no claims.
    fn parse(text: &str) -> Option<Claim> {
        let number = |text: &str| {
            text.trim()
                .parse::<f64>()
                .ok()
                .filter(|number| number.is_finite())
        };
        if let Some(min) = text.strip_prefix('>') {
            return Some(Claim::Above(number(min)?));
        }
        if let Some(max) = text.strip_prefix('<') {
            return Some(Claim::Below(number(max)?));
        }
        let (min, max) = text.split_once(" to ")?;
        Some(Claim::Between(number(min)?, number(max)?))
    }
}

impl Rule {
    /// `exact`, `shape`, or a number of percent such as `10 %`.
    fn parse(text: &str) -> Option<Rule> {
        match text {
            "exact" => Some(Rule::Exact),
            "shape" => Some(Rule::Shape),
            _ => {
                let percent = text.strip_suffix('%')?.trim().parse().ok()?;
                (percent > 0.0).then_some(Rule::Within(percent))
            }
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => f.write_str(text),
            Value::Number(number) => f.write_str(&digits(*number)),
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // As the paper prints it.
            Expected::Value(Value::Number(number)) => write!(f, "{number}"),
            Expected::Value(value) => value.fmt(f),
            Expected::Claim(Claim::Above(min)) => write!(f, "> {min}"),
            Expected::Claim(Claim::Below(max)) => write!(f, "< {max}"),
            Expected::Claim(Claim::Between(min, max)) => write!(f, "{min} to {max}"),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rule::Exact => f.write_str("exact"),
            Rule::Within(percent) => write!(f, "{percent} %"),
            Rule::Shape => f.write_str("shape"),
        }
    }
}

/// Four significant digits of a measured number, without trailing zeros.
pub fn digits(number: f64) -> String {
    if number == 0.0 || !number.is_finite() {
        return number.to_string();
    }
    let places = (3 - number.abs().log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{number:.places$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

impl<'de> Deserialize<'de> for Expected {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Expected, D::Error> {
        Ok(match toml::Value::deserialize(deserializer)? {
            toml::Value::Integer(number) => Expected::Value(Value::Number(number as f64)),
            toml::Value::Float(number) if number.is_finite() => {
                Expected::Value(Value::Number(number))
            }
            toml::Value::String(text) => match Claim::parse(&text) {
                Some(claim) => Expected::Claim(claim),
                None => Expected::Value(Value::Text(text)),
            },
            other => {
                return Err(D::Error::custom(format!(
                    "expected a number or a text, found {other}"
                )))
            }
        })
    }
}

impl<'de> Deserialize<'de> for Rule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Rule, D::Error> {
        let text = String::deserialize(deserializer)?;
        Rule::parse(&text).ok_or_else(|| {
            D::Error::custom(format!(
                "expected exact, shape or a share such as 10 %, found {text}"
            ))
        })
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Number(number) => serializer.serialize_f64(*number),
            Value::Text(text) => serializer.serialize_str(text),
        }
    }
}

impl Serialize for Expected {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Expected::Value(value) => value.serialize(serializer),
            claim => serializer.collect_str(claim),
        }
    }
}

impl Serialize for Rule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Rule::Within(percent) => serializer.collect_str(&format_args!("{percent}%")),
            rule => serializer.collect_str(rule),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(number: f64) -> Expected {
        Expected::Value(Value::Number(number))
    }

    #[test]
    fn within_counts_from_the_papers_number() {
        let ten = Rule::Within(10.0);
        assert!(number(2.0).agrees(ten, &Value::Number(2.2)));
        assert!(number(2.0).agrees(ten, &Value::Number(1.8)));
        assert!(!number(2.0).agrees(ten, &Value::Number(2.201)));
        assert!(!number(2.0).agrees(ten, &Value::Number(f64::NAN)));
        assert!(number(-2.0).agrees(ten, &Value::Number(-2.1)));
    }

    #[test]
    fn exact_means_every_digit() {
        assert!(number(0.267).agrees(Rule::Exact, &Value::Number(0.267)));
        assert!(!number(0.267).agrees(Rule::Exact, &Value::Number(0.2671)));
        let text = Expected::Value(Value::Text("3 3 183 2".to_owned()));
        assert!(text.agrees(Rule::Exact, &Value::Text("3 3 183 2".to_owned())));
        assert!(!text.agrees(Rule::Exact, &Value::Text("3 3 183 3".to_owned())));
    }

    #[test]
    fn claims_are_computed() {
        for (text, good, bad) in [
            ("> 16", 16.1, 16.0),
            ("< 1", 0.99, 1.0),
            ("5 to 7", 7.0, 7.1),
        ] {
            let claim = Claim::parse(text).unwrap_or_else(|| panic!("{text}"));
            assert!(claim.holds(good) && !claim.holds(bad), "{text}");
            assert!(!claim.holds(f64::NAN));
            assert_eq!(Expected::Claim(claim).to_string(), text);
        }
        assert_eq!(Claim::parse("by fast retransmit"), None);
    }

    #[test]
    fn rules_are_read_as_they_are_written() {
        for text in ["exact", "shape", "10 %", "0.5 %"] {
            assert_eq!(
                Rule::parse(text).map(|rule| rule.to_string()).as_deref(),
                Some(text)
            );
        }
        assert_eq!(Rule::parse("about"), None);
        assert_eq!(Rule::parse("-1 %"), None);
    }

    #[test]
    fn measured_numbers_have_four_digits() {
        assert_eq!(
            [0.06, 44.0, 45.37123, 1234.56, 0.000_123_47].map(digits),
            ["0.06", "44", "45.37", "1235", "0.0001235"]
        );
    }
}
