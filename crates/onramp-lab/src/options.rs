//! What a caller asks of a run, and gets.

use crate::link::{Emission, Lateness};
use onramp_net::LinkStats;
use onramp_results::{Record, Trace};
use std::sync::atomic::AtomicBool;
use std::sync::Arc;
use std::time::Duration;

/// How to run a case.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Fill [`Outcome::trace`]. It costs a thread that samples the sender, and memory per segment.
    pub trace: bool,
    /// A transfer that receives nothing for this long, and for 20 round trips, is given up.
    pub patience: Duration,
    /// Set it from anywhere, for example on Ctrl-C: the run ends with
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

/// What a case answered.
#[derive(Debug)]
pub struct Outcome {
    /// The result of the transfer, of its first copy where it has several.
    pub record: Record,
    /// How that connection moved; empty without [`RunOptions::trace`].
    pub trace: Trace,
    /// The same of the other copies, in order of their starts.
    pub others: Vec<(Record, Trace)>,
    /// The results of measured traffic, in order of starts. They have no traces.
    pub traffic: Vec<Record>,
    /// Sentences about what was not as it should be, each with what mends it.
    pub notes: Vec<String>,
    /// What the emulated path did.
    pub link: LinkSummary,
}

impl Outcome {
    /// The results of all copies, in order of their starts.
    pub fn into_copies(self) -> impl Iterator<Item = (Record, Trace)> {
        std::iter::once((self.record, self.trace)).chain(self.others)
    }

    /// The same, then the results of measured traffic.
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

/// What the emulated path did.
#[derive(Clone, Debug)]
pub struct LinkSummary {
    /// The bottleneck of the first copy's data.
    pub forward: LinkStats,
    /// The same link in the direction of the acknowledgements.
    pub reverse: LinkStats,
    /// All directed links: link n of the scenario forward is 2 n, its reverse 2 n + 1.
    pub links: Vec<LinkStats>,
    /// Median lateness of all packets.
    pub lateness_p50_us: f64,
    /// The first 4096 packets handed to the receivers.
    pub forward_emissions: Vec<Emission>,
    /// The first 4096 packets handed to the senders: SYN, request, then acknowledgements.
    pub reverse_emissions: Vec<Emission>,
}

/// Percentile of a lateness in microseconds.
pub(crate) fn percentile_us(lateness: &Lateness, hundredths: u64) -> f64 {
    lateness.percentile_ns(hundredths) as f64 / 1e3
}
