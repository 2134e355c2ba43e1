//! An emulated path between the endpoint and the host: one onramp-net link each way.

use onramp_lab::parts::{Buffer, Pool, Tun};
use onramp_net::{Config, Limit, Link, LossConfig};
use std::io;
use std::num::NonZeroU64;

/// The path, the same both ways.
#[derive(Clone, Debug, PartialEq)]
pub struct PathSettings {
    /// Rate of the link.
    pub rate_bits_per_s: NonZeroU64,
    /// Delay each way.
    pub delay_ns: u64,
    /// Probability in millionths that a packet is lost.
    pub loss_ppm: u32,
    /// Room in the queue before the link.
    pub queue: Limit,
    /// Of the losses.
    pub seed: u64,
}

impl PathSettings {
    fn link(&self, seed: u64) -> Link<Buffer> {
        let loss = match self.loss_ppm {
            0 => LossConfig::None,
            ppm => LossConfig::Bernoulli { ppm },
        };
        Link::from_config(&Config {
            loss,
            seed,
            ..Config::plain(self.rate_bits_per_s, self.delay_ns, self.queue)
        })
    }
}

/// The packets under way.
pub struct Path {
    to_host: Link<Buffer>,
    from_host: Link<Buffer>,
    pool: Pool,
}

impl Path {
    /// For packets of so many bytes at most.
    pub fn new(settings: &PathSettings, mtu_bytes: u32) -> Path {
        Path {
            to_host: settings.link(settings.seed),
            from_host: settings.link(!settings.seed),
            pool: Pool::new(mtu_bytes as usize, 0),
        }
    }

    /// Takes in what the host has sent, at most so many packets; `false` when it has no more.
    pub fn gather(&mut self, now_ns: u64, tun: &Tun, most: usize) -> io::Result<bool> {
        for _ in 0..most {
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
        Some(self.from_host.poll(now_ns)?.packet)
    }

    /// Takes in what the endpoint sends.
    pub fn send(&mut self, now_ns: u64, packet: &[u8]) {
        let mut buffer = self.pool.take();
        buffer.room()[..packet.len()].copy_from_slice(packet);
        buffer.truncate(packet.len());
        self.to_host.offer(now_ns, buffer);
    }

    /// The next packet that has reached the host.
    pub fn deliver(&mut self, now_ns: u64) -> Option<Buffer> {
        Some(self.to_host.poll(now_ns)?.packet)
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
