//! The networks of the benchmark.

use onramp_scenario::{
    Avoidance, Buffer, Case, Channel, InitialWindow, Network, NetworkLink, QueueLimit, Recovery,
    Stack, Timers,
};
use std::sync::Arc;

/// A dumbbell topology: senders and receivers, each with its own access link, and one bottleneck.
pub struct Dumbbell {
    /// Number of senders, and of receivers.
    pub pairs: usize,
    /// Number of transfers, which use the pairs in turn.
    pub flows: usize,
    /// Rate of each access link.
    pub access_bits_per_s: u64,
    /// Rate of the bottleneck.
    pub rate_bits_per_s: u64,
    /// Limit of every queue.
    pub queue_packets: u32,
    /// Send and receive buffer.
    pub window_bytes: u64,
    /// Simulated time in seconds.
    pub seconds: u64,
    /// TCP stack of the hosts.
    pub stack: Stack,
}

/// Figure 1 of Aron & Druschel 1998, as in `benches/ns3`. The round-trip time is 60 ms.
pub fn wan() -> Dumbbell {
    Dumbbell {
        pairs: 8,
        flows: 8,
        access_bits_per_s: 100_000_000,
        rate_bits_per_s: 155_000_000,
        queue_packets: 200,
        window_bytes: 512 << 10,
        seconds: 30,
        stack: Stack::Lite,
    }
}

/// Many flows at 10 Gbit/s, between a hundred pairs of hosts.
pub fn fast(flows: usize, seconds: u64) -> Dumbbell {
    let (rate_bits_per_s, queue_packets) = (10_000_000_000, 5000);
    let (access_bits_per_s, window_bytes) = (10_000_000_000, 4 << 20);
    let pairs = flows.min(100);
    Dumbbell {
        pairs,
        flows,
        access_bits_per_s,
        rate_bits_per_s,
        queue_packets,
        window_bytes,
        seconds,
        stack: Stack::Linux,
    }
}

/// Small cells, as a sweep has them: 10,000 transfers of 10 and 30 kB. `python/bench/cells.py` runs
/// them too.
const CELLS: &str = include_str!("cells.toml");

/// The cases of the small cells.
pub fn cells() -> Vec<Case> {
    let scenario = onramp_scenario::parse("cells.toml", CELLS).expect("the text is right");
    scenario.cases
}

impl Dumbbell {
    /// The case. Its transfers do not end within the simulated time.
    pub fn case(&self) -> Case {
        let text = "name = \"speed\"\n[path]\nrate = \"155 Mbit/s\"\nrtt = \"60 ms\"\n\
            queue = \"200 packets\"\n\
                    [[transfer]]\nsize = \"100 GB\"\n";
        let mut case = onramp_scenario::parse("speed.toml", text)
            .expect("the text is right")
            .cases
            .remove(0);
        let channel = |rate_bits_per_s, delay_ns| Channel {
            rate_bits_per_s,
            delay_ns,
            queue: QueueLimit::Packets(self.queue_packets),
            ..case.path.forward.clone()
        };
        let link = |from, to, rate, delay_ns| {
            let (forward, reverse) = (channel(rate, delay_ns), channel(rate, delay_ns));
            NetworkLink {
                from,
                to,
                mtu_bytes: 1500,
                forward,
                reverse,
            }
        };
        let (sender, receiver) = (|flow| 2 + flow, |flow| 2 + self.pairs + flow);
        let mut nodes = vec!["left".to_owned(), "right".to_owned()];
        nodes.extend((0..self.pairs).map(|flow| format!("sender {flow}")));
        nodes.extend((0..self.pairs).map(|flow| format!("receiver {flow}")));
        let mut links = vec![link(0, 1, self.rate_bits_per_s, 29_000_000)];
        links.extend(
            (0..self.pairs).map(|flow| link(sender(flow), 0, self.access_bits_per_s, 500_000)),
        );
        links.extend(
            (0..self.pairs).map(|flow| link(1, receiver(flow), self.access_bits_per_s, 500_000)),
        );
        let network = Network { nodes, links };
        case.path = network
            .path(sender(0), receiver(0))
            .expect("the links connect them");
        case.network = Arc::new(network);
        case.receiver.buffer = Buffer::Bytes(self.window_bytes);
        case.sender.buffer = Buffer::Bytes(self.window_bytes);
        case.duration_ns = Some(self.seconds * 1_000_000_000);
        let transfer = &mut case.transfer;
        (transfer.from, transfer.to) = (
            (0..self.pairs).map(sender).collect(),
            (0..self.pairs).map(receiver).collect(),
        );
        transfer.count = self.flows as u32;
        transfer.initial_window = InitialWindow::Host;
        if self.stack == Stack::Lite {
            (transfer.stack, transfer.avoidance) = (Stack::Lite, Avoidance::Reno);
            (transfer.recovery, transfer.timers) = (Recovery::NewReno, Timers::Bsd);
        }
        case
    }
}
