//! From a scenario's channel to a link: the one place where what a file asks for becomes what
//! simulator and lab run.

use crate::{Channel, Discipline, QueueLimit, Red, TokenBucket};
use onramp_net::{
    Change, CoDelConfig, Config, FqCoDelConfig, Limit, LossConfig, QueueConfig, RedConfig,
};
use std::num::{NonZeroU32, NonZeroU64};

impl Channel {
    /// The link of this channel. A bdp is one of the channel's rate and this round-trip time.
    pub fn link_config(&self, rtt_ns: u64, seed: u64) -> Config {
        let changes = self.changes.iter().map(|change| Change {
            at_ns: change.at_ns,
            rate_bits_per_s: change.rate_bits_per_s.map(not_zero),
            delay_ns: change.delay_ns,
            loss_ppm: change.loss_ppm,
        });
        let loss = match (self.bursts, self.loss_every) {
            (Some(bursts), _) => LossConfig::GilbertElliott {
                p_ppm: bursts.enter_ppm,
                r_ppm: bursts.leave_ppm,
                loss_good_ppm: bursts.loss_good_ppm,
                loss_bad_ppm: bursts.loss_bad_ppm,
            },
            (None, Some(every)) => LossConfig::Periodic { every },
            (None, None) if self.loss_ppm == 0 => LossConfig::None,
            (None, None) => LossConfig::Bernoulli { ppm: self.loss_ppm },
        };
        Config {
            changes: changes.collect(),
            queue: self.queue_config(rtt_ns),
            shaper: self.shaper.map(bucket),
            policer: self.policer.map(bucket),
            expedited: self.expedited.map(bucket),
            loss,
            duplicate_ppm: self.duplicate_ppm,
            jitter: self.jitter,
            aggregation: self.aggregation.map(|a| onramp_net::Aggregation {
                interval_ns: a.interval_ns,
                max_packets: NonZeroU32::new(a.most_packets).unwrap_or(NonZeroU32::MIN),
            }),
            seed,
            ..Config::plain(
                not_zero(self.rate_bits_per_s),
                self.delay_ns,
                self.limit(self.queue, rtt_ns),
            )
        }
    }

    fn limit(&self, queue: QueueLimit, rtt_ns: u64) -> Limit {
        match queue {
            QueueLimit::Packets(packets) => Limit::Packets(packets),
            in_bytes => Limit::Bytes(
                in_bytes
                    .bytes(self.rate_bits_per_s, rtt_ns)
                    .unwrap_or(u64::MAX),
            ),
        }
    }

    fn queue_config(&self, rtt_ns: u64) -> QueueConfig {
        let limit = self.limit(self.queue, rtt_ns);
        match self.discipline {
            Discipline::DropTail if self.ack_filter => QueueConfig::AckFilter(limit),
            Discipline::DropTail => QueueConfig::DropTail(limit),
            Discipline::Red(red) => QueueConfig::Red(self.red_config(&red, limit, rtt_ns)),
            Discipline::CoDel(codel) => QueueConfig::CoDel(CoDelConfig {
                target_ns: codel.target_ns,
                interval_ns: codel.interval_ns,
                mtu_bytes: codel.mtu_bytes,
                limit,
            }),
            Discipline::FqCoDel(fq) => QueueConfig::FqCoDel(FqCoDelConfig {
                target_ns: fq.codel.target_ns,
                interval_ns: fq.codel.interval_ns,
                mtu_bytes: fq.codel.mtu_bytes,
                quantum_bytes: fq.quantum_bytes,
                limit_packets: match limit {
                    Limit::Packets(packets) => packets,
                    Limit::Bytes(bytes) => {
                        u32::try_from(bytes / u64::from(fq.codel.mtu_bytes.max(1)))
                            .unwrap_or(u32::MAX)
                    }
                }
                .max(1),
                ..FqCoDelConfig::default()
            }),
        }
    }

    /// Thresholds beyond 2^32 - 1 bytes, which a link does not have, are as good as that.
    fn red_config(&self, red: &Red, limit: Limit, rtt_ns: u64) -> RedConfig {
        let threshold = |queue| match self.limit(queue, rtt_ns) {
            Limit::Packets(packets) => u64::from(packets),
            Limit::Bytes(bytes) => bytes.min(u64::from(u32::MAX)),
        };
        let max_threshold = threshold(red.max).max(1);
        RedConfig {
            limit,
            min_threshold: threshold(red.min).min(max_threshold - 1),
            max_threshold,
            max_p_ppm: red.probability_ppm,
            weight_shift: nearest_shift(red.weight_ppm),
            gentle: red.gentle,
            ..RedConfig::default()
        }
    }
}

/// The n of the 2^-n nearest to a share.
fn nearest_shift(ppm: u32) -> u32 {
    (0..=24)
        .min_by_key(|shift| ppm.abs_diff(1_000_000 >> shift))
        .unwrap_or(0)
}

fn bucket(bucket: TokenBucket) -> onramp_net::TokenBucket {
    let burst_bytes = u32::try_from(bucket.burst_bytes).unwrap_or(u32::MAX);
    onramp_net::TokenBucket {
        rate_bits_per_s: not_zero(bucket.rate_bits_per_s),
        burst_bytes,
    }
}

/// A scenario's rates are not zero; a case made by hand has the least instead.
fn not_zero(rate_bits_per_s: u64) -> NonZeroU64 {
    NonZeroU64::new(rate_bits_per_s).unwrap_or(NonZeroU64::MIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        let text = format!(
            "name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 ms\"\n{text}\n[[transfer]]\nsize = \"1 B\"\n"
        );
        let case = crate::parse("x.toml", &text)
            .unwrap_or_else(|e| panic!("{:?}", miette::Report::new(e)))
            .cases
            .remove(0);
        let config = case.path.forward.link_config(case.path.rtt_ns, 7);
        config.check().unwrap();
        config
    }

    #[test]
    fn a_plain_path_is_a_plain_link() {
        let plain = Config::plain(
            NonZeroU64::new(8_000_000).unwrap(),
            50_000_000,
            Limit::Bytes(100_000),
        );
        assert_eq!(config(""), Config { seed: 7, ..plain });
        assert_eq!(
            config("loss = \"1 %\"").loss,
            LossConfig::Bernoulli { ppm: 10_000 }
        );
        let every = NonZeroU32::new(100).unwrap();
        assert_eq!(
            config("loss_every = \"100 packets\"").loss,
            LossConfig::Periodic { every }
        );
    }

    #[test]
    fn a_drop_tail_queue_may_filter_acknowledgements() {
        let queue = |text| config(text).queue;
        assert_eq!(
            queue("ack_filter = true"),
            QueueConfig::AckFilter(Limit::Bytes(100_000))
        );
        assert_eq!(
            queue("ack_filter = false"),
            QueueConfig::DropTail(Limit::Bytes(100_000))
        );
    }

    #[test]
    fn red_is_measured_in_the_unit_of_its_queue() {
        let usual = RedConfig {
            max_p_ppm: 100_000,
            gentle: true,
            ..RedConfig::default()
        };
        let packets = RedConfig {
            limit: Limit::Packets(60),
            ..usual
        };
        assert_eq!(
            config("queue = \"60 packets\"\ndiscipline = \"red\"").queue,
            QueueConfig::Red(packets)
        );
        let bytes = RedConfig {
            limit: Limit::Bytes(100_000),
            min_threshold: 10_000,
            max_threshold: 50_000,
            ..usual
        };
        let text = "discipline = \"red\"\n[path.red]\nmin = \"0.1 bdp\"\nmax = \"0.5 bdp\"";
        assert_eq!(config(text).queue, QueueConfig::Red(bytes));
    }

    #[test]
    fn the_least_queue_makes_a_red_that_a_link_accepts() {
        config("queue = \"1 packet\"\ndiscipline = \"red\"");
        config("queue = \"0.000001 bdp\"\ndiscipline = \"red\"");
    }

    #[test]
    fn fq_codel_has_a_queue_of_its_own() {
        let packets = |text| match config(text).queue {
            QueueConfig::FqCoDel(fq) => fq.limit_packets,
            other => panic!("{other:?}"),
        };
        assert_eq!(packets("discipline = \"fq-codel\""), 10_240);
        assert_eq!(
            packets("discipline = \"fq-codel\"\nqueue = \"40 packets\""),
            40
        );
    }

    #[test]
    fn the_weight_is_the_nearest_power_of_two() {
        assert_eq!(
            [1_000_000, 700_000, 500_000, 2_000, 1].map(nearest_shift),
            [0, 1, 1, 9, 19]
        );
    }

    #[test]
    fn every_element_arrives() {
        let text = "duplicate = \"1 %\"\njitter = \"2 ms\"\nreorder = true\naggregate = \"4 ms\"\naggregate_most = 8\n\
                    queue = \"500 packets\"\ndiscipline = \"fq-codel\"\nshaper_rate = \"4 Mbit/s\"\nshaper_burst = \"3 kB\"\n\
                    policer_rate = \"5 Mbit/s\"\npolicer_burst = \"30 kB\"\nef_rate = \"2 Mbit/s\"\nef_burst = \"50 kB\"\n\
                    [path.bursts]\nenter = \"1 %\"\nleave = \"25 %\"\nloss_bad = \"50 %\"\n\
                    [[path.change]]\nat = \"2 s\"\nrate = \"1 Mbit/s\"\nrtt = \"300 ms\"\n";
        insta::assert_debug_snapshot!(config(text));
    }
}
