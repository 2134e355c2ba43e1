//! The testbed, its settings and the observed flow, which the parts share.

use crate::{Ledger, Settings};

/// The paper's ledger.
pub(super) fn ledger() -> Ledger {
    Ledger::read(include_str!("paper.toml"))
}

/// The testbed.
pub(super) const RESERVED: &str = include_str!("reserved.toml");
/// Name of the testbed with a receiver that acknowledges each segment. Alternatives about delayed
/// ACKs do not apply to it.
pub(super) const UNDELAYED: &str = "guaranteed-undelayed";

/// Name of the testbed in figure 1, whose reserved rate the text does not give. Figure 4's is in
/// the text.
pub(super) const FIGURE_1: &str = "guaranteed-figure-1";

/// The reserved rate, in bits of payload per second.
pub(super) const RESERVED_BITS_PER_S: f64 = 1e6;

/// The sender of section 4, in place of normal TCP.
pub(super) fn modified() -> Settings {
    Settings::of([
        ("transfer.startup", "qos"),
        ("transfer.qos_rate", "1 Mbit/s"),
    ])
}

/// The keys of one of the ledger's alternatives.
pub(super) fn alternative(name: &str) -> Settings {
    let ledger = ledger();
    let mut all = ledger
        .choices
        .iter()
        .flat_map(|choice| &choice.alternatives);
    let one = all.find(|alternative| alternative.name == name);
    Settings::of_table(
        &one.unwrap_or_else(|| panic!("the ledger has no alternative {name}"))
            .set,
    )
}
