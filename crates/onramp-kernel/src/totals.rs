//! Totals of a registered start-up: what its connections did so far (`bpf/startup/totals.h`).

use crate::records::Plain;
use crate::{Error, Result};
use libbpf_rs::{MapCore, MapFlags, MapHandle};
use onramp_bpf::bindings::{self, maps, TOTALS_EXITS, TOTALS_TIMES};
use onramp_core::{exit_name, EXIT_GOVERNED};
use serde::Serialize;
use std::collections::BTreeMap;

/// What the connections of a registration did since it was registered. Counts never fall, except
/// [`Totals::live`].
///
/// A start-up answers for the segments that were sent before its end. If they are retransmitted
/// after its end, that is counted when the repair ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Totals {
    /// Connections that started.
    pub started: u64,
    /// Connections that have not ended: their sockets are open and use the congestion control.
    pub live: u64,
    /// Connections that began with slow start, because the governor held them back.
    pub governed: u64,
    /// Start-ups that ended, by the reason. `none`: the connection ended before its start-up.
    pub exits: BTreeMap<&'static str, u64>,
    /// Start-ups that ended with an estimate of the path's rate.
    pub estimates: u64,
    /// Losses that were found while a start-up paced.
    pub paced_flights_lost: u64,
    /// Segments that start-ups sent, with retransmissions. Only start-ups that have ended count.
    pub startup_sent_segments: u64,
    /// Segments that start-ups retransmitted.
    pub startup_retransmitted_segments: u64,
    /// Sum of the times that start-ups took.
    pub startup_time_s: f64,
    /// Start-ups by the time that they took. Classes without a start-up are left out.
    pub startup_times: Vec<TimeClass>,
    /// Payload bytes that were acknowledged. Only connections that have ended count, here and
    /// below.
    pub delivered_bytes: u64,
    /// Segments that were sent, with retransmissions.
    pub sent_segments: u64,
    /// Segments that were retransmitted.
    pub retransmitted_segments: u64,
    /// Events for which the ring had no room.
    pub events_lost: u64,
}

/// A class of the histogram of times in start-up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TimeClass {
    /// The shortest time of this class.
    pub from_s: f64,
    /// All times of this class are shorter; `None`: the last class has no limit.
    pub below_s: Option<f64>,
    /// Start-ups that took such a time.
    pub startups: u64,
}

impl Totals {
    /// The share of the segments of start-ups that were retransmissions; `None`: none was sent.
    pub fn startup_retransmitted_share(&self) -> Option<f64> {
        share(
            self.startup_retransmitted_segments,
            self.startup_sent_segments,
        )
    }

    /// The same of all segments of connections that have ended.
    pub fn retransmitted_share(&self) -> Option<f64> {
        share(self.retransmitted_segments, self.sent_segments)
    }

    /// Reads the map. `of` names the registration in an error.
    pub(crate) fn read(map: &MapHandle, of: &str) -> Result<Totals> {
        let processors = map
            .lookup_percpu(&0u32.to_ne_bytes(), MapFlags::ANY)
            .map_err(|error| Error::unreadable(maps::TOTALS, of, &error))?;
        Ok(Totals::from(&sum_of::<bindings::Totals>(
            &processors.unwrap_or_default(),
        )))
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole != 0).then(|| part as f64 / whole as f64)
}

/// The sum of records of all processors. Every member of the record is a counter of 64 bits.
pub(crate) fn sum_of<T: Plain>(processors: &[Vec<u8>]) -> T {
    let mut sums = vec![0u64; size_of::<T>() / size_of::<u64>()];
    for counters in processors {
        for (sum, counter) in sums.iter_mut().zip(counters.chunks_exact(size_of::<u64>())) {
            let counter = u64::from_ne_bytes(counter.try_into().expect("8 bytes"));
            *sum = sum.wrapping_add(counter);
        }
    }
    let bytes: Vec<u8> = sums.iter().flat_map(|sum| sum.to_ne_bytes()).collect();
    T::from_bytes(&bytes).expect("the bytes have the record's size")
}

/// Upper limit of a class of times, in seconds: 2^class us.
fn limit_s(class: usize) -> f64 {
    (1u64 << class) as f64 / 1e6
}

impl From<&bindings::Totals> for Totals {
    fn from(raw: &bindings::Totals) -> Totals {
        let exits = (0..TOTALS_EXITS).zip(raw.exits);
        let classes = (0..TOTALS_TIMES as usize).zip(raw.times);
        Totals {
            started: raw.started,
            // The two counters are not read at the same moment.
            live: raw.started.saturating_sub(raw.ended),
            governed: raw.exits[EXIT_GOVERNED as usize],
            exits: exits
                .map(|(exit, startups)| (exit_name(exit), startups))
                .filter(|(name, _)| *name != "unknown")
                .collect(),
            estimates: raw.estimates,
            paced_flights_lost: raw.paced_flights_lost,
            startup_sent_segments: raw.startup_sent_segments,
            startup_retransmitted_segments: raw.startup_retransmitted_segments,
            startup_time_s: raw.time_us as f64 / 1e6,
            startup_times: classes
                .filter(|(_, startups)| *startups != 0)
                .map(|(class, startups)| TimeClass {
                    from_s: if class == 0 { 0.0 } else { limit_s(class - 1) },
                    below_s: (class + 1 < TOTALS_TIMES as usize).then(|| limit_s(class)),
                    startups,
                })
                .collect(),
            delivered_bytes: raw.delivered_bytes,
            sent_segments: raw.sent_segments,
            retransmitted_segments: raw.retransmitted_segments,
            events_lost: raw.events_lost,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counters_of_all_processors_are_added() {
        let mut raw = bindings::Totals {
            started: 3,
            ended: 1,
            events_lost: 5,
            ..Default::default()
        };
        raw.exits[EXIT_GOVERNED as usize] = 2;
        raw.times[0] = 1;
        raw.times[11] = 7;
        raw.times[TOTALS_TIMES as usize - 1] = 1;
        let bytes = raw.as_bytes().to_vec();
        let totals = Totals::from(&sum_of::<bindings::Totals>(&[bytes.clone(), bytes]));
        assert_eq!((totals.started, totals.live), (6, 4));
        assert_eq!((totals.governed, totals.exits["governed"]), (4, 4));
        assert_eq!(totals.events_lost, 10);
        let classes: Vec<_> = totals
            .startup_times
            .iter()
            .map(|class| (class.from_s, class.below_s, class.startups))
            .collect();
        let expected = [
            (0.0, Some(1e-6), 2),
            (0.001_024, Some(0.002_048), 14),
            (1_073.741_824, None, 2),
        ];
        assert_eq!(classes, expected);
    }

    #[test]
    fn every_exit_of_the_algorithms_has_a_counter() {
        let totals = Totals::from(&bindings::Totals::default());
        let named = (0..).take_while(|exit| exit_name(*exit) != "unknown");
        let count = named.count();
        assert_eq!(totals.exits.len(), count);
        assert!(count < TOTALS_EXITS as usize);
        assert_eq!(totals.startup_retransmitted_share(), None);
    }
}
