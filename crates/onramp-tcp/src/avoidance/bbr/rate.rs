//! Delivery rate samples (Linux: `tcp_rate.c`; draft-ietf-ccwg-bbr, "Delivery Rate Samples").
//!
//! ```text
//!   rate = delivered / max(send interval, ACK interval)
//! ```
//!
//! Each departure records what was delivered until then, and when. The acknowledgement of the
//! segment gives a sample: what was delivered since, over the longer of two intervals. The ACK
//! interval begins with the last acknowledgement before the departure. The send interval begins
//! with the departure of the segment that this acknowledgement was for.

use super::super::AckSample;
use std::collections::VecDeque;

const SECOND_NS: u128 = 1_000_000_000;

/// A delivery rate sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::avoidance) struct RateSample {
    /// Delivered until the newest segment left.
    pub prior_delivered_bytes: u64,
    /// Delivered since.
    pub delivered_bytes: u64,
    /// The interval in which that happened; at least 1.
    pub interval_ns: u64,
    /// The application limited the sender meanwhile.
    pub is_app_limited: bool,
}

impl RateSample {
    /// The rate in bytes per second.
    pub fn bytes_per_s(&self) -> u64 {
        let rate = u128::from(self.delivered_bytes) * SECOND_NS / u128::from(self.interval_ns);
        u64::try_from(rate).unwrap_or(u64::MAX)
    }
}

/// What a segment records when it leaves. Segments that leave at one time share it.
#[derive(Clone, Copy, Debug)]
struct Departure {
    sent_ns: u64,
    delivered_bytes: u64,
    delivered_ns: u64,
    first_sent_ns: u64,
    is_app_limited: bool,
}

/// Takes delivery rate samples of a connection.
#[derive(Clone, Debug, Default)]
pub(in crate::avoidance) struct DeliveryRate {
    /// Delivered since the start.
    pub delivered_bytes: u64,
    /// When that was last reported.
    pub delivered_ns: u64,
    first_sent_ns: u64,
    /// The application limits the sender until so much is delivered; 0: it does not.
    app_limited_until_bytes: u64,
    min_rtt_ns: Option<u64>,
    departures: VecDeque<Departure>,
}

impl DeliveryRate {
    /// A segment is about to leave. `flight_is_empty`: nothing is outstanding.
    pub fn sent(&mut self, now_ns: u64, flight_is_empty: bool) {
        if flight_is_empty {
            self.first_sent_ns = now_ns;
            self.delivered_ns = now_ns;
        }
        if self
            .departures
            .back()
            .is_some_and(|last| last.sent_ns == now_ns)
        {
            return;
        }
        self.departures.push_back(Departure {
            sent_ns: now_ns,
            delivered_bytes: self.delivered_bytes,
            delivered_ns: self.delivered_ns,
            first_sent_ns: self.first_sent_ns,
            is_app_limited: self.is_app_limited(),
        });
    }

    /// The sender has nothing to send, although cwnd has room.
    pub fn limit(&mut self, inflight_bytes: u64) {
        self.app_limited_until_bytes = (self.delivered_bytes + inflight_bytes).max(1);
    }

    /// Does the application limit the sender?
    pub fn is_app_limited(&self) -> bool {
        self.app_limited_until_bytes != 0
    }

    /// An acknowledgement. `newest_sent_ns`: departure of the newest segment that it delivers.
    pub fn sample(&mut self, ack: &AckSample, newest_sent_ns: Option<u64>) -> Option<RateSample> {
        if let Some(rtt_ns) = ack.rtt_ns {
            self.min_rtt_ns = Some(self.min_rtt_ns.unwrap_or(rtt_ns).min(rtt_ns));
        }
        if ack.delivered_bytes > 0 {
            self.delivered_bytes += ack.delivered_bytes;
            self.delivered_ns = ack.now_ns;
        }
        if self.delivered_bytes > self.app_limited_until_bytes {
            self.app_limited_until_bytes = 0;
        }
        let sent_ns = newest_sent_ns?;
        // Departures before this one belong to segments that were acknowledged or are lost.
        let index = self
            .departures
            .partition_point(|departure| departure.sent_ns < sent_ns);
        self.departures.drain(..index);
        let departure = *self
            .departures
            .front()
            .filter(|first| first.sent_ns == sent_ns)?;
        self.first_sent_ns = self.first_sent_ns.max(sent_ns);
        let send_ns = sent_ns - departure.first_sent_ns.min(sent_ns);
        let ack_ns = ack.now_ns - departure.delivered_ns.min(ack.now_ns);
        let interval_ns = send_ns.max(ack_ns);
        // A spurious retransmission can give an interval shorter than any RTT.
        if interval_ns == 0 || self.min_rtt_ns.is_some_and(|min_ns| interval_ns < min_ns) {
            return None;
        }
        Some(RateSample {
            prior_delivered_bytes: departure.delivered_bytes,
            delivered_bytes: self.delivered_bytes - departure.delivered_bytes,
            interval_ns,
            is_app_limited: departure.is_app_limited,
        })
    }
}

/// The maximum of the values of the last rounds.
#[derive(Clone, Debug, Default)]
pub(in crate::avoidance) struct RecentMax {
    /// Rounds and values; later ones are lower.
    values: VecDeque<(u64, u64)>,
}

impl RecentMax {
    /// A value of this round. Values of more than `rounds` rounds ago are forgotten.
    pub fn add(&mut self, round: u64, rounds: u64, value: u64) {
        while self.values.back().is_some_and(|last| last.1 <= value) {
            self.values.pop_back();
        }
        self.values.push_back((round, value));
        while self
            .values
            .front()
            .is_some_and(|first| first.0 + rounds < round)
        {
            self.values.pop_front();
        }
    }

    /// The maximum; 0 before the first value.
    pub fn get(&self) -> u64 {
        self.values.front().map_or(0, |first| first.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn ack(now_ns: u64, delivered_bytes: u64, rtt_ns: u64) -> AckSample {
        AckSample {
            now_ns,
            delivered_bytes,
            rtt_ns: Some(rtt_ns),
            ..AckSample::default()
        }
    }

    #[test]
    fn the_first_flight_is_measured_from_its_first_departure() {
        let mut rate = DeliveryRate::default();
        rate.sent(5 * MS, true);
        let sample = rate
            .sample(&ack(105 * MS, 2000, 100 * MS), Some(5 * MS))
            .unwrap();
        assert_eq!(sample.bytes_per_s(), 20_000);
    }

    /// Draft, "Compression and Aggregation".
    #[test]
    fn compressed_acks_do_not_exceed_the_send_rate() {
        let mut rate = DeliveryRate::default();
        rate.sent(0, true);
        rate.sample(&ack(100 * MS, 1000, 100 * MS), Some(0));
        // Ten segments leave in 90 ms, and one ACK delivers all of them.
        (0..10).for_each(|left| rate.sent((100 + 10 * left) * MS, left == 0));
        let sample = rate
            .sample(&ack(200 * MS, 10_000, 10 * MS), Some(190 * MS))
            .unwrap();
        assert_eq!(sample.bytes_per_s(), 100_000);
        rate.sent(200 * MS, true);
        (0..5).for_each(|left| rate.sent((210 + 20 * left) * MS, false));
        rate.sample(&ack(300 * MS, 1000, 100 * MS), Some(200 * MS));
        let sample = rate
            .sample(&ack(301 * MS, 5000, 11 * MS), Some(290 * MS))
            .unwrap();
        assert!(sample.bytes_per_s() < 61_000, "{sample:?}");
    }

    #[test]
    fn samples_of_an_idle_application_are_marked() {
        let mut rate = DeliveryRate::default();
        rate.limit(0);
        rate.sent(0, true);
        assert!(
            rate.sample(&ack(10 * MS, 1000, 10 * MS), Some(0))
                .unwrap()
                .is_app_limited
        );
        rate.sent(10 * MS, true);
        assert!(
            !rate
                .sample(&ack(20 * MS, 1000, 10 * MS), Some(10 * MS))
                .unwrap()
                .is_app_limited
        );
    }

    #[test]
    fn a_maximum_lasts_ten_rounds() {
        let mut max = RecentMax::default();
        max.add(1, 10, 9);
        (2..=11).for_each(|round| max.add(round, 10, round % 3));
        assert_eq!(max.get(), 9);
        max.add(12, 10, 1);
        assert_eq!(max.get(), 2);
    }
}
