//! Measures how many packets per second one core carries through one saturated link, for each kind
//! of link. With an argument, only the kinds whose name begins with it.

use onramp_net::{
    Aggregation, CoDelConfig, Config, FqCoDelConfig, Jitter, Limit, Link, LossConfig, Packet,
    QueueConfig, RedConfig, TokenBucket,
};
use std::num::{NonZeroU32, NonZeroU64};
use std::time::Instant;

#[derive(Clone)]
struct Segment {
    number: u64,
    bytes: u32,
}

impl Packet for Segment {
    fn wire_bytes(&self) -> u32 {
        self.bytes
    }

    fn flow_hash(&self) -> u32 {
        (self.number % 8) as u32
    }

    fn is_expedited(&self) -> bool {
        true
    }
}

const RATE: NonZeroU64 = NonZeroU64::new(10_000_000_000).unwrap();

fn plain() -> Config {
    Config::plain(RATE, 1_000_000, Limit::Packets(1000))
}

fn main() {
    measure_queues();
    measure_buckets();
    measure_exits();
}

fn measure_exits() {
    let jitter = |reorder| {
        Some(Jitter {
            max_ns: 100_000,
            reorder,
        })
    };
    let aggregation = Some(Aggregation {
        interval_ns: 100_000,
        in_slots: false,
        gap_ns: 0,
        max_packets: NonZeroU32::new(64).expect("not 0"),
    });
    measure(
        "jitter",
        Config {
            jitter: jitter(false),
            ..plain()
        },
    );
    measure(
        "jitter, reordering",
        Config {
            jitter: jitter(true),
            ..plain()
        },
    );
    measure(
        "aggregation",
        Config {
            aggregation,
            ..plain()
        },
    );
}

fn measure_queues() {
    let queue = |queue| Config { queue, ..plain() };
    measure("drop-tail", plain());
    measure(
        "drop-tail, 0.1 % loss",
        Config {
            loss: LossConfig::Bernoulli { ppm: 1000 },
            ..plain()
        },
    );
    measure(
        "RED",
        queue(QueueConfig::Red(RedConfig {
            limit: Limit::Packets(1000),
            ..RedConfig::default()
        })),
    );
    measure("CoDel", queue(QueueConfig::CoDel(CoDelConfig::default())));
    measure(
        "FQ-CoDel, 8 flows",
        queue(QueueConfig::FqCoDel(FqCoDelConfig::default())),
    );
}

fn measure_buckets() {
    let bucket = Some(TokenBucket {
        rate_bits_per_s: RATE,
        burst_bytes: 100_000,
    });
    measure(
        "policer",
        Config {
            policer: bucket,
            ..plain()
        },
    );
    measure(
        "expedited, 8 flows",
        Config {
            expedited: bucket,
            ..plain()
        },
    );
    measure(
        "shaper",
        Config {
            shaper: bucket,
            ..plain()
        },
    );
}

/// Prints the best of several runs, because other work on the machine only slows a run down.
fn measure(name: &str, config: Config) {
    if !std::env::args()
        .nth(1)
        .is_none_or(|wanted| name.starts_with(&wanted))
    {
        return;
    }
    let (seconds, delivered) = (0..7)
        .map(|_| run(&config))
        .min_by(|a, b| a.0.total_cmp(&b.0))
        .expect("seven runs");
    println!(
        "{name:24}{:6.1} million packets/s, {delivered} delivered",
        PACKETS as f64 / seconds / 1e6
    );
}

const PACKETS: u64 = 5_000_000;

/// 1500 bytes per microsecond: 12 Gbit/s are offered to 10 Gbit/s, so a sixth is dropped.
fn run(config: &Config) -> (f64, u64) {
    let mut link = Link::from_config(config);
    let started = Instant::now();
    for number in 0..PACKETS {
        let now_ns = number * 1000;
        link.offer(
            now_ns,
            Segment {
                number,
                bytes: 1500,
            },
        );
        while link.poll(now_ns).is_some() {}
        while link.take_dropped().is_some() {}
    }
    (
        started.elapsed().as_secs_f64(),
        link.stats().delivered.packets,
    )
}
