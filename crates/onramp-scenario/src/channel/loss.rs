//! Losses: `loss` at random, `loss_every` periodically, or the table `bursts`.

use super::limits::{FORWARD, LOSSES, PROBABILITIES};
use super::parameter::{ChannelSource, LinkContext, Parameter};
use super::queue_limit::QueueLimit;
use onramp_config::key::{keys, AnyKey, Fallback, PacketCount, Percent, Table};
use onramp_config::units::{format_percent, parse_percent};
use onramp_net::{Config, LossConfig};
use std::num::NonZeroU32;

keys! { RANDOM_KEYS:
    LOSS: Percent = "loss", Fallback::Text("0 %"), ranges &[LOSSES], list FORWARD,
        "Probability with which each packet is lost, independently of the others.";
}

keys! { PERIODIC_KEYS:
    LOSS_EVERY: PacketCount = "loss_every", Fallback::Other("none"),
        ranges &[("1 packet", "1000000000 packets")],
        "Instead of `loss`: the last of each this many packets that carry data is lost.";
}

keys! { BURSTS_KEYS:
    ENTER: Percent = "enter", Fallback::Required, ranges &[PROBABILITIES],
        "Probability, at each packet, that a good channel becomes bad.";
    LEAVE: Percent = "leave", Fallback::Required, ranges &[PROBABILITIES],
        "Probability, at each packet, that a bad channel becomes good.";
    LOSS_GOOD: Percent = "loss_good", Fallback::Text("0 %"), ranges &[PROBABILITIES],
        "Probability of a loss while the channel is good.";
    LOSS_BAD: Percent = "loss_bad", Fallback::Text("100 %"), ranges &[PROBABILITIES],
        "Probability of a loss while the channel is bad.";
}

/// The keys and the table of this file.
pub(super) const LOSS_KEYS: [&str; 3] = ["loss", "loss_every", "bursts"];

static BURSTS_TABLE: Table = Table {
    keys: BURSTS_KEYS,
    ..Table::one("bursts", "losses in bursts, instead of `loss`")
};

/// Losses of a channel that is either good or bad (Gilbert 1960, Elliott 1963). The probabilities
/// are per packet, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bursts {
    /// Probability that a good channel becomes bad.
    pub enter_ppm: u32,
    /// Probability that a bad channel becomes good.
    pub leave_ppm: u32,
    /// Probability of a loss while the channel is good.
    pub loss_good_ppm: u32,
    /// Probability of a loss while the channel is bad.
    pub loss_bad_ppm: u32,
}

impl Bursts {
    /// The share of packets that are lost in the long run, in millionths.
    pub fn mean_loss_ppm(&self) -> u32 {
        let [enter, leave] = [self.enter_ppm, self.leave_ppm].map(u64::from);
        let lost = leave * u64::from(self.loss_good_ppm) + enter * u64::from(self.loss_bad_ppm);
        // A channel that never changes stays in the state in which it begins: good.
        lost.checked_div(enter + leave)
            .map_or(self.loss_good_ppm, |ppm| ppm as u32)
    }
}

/// All losses of a channel, in the words of the scenario.
pub(super) fn describe(
    loss_ppm: u32,
    loss_every: Option<NonZeroU32>,
    bursts: Option<Bursts>,
) -> String {
    match (bursts, loss_every) {
        (Some(bursts), _) => format!("{} in bursts", format_percent(bursts.mean_loss_ppm())),
        (None, Some(every)) => format!("1 of {every} packets"),
        (None, None) => format_percent(loss_ppm),
    }
}

/// The losses of a recording with this mean, in the words of the scenario.
pub(super) fn describe_recorded(mean_ppm: u64) -> String {
    let mean_ppm = u32::try_from(mean_ppm).unwrap_or(u32::MAX);
    format!("{} as recorded", format_percent(mean_ppm))
}

/// The mean loss in these words of [`Channel::describe_loss`](super::Channel::describe_loss), in
/// millionths; `None` where they are other words.
pub fn mean_loss_ppm(words: &str) -> Option<f64> {
    let every = words
        .strip_prefix("1 of ")
        .and_then(|rest| rest.strip_suffix(" packets"));
    if let Some(every) = every {
        return Some(1e6 / f64::from(every.parse::<NonZeroU32>().ok()?.get()));
    }
    let suffixes = [" in bursts", " as recorded"];
    let percent = suffixes
        .iter()
        .find_map(|suffix| words.strip_suffix(suffix));
    let percent = percent.unwrap_or(words);
    parse_percent(percent).ok().map(f64::from)
}

pub(crate) struct RandomLoss;

impl Parameter for RandomLoss {
    type Value = u32;
    const KEYS: &'static [&'static dyn AnyKey] = RANDOM_KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<u32> {
        source.list(&LOSS)
    }

    fn configure(loss_ppm: &u32, _: &LinkContext, config: &mut Config) {
        if *loss_ppm > 0 {
            config.loss = LossConfig::Bernoulli { ppm: *loss_ppm };
        }
    }
}

pub(crate) struct PeriodicLoss;

impl Parameter for PeriodicLoss {
    type Value = Option<NonZeroU32>;
    const KEYS: &'static [&'static dyn AnyKey] = PERIODIC_KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<Self::Value> {
        let every = source.one(&LOSS_EVERY);
        for other in [LOSS.name(), BURSTS_TABLE.name] {
            source.exclude(LOSS_EVERY.name(), other);
        }
        let every = every.and_then(|packets| u32::try_from(packets).ok());
        vec![every.and_then(NonZeroU32::new)]
    }

    fn configure(loss_every: &Self::Value, _: &LinkContext, config: &mut Config) {
        if let Some(every) = *loss_every {
            config.loss = LossConfig::Periodic { every };
        }
    }
}

pub(crate) struct BurstLoss;

impl Parameter for BurstLoss {
    type Value = Option<Bursts>;
    const TABLES: &'static [&'static Table] = &[&BURSTS_TABLE];

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<Self::Value> {
        let table = source.table(&BURSTS_TABLE);
        let mut one = |key| source.reader.one(&table, key);
        let (enter, leave) = (one(&ENTER), one(&LEAVE));
        let (good, bad) = (one(&LOSS_GOOD), one(&LOSS_BAD));
        if !source.section.has_name(BURSTS_TABLE.name) {
            return vec![None];
        }
        source.exclude(BURSTS_TABLE.name, LOSS.name());
        let bursts = || {
            Some(Bursts {
                enter_ppm: enter?,
                leave_ppm: leave?,
                loss_good_ppm: good?,
                loss_bad_ppm: bad?,
            })
        };
        bursts().map(Some).into_iter().collect()
    }

    fn describe(bursts: &Self::Value, _: QueueLimit) -> Option<String> {
        let bursts = (*bursts)?;
        let [enter, leave, good, bad] = [
            bursts.enter_ppm,
            bursts.leave_ppm,
            bursts.loss_good_ppm,
            bursts.loss_bad_ppm,
        ]
        .map(format_percent);
        Some(format!(
            "bursts {enter} to {leave}, losing {good} and {bad}"
        ))
    }

    fn configure(bursts: &Self::Value, _: &LinkContext, config: &mut Config) {
        if let Some(bursts) = *bursts {
            config.loss = LossConfig::GilbertElliott {
                p_ppm: bursts.enter_ppm,
                r_ppm: bursts.leave_ppm,
                loss_good_ppm: bursts.loss_good_ppm,
                loss_bad_ppm: bursts.loss_bad_ppm,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_losses_can_be_read() {
        let bursts = Bursts {
            enter_ppm: 10_000,
            leave_ppm: 300_000,
            loss_good_ppm: 0,
            loss_bad_ppm: 1_000_000,
        };
        let read = |words: String| mean_loss_ppm(&words);
        assert_eq!(read(describe(1_234, None, None)), Some(1_234.0));
        assert_eq!(
            read(describe(0, NonZeroU32::new(100), None)),
            Some(10_000.0)
        );
        let mean = f64::from(bursts.mean_loss_ppm());
        assert_eq!(read(describe(0, None, Some(bursts))), Some(mean));
        assert_eq!(read(describe_recorded(2_500)), Some(2_500.0));
        assert_eq!(mean_loss_ppm("some"), None);
        assert_eq!(mean_loss_ppm("1 of 0 packets"), None);
    }
}
