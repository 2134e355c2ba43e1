//! Draws a case: the options of two ends, a path for each direction, and what the applications do.

use crate::rng::Rng;
use onramp_core::pairs::Form;
use onramp_tcp::{
    Acks, Avoidance, ByteCounting, Config, Ecn, InitialWindow, PacketPair, ReceiveBuffer, Recovery,
    Reservation, Stack, Ticks, Timers,
};
use std::num::NonZeroU8;

const MS_NS: u64 = 1_000_000;

/// A random case.
#[derive(Clone, Debug)]
pub struct Case {
    pub configs: [Config; 2],
    pub paths: [Path; 2],
    pub applications: [Application; 2],
}

/// The path in one direction.
#[derive(Clone, Copy, Debug)]
pub struct Path {
    pub delay_ns: u64,
    /// Maximum random delay that is added to each segment, which reorders them.
    pub jitter_ns: u64,
    pub loss_percent: u64,
    pub duplicate_percent: u64,
    /// Share of the segments with ECT that are marked.
    pub mark_percent: u64,
    /// From this time on, the delay is `changed_delay_ns`.
    pub changes_at_ns: u64,
    pub changed_delay_ns: u64,
}

/// The application of one end.
#[derive(Clone, Copy, Debug)]
pub struct Application {
    pub bytes: u64,
    /// Maximum bytes that it writes, and reads, at a time.
    pub write_bytes: u64,
    pub read_bytes: u64,
    /// Maximum pause between its turns.
    pub pause_ns: u64,
    /// It reads immediately whatever arrives.
    pub eager: bool,
    /// Percentage of its turns after which it sleeps for a long time.
    pub sleep_percent: u64,
}

impl Case {
    pub fn of(seed: u64) -> Case {
        let mut rng = Rng::new(seed);
        let rng = &mut rng;
        let mtu_bytes = [0; 2].map(|_| match rng.chance(60) {
            true => rng.pick(&[576, 1500, 9000]),
            false => rng.between(576, 9000),
        });
        let configs = mtu_bytes.map(|mtu_bytes| config(rng, mtu_bytes as u32));
        let delay_ns = rng.magnitude(MS_NS / 10, 400 * MS_NS);
        let is_clean = rng.chance(15);
        let paths = [0; 2].map(|_| path(rng, delay_ns, is_clean));
        let narrowest = configs.iter().map(narrow_bytes).min().expect("two ends");
        let max_bytes = narrowest.saturating_mul(100).min(1 << 20);
        let bytes = [0; 2].map(|_| {
            if rng.chance(20) {
                0
            } else {
                rng.magnitude(1, max_bytes)
            }
        });
        let applications = [0, 1].map(|end| application(rng, bytes[end], bytes[1 - end]));
        Case {
            configs,
            paths,
            applications,
        }
    }
}

/// The bytes that an end's buffers allow in a round trip.
fn narrow_bytes(config: &Config) -> u64 {
    match config.receive_buffer {
        ReceiveBuffer::LinuxDefault => config.send_buffer_bytes,
        ReceiveBuffer::Bytes(bytes) | ReceiveBuffer::Exactly(bytes) => {
            bytes.min(config.send_buffer_bytes)
        }
    }
}

fn config(rng: &mut Rng, mtu_bytes: u32) -> Config {
    let own = Config::of(rng.pick(Stack::ALL), mtu_bytes);
    if rng.chance(10) {
        return Config {
            isn: rng.next() as u32,
            ..own
        };
    }
    Config {
        timestamps: rng.chance(50),
        sack: rng.chance(60),
        window_scaling: rng.chance(70),
        startup: rng
            .chance(85)
            .then(|| rng.pick(onramp_core::startup_names())),
        startup_options: rng.pick(&[0, onramp_core::OPTION_PAPER_INITIAL_WINDOW]),
        startup_variant: rng.pick(&[0, 1, 2]),
        reservation: rng.chance(50).then(|| reservation(rng)),
        avoidance: rng.pick(Avoidance::ALL),
        recovery: rng.pick(Recovery::ALL),
        timers: rng.pick(Timers::ALL),
        acks: rng.pick(Acks::ALL),
        initial_window: match rng.chance(80) {
            true => InitialWindow::Segments(rng.between(1, 20) as u32),
            false => InitialWindow::Rfc3390,
        },
        fixed_rate_bits_per_s: rng
            .chance(10)
            .then(|| rng.magnitude(1_000_000, 1_000_000_000)),
        initial_ssthresh_bytes: rng.chance(30).then(|| rng.magnitude(1, 1 << 20)),
        receive_buffer: receive_buffer(rng),
        send_buffer_bytes: if rng.chance(30) {
            rng.magnitude(1, 1 << 20)
        } else {
            64 << 20
        },
        packet_pair: rng.pick(PacketPair::ALL),
        pair_form: if rng.chance(70) {
            Form::Experiment
        } else {
            Form::Paper
        },
        nagle: rng.chance(50),
        window_validation: rng.chance(70),
        unpaced_segments: rng.magnitude(1, 20) as u32,
        paces_in_bursts: rng.chance(70),
        restart_after_idle: rng.chance(50),
        ticks: ticks(rng),
        isn: if rng.chance(50) {
            0u32.wrapping_sub(rng.below(100_000) as u32)
        } else {
            rng.next() as u32
        },
        timestamp_offset: if rng.chance(50) {
            0u32.wrapping_sub(rng.below(10_000) as u32)
        } else {
            rng.next() as u32
        },
        byte_counting: match NonZeroU8::new(rng.below(4) as u8) {
            Some(segments) => ByteCounting::Segments(segments),
            None => ByteCounting::Unlimited,
        },
        ecn: rng.pick(Ecn::ALL),
        ..own
    }
}

fn reservation(rng: &mut Rng) -> Reservation {
    Reservation {
        bytes_per_s: rng.magnitude(10_000, 1_000_000_000),
        burst_bytes: rng.chance(50).then(|| rng.magnitude(1, 1 << 20) as u32),
    }
}

fn receive_buffer(rng: &mut Rng) -> ReceiveBuffer {
    match rng.below(10) {
        0..=3 => ReceiveBuffer::LinuxDefault,
        4 => ReceiveBuffer::Bytes(rng.between(1, 100)),
        5 | 6 => ReceiveBuffer::Bytes(rng.magnitude(100, 10_000)),
        7 => ReceiveBuffer::Exactly(rng.magnitude(100, 1 << 20)),
        _ => ReceiveBuffer::Bytes(rng.magnitude(10_000, 1 << 20)),
    }
}

fn ticks(rng: &mut Rng) -> Ticks {
    Ticks {
        measure_ns: rng.pick(&[1, MS_NS, 10 * MS_NS, 500 * MS_NS]),
        event_ns: rng.pick(&[1, MS_NS, 10 * MS_NS, 500 * MS_NS]),
        phase_ns: rng.below(1000 * MS_NS),
    }
}

fn path(rng: &mut Rng, delay_ns: u64, is_clean: bool) -> Path {
    let jitter_ns = if rng.chance(50) {
        rng.below(2 * delay_ns)
    } else {
        0
    };
    let loss_percent = if rng.chance(80) {
        rng.magnitude(1, 30)
    } else {
        0
    };
    let duplicate_percent = if rng.chance(40) {
        rng.magnitude(1, 20)
    } else {
        0
    };
    let (changes_at_ns, changed_delay_ns) = (
        rng.magnitude(MS_NS, 100_000 * MS_NS),
        rng.magnitude(MS_NS / 10, 800 * MS_NS),
    );
    let changes_at_ns = if rng.chance(30) {
        changes_at_ns
    } else {
        u64::MAX
    };
    let bad = Path {
        delay_ns,
        jitter_ns,
        loss_percent,
        duplicate_percent,
        mark_percent: rng.pick(&[0, 1, 10, 100]),
        changes_at_ns,
        changed_delay_ns,
    };
    match is_clean {
        true => Path {
            jitter_ns: 0,
            loss_percent: 0,
            duplicate_percent: 0,
            changes_at_ns: u64::MAX,
            ..bad
        },
        false => bad,
    }
}

fn application(rng: &mut Rng, bytes: u64, peer_bytes: u64) -> Application {
    let piece = |rng: &mut Rng, of: u64| match rng.chance(50) {
        true => u64::MAX,
        false => rng.magnitude(of / 100 + 1, of + 1),
    };
    Application {
        bytes,
        write_bytes: piece(rng, bytes),
        read_bytes: piece(rng, peer_bytes),
        pause_ns: rng.magnitude(MS_NS / 10, 1000 * MS_NS),
        eager: rng.chance(50),
        sleep_percent: if rng.chance(20) { 10 } else { 0 },
    }
}
