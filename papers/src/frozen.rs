//! The digest of a ledger's rules, expected values and choices. A test compares it with the last
//! change that the ledger lists, so that none is changed in silence.

use crate::Ledger;
use std::fmt::Write;

impl Ledger {
    /// The digest of what decides verdicts: of each row id, expected value, unit and rule, and
    /// whether it counts; of each choice question, answer and alternatives.
    pub fn digest(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            let counts = !row.is_algebra;
            let _ = writeln!(
                text,
                "{} {} {} {} {counts}",
                row.id, row.expected, row.unit, row.rule
            );
        }
        for choice in &self.choices {
            let _ = writeln!(text, "{} {}", choice.question, choice.decided);
            for alternative in &choice.alternatives {
                let _ = writeln!(text, "{} {}", alternative.name, alternative.set);
            }
        }
        format!("{:016x}", fnv1a(text.as_bytes()))
    }
}

/// FNV-1a with 64 bits: it shows a change, and need not withstand an attack.
fn fnv1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_values_and_choices_are_those_of_the_last_listed_change() {
        for paper in crate::papers() {
            let ledger = paper.ledger;
            let listed = ledger.changed.last().map(|last| last.digest.clone());
            assert_eq!(
                listed,
                Some(ledger.digest()),
                "{}: a rule, an expected value or a choice has changed. Add a [[changed]] table \
                 with the reason and this digest",
                ledger.id
            );
        }
    }

    #[test]
    fn the_hash_is_fnv1a() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
    }
}
