//! Mistakes in the choice of keys.

use super::Mistake;
use onramp_config::document::{Reader, Section};

/// Refuses a key or table, if `section` has it, because it is only for another choice than the one
/// made.
pub(crate) fn refuse(
    reader: &mut Reader,
    section: &Section,
    name: &str,
    only: &'static str,
    chosen: &str,
) {
    if section.has_name(name) {
        let mistake = Mistake::NotFor {
            key: section.path_of_name(name),
            only,
            chosen: chosen.to_owned(),
        };
        reader.fault(mistake, section.span(name));
    }
}

/// Refuses a key or table, if `section` has it and another one that excludes it.
pub(crate) fn exclude(reader: &mut Reader, section: &Section, name: &str, other: &str) {
    if section.has_name(name) && section.has_name(other) {
        let mistake = Mistake::Excludes {
            key: section.path_of_name(name),
            other: section.path_of_name(other),
            other_at: section.span(other),
        };
        reader.fault(mistake, section.span(name));
    }
}
