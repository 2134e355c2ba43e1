//! The RTT samples of a sender.

use crate::columns::{Column, Table};
use onramp_tcp::Connection;

/// Maximum number of samples, even.
const MAX_SAMPLES: usize = 100_000;

/// The samples of one sender, thinned evenly where there are too many.
#[derive(Debug)]
pub(super) struct Rtts {
    /// Time, sample, and the smallest sample so far.
    samples: Vec<[u64; 3]>,
    /// Cumulative acknowledgement and sample at the last look.
    last: (u64, u64),
    min_ns: u64,
    /// One of this many samples is kept.
    interval: u64,
    taken: u64,
}

impl Default for Rtts {
    fn default() -> Rtts {
        Rtts {
            samples: Vec::new(),
            last: (0, 0),
            min_ns: u64::MAX,
            interval: 1,
            taken: 0,
        }
    }
}

impl Rtts {
    /// The sender has acted.
    pub fn look(&mut self, time_ns: u64, sender: &Connection) {
        let now = (sender.acked_bytes(), sender.latest_rtt_ns());
        if now == self.last || now.1 == 0 {
            return;
        }
        self.last = now;
        self.min_ns = self.min_ns.min(now.1);
        self.taken += 1;
        if !self.taken.is_multiple_of(self.interval) {
            return;
        }
        if self.samples.len() == MAX_SAMPLES {
            let mut keep = true;
            self.samples.retain(|_| {
                keep = !keep;
                keep
            });
            self.interval *= 2;
        }
        self.samples.push([time_ns, now.1, self.min_ns]);
    }

    pub fn into_table(self) -> Table {
        let column = |place: usize| {
            let seconds = self.samples.iter().map(|sample| sample[place] as f64 / 1e9);
            Column::F64(seconds.collect())
        };
        Table::new(vec![
            ("timeS", column(0)),
            ("rttS", column(1)),
            ("minRttS", column(2)),
        ])
    }
}
