//! The digest of a ledger's statements, rules, expected values and choices. A test compares it with
//! the last change that the ledger lists, so that none is changed in silence.

use crate::Ledger;
use onramp_core::fnv1a;
use std::fmt::Write;

impl Ledger {
    /// The digest of what decides verdicts: of each row id, statement, expected value, unit and
    /// rule, and whether it counts; of each choice question, answer and alternatives, and the rows
    /// that these decide. The digests of listed changes that others follow are without the
    /// statements.
    pub fn digest(&self) -> String {
        let mut text = String::new();
        for row in &self.rows {
            let counts = !row.is_algebra;
            let _ = writeln!(
                text,
                "{} {} {} {} {} {counts}",
                row.id, row.what, row.expected, row.unit, row.rule
            );
        }
        for choice in &self.choices {
            let _ = writeln!(text, "{} {}", choice.question, choice.decided);
            for alternative in &choice.alternatives {
                let _ = writeln!(text, "{} {}", alternative.name, alternative.set);
                for row in &alternative.decides {
                    let _ = writeln!(text, "decides {row}");
                }
            }
        }
        format!("{:016x}", fnv1a(text.bytes()))
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_reworded_statement_is_a_change() {
        let mut ledger = crate::papers().swap_remove(0).ledger;
        let before = ledger.digest();
        ledger.rows[0].what.push_str(" or so");
        assert_ne!(ledger.digest(), before);
    }

    #[test]
    fn rules_values_and_choices_are_those_of_the_last_listed_change() {
        let changed = |paper: crate::Paper| {
            let listed = paper.ledger.changed.last().map(|last| last.digest.clone());
            let digest = paper.ledger.digest();
            (listed.as_ref() != Some(&digest)).then_some((paper.ledger.id, digest))
        };
        let changed: Vec<_> = crate::papers().into_iter().filter_map(changed).collect();
        assert!(
            changed.is_empty(),
            "a statement, a rule, an expected value or a choice has changed. Add a [[changed]] \
             table with the reason and this digest: {changed:#?}"
        );
    }
}
