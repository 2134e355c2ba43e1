//! The progress of a run, and its limits. A page has to stay responsive and its memory bounded,
//! whatever the scenario asks for.

use crate::refusal::Refusal;
use onramp_results::describe_case;
use onramp_scenario::Case;
use onramp_sim::observe::{FlowStart, Observer, PacketEvent};
use serde::Serialize;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

/// Packets that hosts may send in one case.
pub const MAX_SENT_PACKETS: u64 = 5_000_000;

/// Memory that the module may have. Phones have little, and the page has its own.
const MAX_MEMORY_BYTES: usize = 512 << 20;

/// Packets between two reports of progress.
const PACKETS_BETWEEN_REPORTS: u64 = 1 << 14;

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    /// From 0 to 1, of all cases.
    pub fraction: f64,
    /// The case that runs, from 1.
    pub case: usize,
    /// Number of cases.
    pub cases: usize,
    /// Simulated time in this case.
    pub simulated_s: f64,
    /// Packets sent in this case.
    pub packets: u64,
}

/// Why a run was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
    Packets,
    Memory,
    /// The caller's: real time.
    Time,
}

/// Watches one case, as an observer of its run.
pub struct Watch<'a> {
    /// Returns whether the run may go on.
    report: &'a mut dyn FnMut(Progress) -> bool,
    stop: Arc<AtomicBool>,
    case: usize,
    cases: usize,
    /// The case in one line.
    title: String,
    /// Payload of all copies of the transfer.
    total_bytes: u64,
    duration_ns: Option<u64>,
    /// The flows of the copies.
    copies: BTreeSet<u32>,
    delivered_bytes: u64,
    packets: u64,
    now_ns: u64,
    limit: Option<Limit>,
}

impl<'a> Watch<'a> {
    /// A watch of a case: of the one at the place `number`, from 0, of `cases`.
    pub fn new(
        case: &Case,
        (number, cases): (usize, usize),
        report: &'a mut dyn FnMut(Progress) -> bool,
    ) -> Watch<'a> {
        let copies = u64::from(case.transfer.count);
        Watch {
            report,
            stop: Arc::default(),
            case: number,
            cases,
            title: describe_case(case),
            total_bytes: case.transfer.size_bytes.saturating_mul(copies),
            duration_ns: case.duration_ns,
            copies: BTreeSet::new(),
            delivered_bytes: 0,
            packets: 0,
            now_ns: 0,
            limit: None,
        }
    }

    /// The flag that stops the run.
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.stop)
    }

    fn check(&mut self) {
        let progress = self.progress();
        let limit = if self.packets >= MAX_SENT_PACKETS {
            Some(Limit::Packets)
        } else if memory_bytes() >= MAX_MEMORY_BYTES {
            Some(Limit::Memory)
        } else if !(self.report)(progress) {
            Some(Limit::Time)
        } else {
            None
        };
        if limit.is_some() && self.limit.is_none() {
            self.limit = limit;
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    fn progress(&self) -> Progress {
        let of_bytes = self.delivered_bytes as f64 / self.total_bytes.max(1) as f64;
        let of_time = self.duration_ns.map_or(0.0, |duration_ns| {
            self.now_ns as f64 / duration_ns.max(1) as f64
        });
        let of_case = of_bytes.max(of_time).min(1.0);
        Progress {
            fraction: (self.case as f64 + of_case) / self.cases as f64,
            case: self.case + 1,
            cases: self.cases,
            simulated_s: self.now_ns as f64 / 1e9,
            packets: self.packets,
        }
    }

    /// Why the run was stopped, for people.
    pub fn refusal(&self) -> Refusal {
        let what = match self.limit {
            Some(Limit::Packets) => {
                format!(
                    "it sends more than {} million packets",
                    MAX_SENT_PACKETS / 1_000_000
                )
            }
            Some(Limit::Memory) => format!("it needs more than {} MiB", MAX_MEMORY_BYTES >> 20),
            Some(Limit::Time) | None => "it takes too long".to_owned(),
        };
        Refusal::new(
            format!(
                "case {} ({}) is too large for the page: {what}; stopped after {:.1} s of \
                 simulated time",
                self.case + 1,
                self.title,
                self.now_ns as f64 / 1e9,
            ),
            Some(
                "make the transfer or the rate smaller, or run the scenario on the command line: \
                 onramp sim FILE",
            ),
        )
    }
}

impl Observer for Watch<'_> {
    fn flow_started(&mut self, flow: &FlowStart) {
        if flow.measured && flow.traffic.is_none() {
            self.copies.insert(flow.flow);
        }
    }

    fn sent(&mut self, packet: &PacketEvent<'_>) {
        self.packets += 1;
        self.now_ns = packet.time_ns;
        if self.packets.is_multiple_of(PACKETS_BETWEEN_REPORTS) {
            self.check();
        }
    }

    fn delivered(&mut self, time_ns: u64, flow: u32, bytes: u64) {
        self.now_ns = time_ns;
        if self.copies.contains(&flow) {
            self.delivered_bytes += bytes;
        }
    }
}

/// Memory of the module. Native tests have no such limit.
fn memory_bytes() -> usize {
    #[cfg(target_arch = "wasm32")]
    return core::arch::wasm32::memory_size::<0>() << 16;
    #[cfg(not(target_arch = "wasm32"))]
    0
}
