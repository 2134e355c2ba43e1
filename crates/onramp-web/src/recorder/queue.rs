//! The queue of the bottleneck over time.

use crate::columns::{Column, Table};
use onramp_sim::Decimated;

/// Maximum number of samples, even.
const MAX_SAMPLES: usize = 200_000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Sample {
    time_ns: u64,
    bytes: u64,
    packets: u32,
}

/// The queue after each change.
#[derive(Debug)]
pub(super) struct Queue {
    samples: Decimated<Sample>,
    now: Sample,
    largest: Sample,
}

impl Default for Queue {
    fn default() -> Queue {
        Queue {
            samples: Decimated::new(MAX_SAMPLES),
            now: Sample::default(),
            largest: Sample::default(),
        }
    }
}

impl Queue {
    /// A packet enters.
    pub fn add(&mut self, time_ns: u64, bytes: u32) {
        self.change(Sample {
            time_ns,
            bytes: self.now.bytes + u64::from(bytes),
            packets: self.now.packets + 1,
        });
    }

    /// A packet leaves: its transmission begins, or it is dropped.
    pub fn remove(&mut self, time_ns: u64, bytes: u32) {
        self.change(Sample {
            time_ns,
            bytes: self.now.bytes - u64::from(bytes),
            packets: self.now.packets - 1,
        });
    }

    fn change(&mut self, sample: Sample) {
        // A queue that lasts for no time is no maximum.
        if sample.time_ns > self.now.time_ns && self.now.bytes > self.largest.bytes {
            self.largest = self.now;
        }
        self.now = sample;
        // The state after all changes of a nanosecond counts: a packet that need not wait enters
        // and leaves in the same.
        if let Some(last) = self.samples.last_mut() {
            if last.time_ns == sample.time_ns {
                *last = sample;
                return;
            }
        }
        self.samples.push(sample);
    }

    /// The samples, with the largest queue and the last one.
    pub fn into_table(self) -> Table {
        let mut samples = self.samples.into_entries();
        samples.extend((samples.last() != Some(&self.now)).then_some(self.now));
        let place = samples.partition_point(|sample| sample.time_ns < self.largest.time_ns);
        if self.largest.bytes > 0 && samples.get(place) != Some(&self.largest) {
            samples.insert(place, self.largest);
        }
        let times = samples.iter().map(|sample| sample.time_ns as f64 / 1e9);
        Table::new(vec![
            ("timeS", Column::F64(times.collect())),
            (
                "bytes",
                Column::F64(samples.iter().map(|sample| sample.bytes as f64).collect()),
            ),
            (
                "packets",
                Column::U32(samples.iter().map(|sample| sample.packets).collect()),
            ),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_series_is_thinned_and_keeps_its_maximum() {
        let mut queue = Queue::default();
        for time_ns in 0..1_000_000u64 {
            match time_ns {
                777_777 => queue.add(time_ns, 1000),
                777_778 => queue.remove(time_ns, 1000),
                _ if time_ns % 2 == 0 => queue.add(time_ns, 1),
                _ => queue.remove(time_ns, 1),
            }
        }
        let table = queue.into_table();
        let bytes = table.f64("bytes");
        assert!(bytes.len() <= MAX_SAMPLES + 2, "{}", bytes.len());
        assert_eq!(bytes.iter().copied().fold(0.0, f64::max), 1001.0);
        assert!(table.f64("timeS").is_sorted());
    }

    #[test]
    fn a_packet_that_need_not_wait_leaves_no_queue() {
        let mut queue = Queue::default();
        queue.add(5, 1500);
        queue.remove(5, 1500);
        queue.add(6, 1500);
        let table = queue.into_table();
        assert_eq!(table.f64("bytes"), [0.0, 1500.0]);
        assert_eq!(table.f64("timeS"), [5e-9, 6e-9]);
    }
}
