//! The options and the outcome of a run.

use crate::link::{Emission, Lateness};
use onramp_net::LinkStats;
use onramp_results::{Record, Trace};
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use std::time::Duration;

/// How to run a case.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Fill [`Outcome::trace`]. This costs a thread that samples the sender, and memory for each
    /// segment.
    pub trace: bool,
    /// A transfer fails if its receiver receives nothing for this long and for 20 round trips.
    pub patience: Duration,
    /// Set this from any thread, for example on Ctrl-C. The run ends with
    /// [`Error::Stopped`](crate::Error::Stopped) within some tens of milliseconds and leaves
    /// nothing behind.
    pub stop: Arc<AtomicBool>,
}

impl Default for RunOptions {
    fn default() -> Self {
        RunOptions {
            trace: false,
            patience: Duration::from_secs(30),
            stop: Arc::default(),
        }
    }
}

/// The outcome of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The result of the transfer. If it has several copies: of the first one.
    pub record: Record,
    /// The trace of that connection; empty without [`RunOptions::trace`].
    pub trace: Trace,
    /// The results and traces of the other copies, in order of their starts.
    pub others: Vec<(Record, Trace)>,
    /// The results of measured traffic, in order of their starts. They have no traces.
    pub traffic: Vec<Record>,
    /// Sentences about problems of the run, each with its remedy.
    pub notes: Vec<String>,
    /// Statistics of the emulated path.
    pub link: LinkSummary,
}

impl Outcome {
    /// The results of all copies, in order of their starts.
    pub fn into_copies(self) -> impl Iterator<Item = (Record, Trace)> {
        std::iter::once((self.record, self.trace)).chain(self.others)
    }

    /// The results of all copies, then those of measured traffic.
    pub fn into_all(mut self) -> impl Iterator<Item = (Record, Option<Trace>)> {
        let traffic = std::mem::take(&mut self.traffic);
        let copies = self
            .into_copies()
            .map(|(record, trace)| (record, Some(trace)));
        copies.chain(traffic.into_iter().map(|record| (record, None)))
    }

    /// The records of all copies.
    pub fn records(&self) -> impl Iterator<Item = &Record> {
        std::iter::once(&self.record).chain(self.others.iter().map(|(record, _)| record))
    }
}

/// Statistics of the emulated path.
#[derive(Clone, Debug)]
pub struct LinkSummary {
    /// The bottleneck of the first copy's data.
    pub forward: LinkStats,
    /// The same link in the direction of the ACKs.
    pub reverse: LinkStats,
    /// All directed links: 2 n is link n of the scenario forward, 2 n + 1 its reverse.
    pub links: Vec<LinkStats>,
    /// Median lateness of all packets.
    pub lateness_p50_us: f64,
    /// The first 4096 packets delivered to the receivers.
    pub forward_emissions: Vec<Emission>,
    /// The first 4096 packets delivered to the senders: SYN, request, then ACKs.
    pub reverse_emissions: Vec<Emission>,
}

/// A percentile of the lateness, in microseconds.
pub(crate) fn percentile_us(lateness: &Lateness, hundredths: u64) -> f64 {
    lateness.percentile_ns(hundredths) as f64 / 1e3
}
