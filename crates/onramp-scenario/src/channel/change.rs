//! Changes of a channel during a run.

/// From a time on the channel has another rate, delay or loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChannelChange {
    /// Time of the change, since the beginning of the run.
    pub at_ns: u64,
    /// The new rate, if it changes.
    pub rate_bits_per_s: Option<u64>,
    /// The new one-way delay, if it changes.
    pub delay_ns: Option<u64>,
    /// The new probability of a loss, in millionths, if it changes. It holds for each packet alone
    /// and replaces bursts and periodic losses too. 1,000,000 is an outage.
    pub loss_ppm: Option<u32>,
}

impl ChannelChange {
    /// Whether the change has any effect.
    pub(crate) fn has_effect(&self) -> bool {
        self.rate_bits_per_s.is_some() || self.delay_ns.is_some() || self.loss_ppm.is_some()
    }

    /// The change in the configuration of a link.
    pub(super) fn config(&self) -> onramp_net::Change {
        onramp_net::Change {
            at_ns: self.at_ns,
            rate_bits_per_s: self.rate_bits_per_s.map(super::parameter::not_zero),
            delay_ns: self.delay_ns,
            loss_ppm: self.loss_ppm,
        }
    }
}
