//! The paper's TCP and the observed flow, which the parts share.

use crate::{Flow, Ledger, Run, Settings};

/// The paper's numbers.
pub(super) fn ledger() -> Ledger {
    Ledger::read(include_str!("paper.toml"))
}

/// Section 4: the paper's own TCP, with a timer of 10 ms at both ends, and a receiver that handles
/// pairs in this way.
pub(super) fn new_tcp(packet_pair: &str) -> Settings {
    Settings::of([
        ("transfer.startup", "pair"),
        ("transfer.clock", "10 ms"),
        ("transfer.tick", "10 ms"),
        ("receiver.packet_pair", packet_pair),
        ("receiver.pair_option", "paper"),
        ("receiver.pair_clock", "10 ms"),
    ])
}

/// The single flow of a run.
pub(super) fn flow<'a>(run: &'a Run<'_>) -> &'a Flow {
    run.watch.flows.first().expect("the transfer has begun")
}

/// When its sender could send. ns has no handshake, so this is time 0 of the paper.
pub(super) fn origin_s(flow: &Flow) -> f64 {
    flow.established.expect("the connection stands").0
}
