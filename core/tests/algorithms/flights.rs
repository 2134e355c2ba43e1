//! A test fixture: a host whose ACKs the test controls, flight after flight.

use onramp_core::{
    Ack, Clock, Decision, Loss, Start, Startup, ACK_CWND_LIMITED, OPTION_TIMESTAMPS, PHASE_DONE,
    UNLIMITED,
};

pub const MS: u64 = 1_000_000;
pub const MSS: u32 = 1000;

pub struct Host {
    startup: Startup,
    pub ack: Ack,
    pub decision: Decision,
    acks_left: u32,
}

/// The start record of a host with a clock of 1 us.
pub fn start() -> Start {
    Start {
        clock: Clock {
            measure_ns: 1,
            event_ns: 1000,
        },
        cwnd_bytes: 10 * u64::from(MSS),
        ssthresh_bytes: UNLIMITED,
        mss_bytes: MSS,
        ..Default::default()
    }
}

/// A receiver that puts its time into the timestamp of each ACK.
#[derive(Clone, Copy, Debug)]
pub struct Receiver {
    pub tick_ns: u64,
    /// TSval at the handshake.
    pub first_tsval: u32,
}

impl Receiver {
    /// TSval at this time after the handshake.
    pub fn tsval(&self, at_ns: u64) -> u64 {
        u64::from(self.first_tsval.wrapping_add((at_ns / self.tick_ns) as u32))
    }

    /// The start record of a host that has shaken hands with this receiver.
    pub fn start(&self) -> Start {
        Start {
            options: OPTION_TIMESTAMPS,
            tsval: self.tsval(0),
            ..start()
        }
    }
}

impl Host {
    pub fn new(algorithm: &str, start: Start, rtt_ns: u64) -> Host {
        let mut startup = Startup::new(algorithm).unwrap();
        let decision = startup.start(&start);
        let ack = Ack {
            srtt_ns: rtt_ns,
            mss_bytes: start.mss_bytes,
            now_ns: start.now_ns,
            ..Default::default()
        };
        Host {
            startup,
            ack,
            decision,
            acks_left: 100_000,
        }
    }

    /// One ACK of one segment, this time after the previous one.
    pub fn ack(&mut self, gap_ns: u64, inflight_bytes: u64, flags: u32) -> Decision {
        self.acknowledge(gap_ns, self.ack.mss_bytes.into(), inflight_bytes, flags)
    }

    /// An ACK, with this TSval, of a segment that left at this time. cwnd is full.
    pub fn ack_with_time(&mut self, now_ns: u64, left_ns: u64, tsval: u64) -> Decision {
        self.ack.rtt_ns = now_ns - left_ns;
        self.ack.tsval = tsval;
        self.ack(
            now_ns - self.ack.now_ns,
            self.decision.cwnd_bytes - u64::from(self.ack.mss_bytes),
            ACK_CWND_LIMITED,
        )
    }

    /// One ACK of these bytes, after which nothing is in flight.
    pub fn jump(&mut self, gap_ns: u64, acked_bytes: u64) -> Decision {
        self.acknowledge(gap_ns, acked_bytes, 0, ACK_CWND_LIMITED)
    }

    fn acknowledge(
        &mut self,
        gap_ns: u64,
        acked_bytes: u64,
        inflight_bytes: u64,
        flags: u32,
    ) -> Decision {
        self.ack = Ack {
            now_ns: self.ack.now_ns + gap_ns,
            acked_bytes,
            delivered_bytes: self.ack.delivered_bytes + acked_bytes,
            inflight_bytes,
            cwnd_bytes: self.decision.cwnd_bytes,
            ssthresh_bytes: self.decision.ssthresh_bytes,
            flags,
            ..self.ack
        };
        assert_ne!(
            self.decision.phase, PHASE_DONE,
            "a host calls a finished start-up no more"
        );
        self.acks_left = self
            .acks_left
            .checked_sub(1)
            .expect("what the test waits for never comes");
        self.decision = self.startup.ack(&self.ack);
        self.decision
    }

    /// The ACKs of a whole cwnd, one for each segment and `spacing_ns` apart, after a round trip
    /// of silence. The segments left at once, so the RTT grows by the spacing. If cwnd limits the
    /// sender, it fills cwnd again at once. Otherwise it sends nothing more. Ends early when the
    /// start-up is done.
    pub fn flight(&mut self, spacing_ns: u64, flags: u32) -> Decision {
        let mss = u64::from(self.ack.mss_bytes);
        let segments = self.decision.cwnd_bytes / mss;
        let rtt_ns = self.ack.rtt_ns;
        for i in 1..=segments {
            let gap_ns = if i == 1 { self.ack.srtt_ns } else { spacing_ns };
            if rtt_ns != 0 {
                self.ack.rtt_ns = rtt_ns + (i - 1) * spacing_ns;
            }
            let window = if flags & ACK_CWND_LIMITED != 0 {
                self.decision.cwnd_bytes - mss
            } else {
                (segments - i) * mss
            };
            self.ack(gap_ns, window, flags);
            if self.decision.is_over() {
                break;
            }
        }
        self.ack.rtt_ns = rtt_ns;
        self.decision
    }

    /// The host finds a loss; its congestion avoidance would set this ssthresh.
    pub fn loss(&mut self, kind: u32, inflight_bytes: u64, ssthresh_bytes: u64) -> Decision {
        self.event(kind, inflight_bytes, ssthresh_bytes, self.ack.lost_bytes)
    }

    /// An event that marks a segment lost.
    pub fn lose(&mut self, kind: u32, inflight_bytes: u64, ssthresh_bytes: u64) -> Decision {
        let lost_bytes = self.ack.lost_bytes + u64::from(self.ack.mss_bytes);
        self.event(kind, inflight_bytes, ssthresh_bytes, lost_bytes)
    }

    fn event(
        &mut self,
        kind: u32,
        inflight_bytes: u64,
        ssthresh_bytes: u64,
        lost_bytes: u64,
    ) -> Decision {
        self.decision = self.startup.loss(&Loss {
            now_ns: self.ack.now_ns,
            inflight_bytes,
            cwnd_bytes: self.decision.cwnd_bytes,
            ssthresh_bytes,
            acknowledged_bytes: self.ack.delivered_bytes,
            lost_bytes,
            mss_bytes: self.ack.mss_bytes,
            kind,
        });
        self.decision
    }
}

/// A host of `paced` in this phase. The path: 10 MB/s, 100 ms, 1000 segments.
pub fn paced_in(phase: &str) -> Host {
    let mut host = Host::new("paced", start(), 100 * MS);
    host.flight(MS / 10, ACK_CWND_LIMITED);
    host.flight(MS / 10, ACK_CWND_LIMITED);
    while onramp_core::phase_name(host.decision.phase) != phase {
        host.ack(
            MS / 10,
            host.decision.cwnd_bytes - u64::from(MSS),
            ACK_CWND_LIMITED,
        );
    }
    host
}
