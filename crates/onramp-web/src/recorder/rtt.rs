//! The RTT samples of a sender.

use crate::columns::{Column, Table};
use onramp_sim::Decimated;
use onramp_tcp::Connection;

/// Maximum number of samples, even.
const MAX_SAMPLES: usize = 100_000;

/// The samples of one sender, thinned evenly where there are too many.
#[derive(Debug)]
pub(super) struct Rtts {
    /// Time, sample, and the smallest sample so far.
    samples: Decimated<[u64; 3]>,
    /// Cumulative acknowledgement and sample at the last look.
    last: (u64, u64),
    min_ns: u64,
}

impl Default for Rtts {
    fn default() -> Rtts {
        Rtts {
            samples: Decimated::new(MAX_SAMPLES),
            last: (0, 0),
            min_ns: u64::MAX,
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
        self.samples.push([time_ns, now.1, self.min_ns]);
    }

    pub fn into_table(self) -> Table {
        let samples = self.samples.entries();
        let column = |place: usize| {
            let seconds = samples.iter().map(|sample| sample[place] as f64 / 1e9);
            Column::F64(seconds.collect())
        };
        Table::new(vec![
            ("timeS", column(0)),
            ("rttS", column(1)),
            ("minRttS", column(2)),
        ])
    }
}
