//! Random segments for one end: no segment makes it panic, send without end, or stop its timers.

use crate::draw::Case;
use crate::invariants;
use crate::rng::Rng;
use onramp_core::pairs::{Form, PairOption};
use onramp_tcp::{Connection, EcnField, Flags, Options, PairOptions, SackBlocks, Segment};

const MS_NS: u64 = 1_000_000;

/// The sequence numbers that a real peer would use.
#[derive(Default)]
struct Known {
    /// The end's next sequence number, and its last acknowledgement number.
    seq: u32,
    ack: u32,
    isn: u32,
}

impl Known {
    /// A number near one of these, or any number.
    fn near(&self, rng: &mut Rng) -> u32 {
        let base = rng.pick(&[self.seq, self.ack, self.isn, self.seq.wrapping_sub(10_000)]);
        match rng.below(20) {
            0 => rng.next() as u32,
            1..=8 => base,
            _ => base
                .wrapping_add(rng.below(40_000) as u32)
                .wrapping_sub(20_000),
        }
    }

    fn segment(&self, rng: &mut Rng) -> Segment {
        let mut sack = SackBlocks::default();
        for _ in 0..rng.below(4) {
            let left = self.near(rng);
            sack.push(
                left,
                if rng.chance(80) {
                    left.wrapping_add(rng.below(20_000) as u32)
                } else {
                    self.near(rng)
                },
            );
        }
        let flags = match rng.below(20) {
            0 => Flags(rng.next() as u8),
            1 => Flags::SYN.with(Flags::ACK),
            2 => Flags::FIN.with(Flags::ACK),
            _ => Flags::ACK,
        };
        // ECE and CWR
        let flags = flags.with(Flags(rng.next() as u8 & 0xc0));
        let options = Options {
            mss: rng.chance(20).then(|| rng.next() as u16),
            window_scale: rng.chance(20).then(|| rng.below(20) as u8),
            sack_permitted: rng.chance(70),
            timestamps: rng
                .chance(60)
                .then(|| (rng.next() as u32, rng.next() as u32)),
            sack,
            pairs: pairs(rng),
        };
        Segment {
            seq: if rng.chance(60) {
                self.ack
            } else {
                self.near(rng)
            },
            ack: if rng.chance(40) {
                self.seq
            } else {
                self.near(rng)
            },
            payload_bytes: if rng.chance(50) {
                0
            } else {
                rng.below(3000) as u32
            },
            window: rng.pick(&[0, 1, 500, 5000, 65_535]),
            flags,
            ecn: EcnField::of_tos(rng.next() as u8),
            options,
        }
    }
}

/// Packet pairs: usually none, and otherwise any.
fn pairs(rng: &mut Rng) -> PairOptions {
    if rng.chance(60) {
        return PairOptions::default();
    }
    PairOptions {
        form: Some(rng.pick(&Form::ALL)),
        mark: rng
            .chance(70)
            .then(|| PairOption::of(rng.below(3) as u8, rng.below(5) as u8)),
        reply: rng
            .chance(50)
            .then(|| PairOption::reply(rng.below(5) as u8, rng.next() as u32)),
        malformed: rng.below(2) as u8,
    }
}

/// Runs an end through this many random events.
pub fn live(seed: u64, events: u64) {
    let mut rng = Rng::new(seed.wrapping_mul(0x1234_5678_9abc_def1));
    let config = Case::of(seed).configs[0].clone();
    let isn = config.isn;
    let mut now_ns = 0;
    let syn = Segment {
        flags: Flags::SYN,
        window: 5000,
        ..Known::default().segment(&mut rng)
    };
    let mut end = match rng.chance(50) {
        true => Connection::connect(config, 0),
        false => Connection::accept(config, 0, &syn),
    };
    let mut known = Known {
        isn,
        ..Known::default()
    };
    for _ in 0..events {
        match rng.below(16) {
            0 => drop(end.write(rng.below(20_000))),
            1 => drop(end.read(now_ns, rng.below(20_000))),
            2 if rng.chance(5) => end.close(),
            2..=4 => {
                let next_ns = end.next_timer_ns().unwrap_or(now_ns);
                now_ns = if rng.chance(50) {
                    next_ns.max(now_ns)
                } else {
                    now_ns + rng.below(300 * MS_NS)
                };
                end.on_timer(now_ns);
            }
            5..=8 => now_ns += rng.below(20 * MS_NS),
            _ => end.on_segment(now_ns, &known.segment(&mut rng)),
        }
        let mut sent = 0;
        while let Some(transmit) = end.poll_transmit(now_ns) {
            let segment = transmit.segment;
            known = Known {
                seq: segment.seq.wrapping_add(segment.sequence_bytes()),
                ack: segment.ack,
                isn,
            };
            sent += 1;
            assert!(sent < 200_000, "segments without end: {end:#?}");
        }
        invariants::check(&end, now_ns);
    }
}
