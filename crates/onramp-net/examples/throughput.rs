//! How many packets a second one core carries through one saturated link.

use onramp_net::{Bernoulli, DropTail, Limit, Link, Packet};
use std::num::NonZeroU64;
use std::time::Instant;

struct Segment {
    _number: u64,
    bytes: u32,
}

impl Packet for Segment {
    fn wire_bytes(&self) -> u32 {
        self.bytes
    }
}

fn main() {
    // 1500 bytes each microsecond: 12 Gbit/s are offered to 10 Gbit/s, and a sixth is dropped.
    const PACKETS: u64 = 20_000_000;
    let rate = NonZeroU64::new(10_000_000_000).expect("not 0");
    let queue = DropTail::new(Limit::Packets(1000));
    let mut link = Link::new(rate, 1_000_000, queue, Bernoulli::new(1000, 1, 0));
    let started = Instant::now();
    for number in 0..PACKETS {
        let now_ns = number * 1000;
        link.offer(now_ns, Segment { _number: number, bytes: 1500 });
        while link.poll(now_ns).is_some() {}
    }
    let seconds = started.elapsed().as_secs_f64();
    println!("{:.1} million packets a second; {:?}", PACKETS as f64 / seconds / 1e6, link.stats());
}
