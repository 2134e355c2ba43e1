//! A path for tests: one link without loss and with an unlimited queue, and a sender that always
//! has data.

use super::{AckSample, Avoidance};
use crate::Window;
use std::collections::VecDeque;

/// Payload of a full segment.
pub(super) const MSS: u64 = 1000;

/// A sender on a link. A congestion avoidance controls its cwnd, and each segment is acknowledged.
pub(super) struct Path {
    avoidance: Box<dyn Avoidance>,
    window: Window,
    /// Transmission time of a segment on the link.
    segment_ns: u64,
    /// From the end of the transmission to the acknowledgement.
    delay_ns: u64,
    link_free_ns: u64,
    /// Sending time and acknowledgement time of each segment in flight.
    in_flight: VecDeque<(u64, u64)>,
    una: u64,
    srtt_ns: u64,
}

impl Path {
    pub fn new(
        avoidance: Box<dyn Avoidance>,
        segment_ns: u64,
        delay_ns: u64,
        cwnd: u64,
        ssthresh: u64,
    ) -> Path {
        let window = Window {
            cwnd_bytes: cwnd * MSS,
            ssthresh_bytes: ssthresh * MSS,
            mss_bytes: MSS as u32,
        };
        let in_flight = VecDeque::new();
        Path {
            avoidance,
            window,
            segment_ns,
            delay_ns,
            link_free_ns: 0,
            in_flight,
            una: 0,
            srtt_ns: 0,
        }
    }

    /// Runs until a given time. Returns the window at that time.
    pub fn run(&mut self, until_ns: u64) -> Window {
        if self.una == 0 && self.in_flight.is_empty() {
            self.send(0);
        }
        while self
            .in_flight
            .front()
            .is_some_and(|(_, acked_ns)| *acked_ns <= until_ns)
        {
            let (sent_ns, now_ns) = self.in_flight.pop_front().expect("the loop checked it");
            self.acknowledge(now_ns, now_ns - sent_ns);
            self.send(now_ns);
        }
        self.window
    }

    fn acknowledge(&mut self, now_ns: u64, rtt_ns: u64) {
        self.srtt_ns = if self.srtt_ns == 0 {
            rtt_ns
        } else {
            (7 * self.srtt_ns + rtt_ns) / 8
        };
        self.una += MSS;
        let inflight_bytes = self.in_flight.len() as u64 * MSS;
        let ack = AckSample {
            now_ns,
            delivered_bytes: MSS,
            has_ece: false,
            lost_bytes: 0,
            una: self.una,
            nxt: self.una + inflight_bytes,
            inflight_bytes,
            rtt_ns: Some(rtt_ns),
            srtt_ns: self.srtt_ns,
            cwnd_limited: true,
            startup: false,
        };
        self.avoidance.measure(&mut self.window, &ack);
        self.avoidance.raise(&mut self.window, &ack);
    }

    fn send(&mut self, now_ns: u64) {
        while (self.in_flight.len() as u64) < self.window.segments() {
            self.link_free_ns = self.link_free_ns.max(now_ns) + self.segment_ns;
            self.in_flight
                .push_back((now_ns, self.link_free_ns + self.delay_ns));
        }
    }
}
