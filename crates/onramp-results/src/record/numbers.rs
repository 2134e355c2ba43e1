//! Numbers of what a record has in the words of the scenario.

use super::{words, Record};
use onramp_scenario::units::parse_size;
use onramp_scenario::{bytes_in, mean_loss_ppm, QueueLimit};

impl Record {
    /// Rate x RTT of the path, in bytes of IP packets.
    pub fn bdp_bytes(&self) -> u64 {
        bytes_in(self.rate_bits_per_s, (self.rtt_ms * 1e6).round() as u64)
    }

    /// The queue of the bottleneck in BDPs. Packets are counted as large as the path's MTU. `None`
    /// if the words of the column are none of a scenario's.
    pub fn queue_bdp(&self) -> Option<f64> {
        match self.queue.parse().ok()? {
            QueueLimit::BdpPpm(ppm) => Some(ppm as f64 / 1e6),
            _ => Some(self.queue_bytes()? / self.bdp_bytes().max(1) as f64),
        }
    }

    /// The queue of the bottleneck in packets of the path's MTU, with a fraction where it is given
    /// in another unit. `None` as for [`queue_bdp`](Record::queue_bdp).
    pub fn queue_packets(&self) -> Option<f64> {
        Some(self.queue_bytes()? / words::mtu_bytes(&self.path) as f64)
    }

    fn queue_bytes(&self) -> Option<f64> {
        Some(match self.queue.parse().ok()? {
            QueueLimit::Packets(packets) => {
                f64::from(packets) * words::mtu_bytes(&self.path) as f64
            }
            QueueLimit::Bytes(bytes) => bytes as f64,
            QueueLimit::BdpPpm(ppm) => self.bdp_bytes() as f64 * (ppm as f64 / 1e6),
        })
    }

    /// The mean random loss of the forward path at the start, in percent. `None` as for
    /// [`queue_bdp`](Record::queue_bdp).
    pub fn loss_percent(&self) -> Option<f64> {
        mean_loss_ppm(&self.loss).map(|ppm| ppm / 1e4)
    }

    /// The receive buffer, if it has a fixed size.
    pub fn receiver_buffer_bytes(&self) -> Option<u64> {
        parse_size(&self.receiver_buffer).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(path: &str) -> Record {
        let text = format!(
            "name = \"x\"\n[path]\nrate = \"12 Mbit/s\"\nrtt = \"100 ms\"\n{path}\
             [[transfer]]\nsize = \"1 B\"\n"
        );
        let scenario = onramp_scenario::parse("x.toml", &text).unwrap();
        Record::of_case(&scenario.cases[0], "sim")
    }

    #[test]
    fn queues_are_numbers_in_both_units() {
        let of = |path: &str| {
            let record = record(path);
            (record.queue_bdp().unwrap(), record.queue_packets().unwrap())
        };
        assert_eq!(of("queue = \"0.4 bdp\"\n"), (0.4, 40.0));
        assert_eq!(of("queue = \"40 packets\"\n"), (0.4, 40.0));
        assert_eq!(of("queue = \"75 kB\"\n"), (0.5, 50.0));
        assert_eq!(of("queue = \"75 kB\"\nmtu = \"500 B\"\n"), (0.5, 150.0));
    }

    #[test]
    fn losses_are_percentages() {
        assert_eq!(record("").loss_percent(), Some(0.0));
        assert_eq!(record("loss = \"0.25 %\"\n").loss_percent(), Some(0.25));
        let periodic = record("loss_every = \"200 packets\"\n");
        assert_eq!(periodic.loss_percent(), Some(0.5));
    }

    #[test]
    fn a_buffer_that_grows_has_no_size() {
        assert_eq!(record("").receiver_buffer_bytes(), None);
        let fixed = record("[receiver]\nbuffer = \"64 KiB\"\n");
        assert_eq!(fixed.receiver_buffer_bytes(), Some(65_536));
    }
}
