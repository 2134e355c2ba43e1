//! An emulated path between the endpoint and the host: one onramp-net link in each direction.

use onramp_host::{Buffer, Pool, Tun};
use onramp_net::{CoDelConfig, Config, Limit, Link, LossConfig, QueueConfig};
use std::io;
use std::num::NonZeroU64;

/// The parameters of the path, the same in both directions.
#[derive(Clone, Debug, PartialEq)]
pub struct PathSettings {
    /// Rate of the link in bit/s.
    pub rate_bits_per_s: NonZeroU64,
    /// One-way delay.
    pub delay_ns: u64,
    /// Probability of losing a packet, in millionths.
    pub loss_ppm: u32,
    /// Limit of the queue in front of the link.
    pub queue: Limit,
    /// The queue is kept by CoDel (RFC 8289), which marks packets of connections with ECN and drops
    /// others. Otherwise it only drops packets that find no room.
    pub codel: bool,
    /// Seed of the losses. The same seed loses the same packets of a sequence.
    pub seed: u64,
}

impl PathSettings {
    fn link(&self, seed: u64) -> Link<Buffer> {
        let loss = match self.loss_ppm {
            0 => LossConfig::None,
            ppm => LossConfig::Bernoulli { ppm },
        };
        let queue = match self.codel {
            false => QueueConfig::DropTail(self.queue),
            true => QueueConfig::CoDel(CoDelConfig {
                limit: self.queue,
                ecn: true,
                ..CoDelConfig::default()
            }),
        };
        Link::from_config(&Config {
            loss,
            seed,
            queue,
            ..Config::plain(self.rate_bits_per_s, self.delay_ns, self.queue)
        })
    }
}

/// The path with the packets in flight.
pub struct Path {
    to_host: Link<Buffer>,
    from_host: Link<Buffer>,
    pool: Pool,
}

impl Path {
    /// An empty path for packets of at most `mtu_bytes`.
    pub fn new(settings: &PathSettings, mtu_bytes: u32) -> Path {
        Path {
            to_host: settings.link(settings.seed),
            from_host: settings.link(!settings.seed),
            pool: Pool::new(mtu_bytes as usize, 0),
        }
    }

    /// Reads up to `max_packets` packets of the host into the path. Returns `false` if the host has
    /// no more.
    pub fn gather(&mut self, now_ns: u64, tun: &Tun, max_packets: usize) -> io::Result<bool> {
        for _ in 0..max_packets {
            let mut buffer = self.pool.take();
            let Some(length) = tun.read(buffer.room())? else {
                return Ok(false);
            };
            buffer.truncate(length);
            self.from_host.offer(now_ns, buffer);
        }
        Ok(true)
    }

    /// The next packet that has reached the endpoint.
    pub fn receive(&mut self, now_ns: u64) -> Option<Buffer> {
        poll(&mut self.from_host, now_ns)
    }

    /// Puts a packet of the endpoint on the path.
    pub fn send(&mut self, now_ns: u64, packet: &[u8]) {
        let mut buffer = self.pool.take();
        buffer.room()[..packet.len()].copy_from_slice(packet);
        buffer.truncate(packet.len());
        self.to_host.offer(now_ns, buffer);
    }

    /// The next packet that has reached the host.
    pub fn deliver(&mut self, now_ns: u64) -> Option<Buffer> {
        poll(&mut self.to_host, now_ns)
    }

    /// When the next packet arrives at either end.
    pub fn next_ns(&self) -> Option<u64> {
        [
            self.to_host.next_departure_ns(),
            self.from_host.next_departure_ns(),
        ]
        .into_iter()
        .flatten()
        .min()
    }
}

/// The next packet that has left a link. Those that CoDel drops return to the pool.
fn poll(link: &mut Link<Buffer>, now_ns: u64) -> Option<Buffer> {
    let departure = link.poll(now_ns);
    while link.take_dropped().is_some() {}
    Some(departure?.packet)
}
