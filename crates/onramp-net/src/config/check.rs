//! Checks of a configuration that its types cannot express.

use super::error::ConfigError;
use super::{Config, LossConfig, Service};
use crate::{Framing, QueueConfig, TokenBucket};

const RATE_MAX: u64 = 1_000_000_000_000_000_000;
/// 31 years. The sum of a few such times fits into 64 bits.
const TIME_MAX_NS: u64 = 1_000_000_000_000_000_000;
const BURST_MAX: u64 = (1 << 30) - 1;
const MILLION: u64 = 1_000_000;
/// Limit for thresholds and intervals, so that their squares and fixed-point forms fit into 64
/// bits.
const SMALL_MAX: u64 = u32::MAX as u64;
/// Limit for gains of a controller, as in Linux.
const GAIN_MAX: u64 = (1 << 31) - 1;

fn range(field: &'static str, value: u64, min: u64, max: u64) -> Result<(), ConfigError> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    Err(ConfigError::Range {
        field,
        value,
        min,
        max,
    })
}

fn ppm(field: &'static str, ppm: u32) -> Result<(), ConfigError> {
    range(field, u64::from(ppm), 0, MILLION)
}

impl Config {
    /// Checks that a link can be built from this configuration.
    ///
    /// # Errors
    /// The first field that is out of range, or the first change that is out of order.
    pub fn check(&self) -> Result<(), ConfigError> {
        range("rate_bits_per_s", self.rate_bits_per_s.get(), 1, RATE_MAX)?;
        range("delay_ns", self.delay_ns, 0, TIME_MAX_NS)?;
        for (index, change) in self.changes.iter().enumerate() {
            if index > 0 && change.at_ns < self.changes[index - 1].at_ns {
                return Err(ConfigError::ChangesUnsorted { index });
            }
            range(
                "changes.rate_bits_per_s",
                change.rate_bits_per_s.map_or(1, |rate| rate.get()),
                1,
                RATE_MAX,
            )?;
            range(
                "changes.delay_ns",
                change.delay_ns.unwrap_or(0),
                0,
                TIME_MAX_NS,
            )?;
            ppm("changes.loss_ppm", change.loss_ppm.unwrap_or(0))?;
        }
        let bucket = |rate, burst, bucket: &Option<TokenBucket>| match bucket {
            Some(bucket) => {
                range(rate, bucket.rate_bits_per_s.get(), 1, RATE_MAX)?;
                range(burst, u64::from(bucket.burst_bytes), 1, BURST_MAX)
            }
            None => Ok(()),
        };
        bucket("shaper.rate_bits_per_s", "shaper.burst_bytes", &self.shaper)?;
        bucket(
            "policer.rate_bits_per_s",
            "policer.burst_bytes",
            &self.policer,
        )?;
        bucket(
            "expedited.rate_bits_per_s",
            "expedited.burst_bytes",
            &self.expedited,
        )?;
        // A flow's guaranteed rate cannot exceed the rate of the link.
        let guaranteed = self
            .expedited
            .map_or(1, |profile| profile.rate_bits_per_s.get());
        range(
            "expedited.rate_bits_per_s",
            guaranteed,
            1,
            self.rate_bits_per_s.get(),
        )?;
        ppm("duplicate_ppm", self.duplicate_ppm)?;
        self.check_exit()?;
        self.check_service()?;
        self.check_recorded()?;
        self.check_loss()?;
        self.check_queue()
    }

    /// Jitter, aggregation and the late timer.
    fn check_exit(&self) -> Result<(), ConfigError> {
        range(
            "jitter.max_ns",
            self.jitter.map_or(0, |jitter| jitter.max_ns),
            0,
            TIME_MAX_NS,
        )?;
        let interval_ns = self
            .aggregation
            .map_or(0, |aggregation| aggregation.interval_ns);
        let in_slots = self
            .aggregation
            .is_some_and(|aggregation| aggregation.in_slots);
        let min_ns = u64::from(in_slots);
        range("aggregation.interval_ns", interval_ns, min_ns, TIME_MAX_NS)?;
        let gap_ns = self.aggregation.map_or(0, |aggregation| aggregation.gap_ns);
        range("aggregation.gap_ns", gap_ns, 0, TIME_MAX_NS)?;
        if let Some(late) = self.late {
            range("late.max_ns", late.max_ns, 0, TIME_MAX_NS)?;
            range("late.idle_ns", late.idle_ns, 0, TIME_MAX_NS)?;
        }
        Ok(())
    }

    /// A link whose packets are carried at single moments has no rate that could change.
    fn check_service(&self) -> Result<(), ConfigError> {
        range("begin_ns", self.begin_ns, 0, TIME_MAX_NS)?;
        if let Service::Trace { offset_ns, .. } | Service::Rates { offset_ns, .. } = &self.service {
            range("service.offset_ns", *offset_ns, 0, TIME_MAX_NS)?;
        }
        let changes_rate = |change: &super::Change| change.rate_bits_per_s.is_some();
        if self.service != Service::Steady
            && (self.steps.is_some() || self.changes.iter().any(changes_rate))
        {
            return Err(ConfigError::RateOfOpportunities);
        }
        if self.service.has_moments() && self.framing != Framing::Packets {
            return Err(ConfigError::FramesOfOpportunities);
        }
        let Some(steps) = self.steps else {
            return Ok(());
        };
        range("steps.every_ns", steps.every_ns, 1_000, TIME_MAX_NS)?;
        let max_rate = self.rate_bits_per_s.get();
        range(
            "steps.min_bits_per_s",
            steps.min_bits_per_s.get(),
            1,
            max_rate,
        )?;
        ppm("steps.move_ppm", steps.move_ppm)?;
        if let Some(outages) = steps.outages {
            range("steps.outages.length_ns", outages.length_ns, 0, TIME_MAX_NS)?;
            ppm("steps.outages.begin_ppm", outages.begin_ppm)?;
        }
        if self.changes.iter().any(changes_rate) {
            return Err(ConfigError::RateOfSteps);
        }
        Ok(())
    }

    /// Recorded delays and losses. Their times and values are those of [`RecordedTable`].
    ///
    /// [`RecordedTable`]: crate::RecordedTable
    fn check_recorded(&self) -> Result<(), ConfigError> {
        let changes = |given: fn(&super::Change) -> bool| self.changes.iter().any(given);
        for (what, field, recorded, changes) in [
            (
                "delay",
                "recorded_delay.offset_ns",
                &self.recorded_delay,
                changes(|change| change.delay_ns.is_some()),
            ),
            (
                "loss",
                "recorded_loss.offset_ns",
                &self.recorded_loss,
                changes(|change| change.loss_ppm.is_some()),
            ),
        ] {
            let Some(recorded) = recorded else { continue };
            range(field, recorded.offset_ns, 0, TIME_MAX_NS)?;
            if changes {
                return Err(ConfigError::ChangeOfRecorded { what });
            }
        }
        Ok(())
    }

    fn check_loss(&self) -> Result<(), ConfigError> {
        match self.loss {
            LossConfig::None | LossConfig::Periodic { .. } => Ok(()),
            LossConfig::Bernoulli { ppm: loss } => ppm("loss.ppm", loss),
            LossConfig::GilbertElliott {
                p_ppm,
                r_ppm,
                loss_good_ppm,
                loss_bad_ppm,
            } => {
                ppm("loss.p_ppm", p_ppm)?;
                ppm("loss.r_ppm", r_ppm)?;
                ppm("loss.loss_good_ppm", loss_good_ppm)?;
                ppm("loss.loss_bad_ppm", loss_bad_ppm)
            }
        }
    }

    fn check_queue(&self) -> Result<(), ConfigError> {
        match &self.queue {
            QueueConfig::DropTail(_) | QueueConfig::AckFilter(_) => Ok(()),
            QueueConfig::Red(red) => {
                range("queue.max_threshold", red.max_threshold, 1, SMALL_MAX)?;
                range(
                    "queue.min_threshold",
                    red.min_threshold,
                    0,
                    red.max_threshold,
                )?;
                ppm("queue.max_p_ppm", red.max_p_ppm)?;
                range("queue.weight_shift", u64::from(red.weight_shift), 0, 24)?;
                range(
                    "queue.mean_packet_bytes",
                    u64::from(red.mean_packet_bytes),
                    1,
                    BURST_MAX,
                )
            }
            QueueConfig::CoDel(codel) => {
                range("queue.interval_ns", codel.interval_ns, 1, SMALL_MAX)
            }
            QueueConfig::DualPi2(dual) => {
                range("queue.update_ns", dual.update_ns, 1, SMALL_MAX)?;
                range("queue.alpha", u64::from(dual.alpha), 0, GAIN_MAX)?;
                range("queue.beta", u64::from(dual.beta), 0, GAIN_MAX)?;
                range("queue.coupling", u64::from(dual.coupling), 1, 255)?;
                range(
                    "queue.classic_percent",
                    u64::from(dual.classic_percent),
                    0,
                    100,
                )?;
                range("queue.mtu_bytes", u64::from(dual.mtu_bytes), 1, BURST_MAX)
            }
            QueueConfig::FqCoDel(fq) => {
                range("queue.interval_ns", fq.interval_ns, 1, SMALL_MAX)?;
                range("queue.flows", u64::from(fq.flows), 1, 1 << 20)?;
                range(
                    "queue.quantum_bytes",
                    u64::from(fq.quantum_bytes),
                    1,
                    BURST_MAX,
                )?;
                range(
                    "queue.limit_packets",
                    u64::from(fq.limit_packets),
                    1,
                    SMALL_MAX,
                )?;
                range(
                    "queue.drop_batch_packets",
                    u64::from(fq.drop_batch_packets),
                    1,
                    SMALL_MAX,
                )
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Change, FqCoDelConfig, Limit, RedConfig};
    use std::num::NonZeroU64;

    fn plain() -> Config {
        Config::plain(NonZeroU64::MIN, 0, Limit::Packets(1))
    }

    fn error_text(config: Config) -> String {
        config.check().unwrap_err().to_string()
    }

    #[test]
    fn defaults_are_valid() {
        let queues = [
            QueueConfig::Red(RedConfig::default()),
            QueueConfig::CoDel(Default::default()),
        ]
        .into_iter()
        .chain([
            QueueConfig::FqCoDel(FqCoDelConfig::default()),
            QueueConfig::DropTail(Limit::Bytes(0)),
        ]);
        queues.for_each(|queue| assert_eq!(Config { queue, ..plain() }.check(), Ok(())));
    }

    #[test]
    fn the_error_names_the_field_its_value_and_its_range() {
        let loss = LossConfig::Bernoulli { ppm: 1_000_001 };
        assert_eq!(
            error_text(Config { loss, ..plain() }),
            "loss.ppm is 1000001; it must be between 0 and 1000000"
        );
        let queue = QueueConfig::Red(RedConfig {
            min_threshold: 16,
            ..RedConfig::default()
        });
        assert_eq!(
            error_text(Config { queue, ..plain() }),
            "queue.min_threshold is 16; it must be between 0 and 15"
        );
        let worse = Change {
            at_ns: 0,
            rate_bits_per_s: None,
            delay_ns: None,
            loss_ppm: Some(1_000_001),
        };
        assert_eq!(
            error_text(Config {
                changes: vec![worse],
                ..plain()
            }),
            "changes.loss_ppm is 1000001; it must be between 0 and 1000000"
        );
        let shaper = Some(TokenBucket {
            rate_bits_per_s: NonZeroU64::MIN,
            burst_bytes: 0,
        });
        assert_eq!(
            error_text(Config { shaper, ..plain() }),
            "shaper.burst_bytes is 0; it must be between 1 and 1073741823"
        );
    }

    #[test]
    fn the_guaranteed_rate_is_at_most_the_rate_of_the_link() {
        let link = Config::plain(NonZeroU64::new(1000).unwrap(), 0, Limit::Packets(1));
        let of = |rate, burst_bytes| {
            let profile = TokenBucket {
                rate_bits_per_s: NonZeroU64::new(rate).unwrap(),
                burst_bytes,
            };
            Config {
                expedited: Some(profile),
                ..link.clone()
            }
        };
        assert_eq!(of(1000, 1).check(), Ok(()));
        let rate = "expedited.rate_bits_per_s is 1001; it must be between 1 and 1000";
        assert_eq!(error_text(of(1001, 1)), rate);
        let burst = "expedited.burst_bytes is 0; it must be between 1 and 1073741823";
        assert_eq!(error_text(of(1000, 0)), burst);
    }

    #[test]
    fn the_error_names_the_change_that_is_out_of_order() {
        let changes = [5, 7, 6]
            .map(|at_ns| Change {
                at_ns,
                rate_bits_per_s: None,
                delay_ns: None,
                loss_ppm: None,
            })
            .to_vec();
        assert_eq!(
            error_text(Config { changes, ..plain() }),
            "changes[2] is earlier than the change before it; sort the changes by time"
        );
    }
}
