//! A test fixture: one sender, one bottleneck that loses nothing, and a receiver that acknowledges
//! each segment at once.

use onramp_core::{Ack, Decision, Start, Startup, ACK_CWND_LIMITED, UNLIMITED};
use std::collections::VecDeque;

const NS_PER_S: u128 = 1_000_000_000;

#[derive(Clone, Copy, Debug)]
pub struct Path {
    pub rate_bytes_per_s: u64,
    /// Round trip without any queue or serialisation.
    pub delay_ns: u64,
    pub mss_bytes: u32,
}

pub struct Step {
    pub ack: Ack,
    pub decision: Decision,
}

pub struct Transfer {
    pub steps: Vec<Step>,
    /// When each segment left the sender.
    pub sent_ns: Vec<u64>,
}

/// How long these bytes take at a rate.
pub fn time_ns(bytes: u64, rate_bytes_per_s: u64) -> u64 {
    (u128::from(bytes) * NS_PER_S / u128::from(rate_bytes_per_s)) as u64
}

impl Path {
    /// The BDP.
    pub fn bdp_bytes(&self) -> u64 {
        (u128::from(self.rate_bytes_per_s) * u128::from(self.delay_ns) / NS_PER_S) as u64
    }

    /// Send this many segments. When its start-up is done the sender grows its cwnd to ssthresh and
    /// no further.
    pub fn transfer(&self, algorithm: &str, start: Start, segments: usize) -> Transfer {
        self.transfer_of(Startup::new(algorithm).unwrap(), start, segments)
    }

    /// The same with a start-up that has not started.
    pub fn transfer_of(&self, mut startup: Startup, start: Start, segments: usize) -> Transfer {
        let mss = u64::from(self.mss_bytes);
        let mut decision = startup.start(&Start {
            mss_bytes: self.mss_bytes,
            ..start
        });
        let mut transfer = Transfer {
            steps: Vec::new(),
            sent_ns: Vec::new(),
        };
        let mut acks = VecDeque::new();
        let (mut now_ns, mut free_ns, mut idle_ns, mut srtt_ns) = (start.now_ns, 0, 0, 0);

        while transfer.steps.len() < segments {
            let inflight = acks.len() as u64 * mss;
            let may_send =
                transfer.sent_ns.len() < segments && inflight + mss <= decision.cwnd_bytes.max(mss);
            let send_ns = if may_send {
                now_ns.max(free_ns)
            } else {
                u64::MAX
            };
            let ack_ns = acks.front().map_or(u64::MAX, |&(_, ack_ns)| ack_ns);
            if send_ns < ack_ns {
                now_ns = send_ns;
                idle_ns = now_ns.max(idle_ns) + time_ns(mss, self.rate_bytes_per_s);
                acks.push_back((now_ns, idle_ns + self.delay_ns));
                transfer.sent_ns.push(now_ns);
                if decision.pacing_bytes_per_s != UNLIMITED {
                    free_ns = now_ns + time_ns(mss, decision.pacing_bytes_per_s);
                }
                continue;
            }
            let (sent_ns, _) = acks
                .pop_front()
                .expect("something is in flight when nothing may be sent");
            now_ns = ack_ns;
            let sample_ns = now_ns - sent_ns;
            srtt_ns = if srtt_ns == 0 {
                sample_ns
            } else {
                srtt_ns - srtt_ns / 8 + sample_ns / 8
            };
            let ack = Ack {
                now_ns,
                acked_bytes: mss,
                delivered_bytes: (transfer.steps.len() as u64 + 1) * mss,
                inflight_bytes: acks.len() as u64 * mss,
                srtt_ns,
                rtt_ns: sample_ns,
                cwnd_bytes: decision.cwnd_bytes,
                ssthresh_bytes: decision.ssthresh_bytes,
                mss_bytes: self.mss_bytes,
                flags: ACK_CWND_LIMITED,
                ..Ack::default()
            };
            if !decision.is_over() {
                decision = startup.ack(&ack);
            } else if decision.cwnd_bytes < decision.ssthresh_bytes {
                decision.cwnd_bytes += mss;
            }
            transfer.steps.push(Step { ack, decision });
        }
        transfer
    }
}

impl Transfer {
    /// The first ACK after which the connection was in this phase, and its place.
    pub fn first_in(&self, phase: &str) -> Option<(usize, &Step)> {
        self.steps
            .iter()
            .enumerate()
            .find(|(_, step)| onramp_core::phase_name(step.decision.phase) == phase)
    }

    /// When everything had been acknowledged.
    pub fn completion_ns(&self) -> u64 {
        self.steps.last().unwrap().ack.now_ns
    }
}
