//! Mistakes that only the whole file shows: too many cases, or cases that nobody could tell apart.

use crate::cases::{Draft, MAX_CASES};
use crate::mistake::Mistake;
use crate::model::{Transfer, Transport};
use onramp_config::document::Reader;
use onramp_config::units::format_size;
use onramp_config::Fault;
use onramp_tcp::Stack;
use std::collections::HashMap;
use std::hash::Hash;
use std::ops::Range;

/// Checks the cross product of a file. `headers` are the places of its `[[transfer]]` tables.
pub(super) fn check_product(
    reader: &mut Reader,
    draft: &Draft,
    headers: &[Range<usize>],
) -> Option<()> {
    let cases = draft.case_count();
    if cases > u128::from(MAX_CASES) {
        let max = MAX_CASES;
        let mistake = Mistake::TooManyCases { cases, max };
        reader.faults.push(Fault::of_the_file(mistake));
        return None;
    }
    check_labels(reader, draft, headers)?;
    check_repetitions(reader, draft, headers)
}

/// A label names one row, and one table has it.
fn check_labels(reader: &mut Reader, draft: &Draft, headers: &[Range<usize>]) -> Option<()> {
    let mut seen = HashMap::new();
    for (transfer, header) in draft.transfers.iter().zip(headers) {
        let label = transfer.common.label.to_string();
        if label.is_empty() {
            continue;
        }
        let rows = transfer.row_count();
        let mistake = match seen.insert(label.clone(), header.clone()) {
            Some(first) => Mistake::SameLabel { label, first },
            None if rows > 1 => Mistake::LabelOfSeveral { label, rows },
            None => continue,
        };
        reader.fault(mistake, header.clone());
        return None;
    }
    Some(())
}

/// No two tables have the same case.
fn check_repetitions(reader: &mut Reader, draft: &Draft, headers: &[Range<usize>]) -> Option<()> {
    let mut seen = HashMap::new();
    for (table, header) in draft.transfers.iter().zip(headers) {
        for transfer in table.product() {
            if let Some(first) = seen.insert(identity(&transfer), header.clone()) {
                let case = describe(&transfer);
                reader.fault(Mistake::RepeatedCase { case, first }, header.clone());
                return None;
            }
        }
    }
    Some(())
}

/// The choices that tell a transfer's results apart from those of others.
fn identity(transfer: &Transfer) -> impl Hash + Eq {
    let tcp = (
        transfer.stack,
        transfer.recovery,
        transfer.timers,
        transfer.clocks,
        transfer.given,
        transfer.initial_window,
        transfer.connect,
    );
    let toolbox = (
        transfer.ip,
        transfer.segment_bytes,
        transfer.window_scaling,
        transfer.ecn,
        transfer.byte_counting,
        transfer.split.clone(),
        transfer.connections,
        transfer.dscp,
        transfer.memory,
    );
    (
        (transfer.size_bytes, transfer.sizes),
        transfer.transport,
        transfer.startup.clone(),
        transfer.avoidance,
        tcp,
        toolbox,
        (transfer.application.clone(), transfer.requests),
    )
}

/// A transfer in a few words.
fn describe(transfer: &Transfer) -> String {
    let size = format_size(transfer.size_bytes);
    let (startup, avoidance) = (&transfer.startup, transfer.avoidance.name());
    let window = transfer.initial_window;
    let stack = match transfer.stack {
        Stack::Linux => String::new(),
        stack => format!(", stack {}", stack.name()),
    };
    let transport = match transfer.transport {
        Transport::Tcp => "",
        Transport::Quic => ", transport quic",
    };
    format!("{size}, {startup} with {avoidance}, initial window {window}{stack}{transport}")
}
