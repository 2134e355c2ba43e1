//! One direction of a link: everything that happens to a packet there.
//!
//! # A new parameter
//!
//! A parameter of a channel is defined once, in a file of this folder. The file declares the keys
//! with their ranges and meanings, and implements [`Parameter`]: how the keys are read, the words
//! of a value in a record, and its part of the configuration of a link. A line in the
//! list below makes it a field of [`Channel`]. The reader, the cross product of lists, error
//! messages, records and the reference follow from both. What the parameter does to packets is
//! written in `onramp-net`.

mod ack_filter;
mod aggregation;
mod change;
mod discipline;
mod duplication;
mod framing;
mod jitter;
mod late;
pub(crate) mod limits;
mod loss;
mod parameter;
mod queue;
mod queue_limit;
mod rate;
mod recorded;
mod recording;
mod service;
mod steps;
mod token_bucket;
mod trace;

#[cfg(test)]
mod tests;

pub use aggregation::Aggregation;
pub use change::ChannelChange;
pub use discipline::{CoDel, Discipline, DualPi2, FqCoDel, Red};
pub use loss::{mean_loss_ppm, Bursts};
pub use onramp_net::{Framing, Jitter, LateTimer};
pub use queue_limit::QueueLimit;
pub use recording::{RecordedQuantity, Recording, Trace, TraceOffset};
pub use steps::Steps;
pub use token_bucket::TokenBucket;
pub(crate) use trace::names_recording;

use crate::seed::link_seed;
use onramp_config::document::{Reader, Section};
use onramp_config::key::KeyGroup;
use onramp_net::{Config, Limit, Link, Packet, Recorded, Service};
use parameter::{not_zero, ChannelSource, Followed, LinkContext, Parameter};
use recording::RecordingStart;
use std::num::NonZeroU32;
use std::sync::Arc;

/// Defines [`Channel`], [`ChannelDraft`] and their functions from the list of parameters.
macro_rules! channel {
    ($($(#[$doc:meta])* $field:ident: $value:ty = $parameter:ty;)*) => {
        /// One direction of a link. A parameter that is absent does nothing.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Channel {
            $($(#[$doc])* pub $field: $value,)*
            /// One-way propagation delay, the mean where it is recorded.
            pub delay_ns: u64,
            /// Other rates, delays and losses from some time on, in order of time.
            pub changes: Arc<[ChannelChange]>,
        }

        /// A channel as a table gives it. A parameter has several values where the table has a
        /// list, and none where it follows the forward direction.
        #[derive(Clone, Debug)]
        pub(crate) struct ChannelDraft {
            $(pub $field: Vec<$value>,)*
        }

        /// The keys and tables of a channel.
        pub(crate) static CHANNEL_KEYS: KeyGroup = KeyGroup {
            keys: &[$(<$parameter as Parameter>::KEYS),*],
            tables: &[$(<$parameter as Parameter>::TABLES),*],
        };

        impl ChannelDraft {
            fn read_parameters(source: &mut ChannelSource<'_, '_>) -> ChannelDraft {
                // Fields are evaluated in their order, which parameters rely on.
                ChannelDraft {
                    $($field: <$parameter as Parameter>::read(source),)*
                }
            }

            /// How many channels the lists make.
            pub(crate) fn count(&self) -> u128 {
                let lengths: &[usize] = &[$(self.$field.len()),*];
                lengths.iter().map(|length| (*length).max(1) as u128).product()
            }

            /// The channels, the values of the first parameter changing most slowly. `first` has
            /// the values of the parameters that have none here; its delay and its changes are
            /// those of all.
            fn product(&self, first: Channel) -> Vec<Channel> {
                let channels = vec![first];
                $(let channels = vary(channels, &self.$field, |one, value| one.$field = value);)*
                channels
            }

            /// The channel of the first values; `None` where a value is missing.
            fn first(&self, delay_ns: u64, changes: Arc<[ChannelChange]>) -> Option<Channel> {
                Some(Channel {
                    $($field: self.$field.first()?.clone(),)*
                    delay_ns,
                    changes,
                })
            }
        }

        impl Channel {
            /// The parameters that are not the default, in the words of records: `codel`, `jitter
            /// 5 ms`. Rate, delay, queue, random loss and changes are not among them.
            pub fn describe(&self) -> Vec<String> {
                let words = [
                    $(<$parameter as Parameter>::describe(&self.$field, self.queue)),*
                ];
                let has_recording = self.trace.is_some()
                    || self.recorded_delay.is_some()
                    || self.recorded_loss.is_some();
                let offset = trace::describe_offset(has_recording, self.trace_offset);
                words.into_iter().chain([offset]).flatten().collect()
            }

            fn configure(&self, context: &LinkContext, config: &mut Config) {
                $(<$parameter as Parameter>::configure(&self.$field, context, config);)*
            }
        }
    };
}

channel! {
    /// Rate of the serialiser, counted in the frames of the link.
    rate_bits_per_s: u64 = rate::SerialiserRate;
    /// A recorded link. Its mean rate is [`rate_bits_per_s`](Channel::rate_bits_per_s), if it has
    /// rates.
    trace: Option<Trace> = trace::RecordedLink;
    /// The recorded delay, of which [`delay_ns`](Channel::delay_ns) is the mean.
    recorded_delay: Option<RecordedQuantity> = recorded::RecordedDelay;
    /// The recorded loss, instead of other losses.
    recorded_loss: Option<RecordedQuantity> = recorded::RecordedLoss;
    /// With a recording: where it begins.
    trace_offset: TraceOffset = trace::RecordedOffset;
    /// The link carries bytes at the moments of a Poisson process.
    is_poisson: bool = service::PoissonService;
    /// The frames that [`rate_bits_per_s`](Channel::rate_bits_per_s) counts.
    framing: Framing = framing::LinkFraming;
    /// A rate that changes at random, up to [`rate_bits_per_s`](Channel::rate_bits_per_s).
    steps: Option<Steps> = steps::RandomSteps;
    /// Room of the queue before the serialiser.
    queue: QueueLimit = queue::QueueRoom;
    /// How that queue is kept.
    discipline: Discipline = discipline::QueueDiscipline;
    /// Waiting acknowledgements that a later one makes superfluous are removed, with
    /// [`Discipline::DropTail`] alone.
    ack_filter: bool = ack_filter::AckFilter;
    /// Probability that a packet is lost at random, in millionths; 0 where losses are of another
    /// kind.
    loss_ppm: u32 = loss::RandomLoss;
    /// One data packet in this number is lost, the last one. It replaces
    /// [`loss_ppm`](Channel::loss_ppm).
    loss_every: Option<NonZeroU32> = loss::PeriodicLoss;
    /// Losses in bursts, instead of both.
    bursts: Option<Bursts> = loss::BurstLoss;
    /// Probability that a packet arrives twice, in millionths.
    duplicate_ppm: u32 = duplication::Duplication;
    /// A delay that varies from packet to packet.
    jitter: Option<Jitter> = jitter::ExtraDelay;
    /// Packets that arrive together, as over a wireless network.
    aggregation: Option<Aggregation> = aggregation::PacketAggregation;
    /// A timer that fires late after an idle time.
    late: Option<LateTimer> = late::Lateness;
    /// Holds packets back to a rate.
    shaper: Option<TokenBucket> = token_bucket::Shaper;
    /// Drops packets in excess of a rate.
    policer: Option<TokenBucket> = token_bucket::Policer;
    /// The rate that each flow of expedited packets is guaranteed and may not exceed.
    expedited: Option<TokenBucket> = token_bucket::Expedited;
}

/// Each channel once with each value; unchanged where there is no value.
fn vary<T: Clone>(
    channels: Vec<Channel>,
    values: &[T],
    set: impl Fn(&mut Channel, T),
) -> Vec<Channel> {
    if values.is_empty() {
        return channels;
    }
    let with = |channel: &Channel, value: &T| {
        let mut channel = channel.clone();
        set(&mut channel, value.clone());
        channel
    };
    let each = |channel| values.iter().map(move |value| with(channel, value));
    channels.iter().flat_map(each).collect()
}

impl ChannelDraft {
    /// Reads the channel of a table. The reverse direction follows the forward one.
    pub(crate) fn read(
        reader: &mut Reader,
        section: &Section,
        mtu_bytes: u32,
        forward: Option<&ChannelDraft>,
    ) -> ChannelDraft {
        let follows = forward.map(|forward| Followed {
            rates_bits_per_s: &forward.rate_bits_per_s,
            queues: &forward.queue,
            delay_is_recorded: forward.own_recorded_delay().is_some(),
        });
        ChannelDraft::read_parameters(&mut ChannelSource {
            reader,
            section,
            mtu_bytes,
            follows,
            rates_bits_per_s: Vec::new(),
            queues: Vec::new(),
            discipline: None,
            trace: None,
            delay_trace: None,
            rate_is_recorded: false,
            delay_is_recorded: false,
            is_poisson: false,
        })
    }

    /// The forward channels of this delay; none where a value is wrong.
    pub(crate) fn channels(&self, delay_ns: u64, changes: Vec<ChannelChange>) -> Vec<Channel> {
        let first = self.first(delay_ns, changes.into());
        first.map_or_else(Vec::new, |first| self.product(first))
    }

    /// The recorded delay that the table itself gives, if it does.
    pub(crate) fn own_recorded_delay(&self) -> Option<&RecordedQuantity> {
        self.recorded_delay.first()?.as_ref()
    }

    /// Why the rate cannot change at given times, if it cannot.
    pub(crate) fn unsteady(&self) -> Option<&'static str> {
        let mut traces = self.trace.iter().flatten();
        if traces.any(|trace| trace.recording.mean_bits_per_s().is_some()) {
            return Some("trace");
        }
        if self.steps.iter().any(Option::is_some) {
            return Some("steps");
        }
        self.is_poisson.contains(&true).then_some("poisson")
    }

    /// The channels of the reverse direction. `delay_ns` is its own delay, if it has one.
    /// `usual_delay_ns` and the delays of the changes hold otherwise.
    pub(crate) fn reverse_of(
        &self,
        forward: &Channel,
        delay_ns: Option<u64>,
        usual_delay_ns: u64,
        mut changes: Vec<ChannelChange>,
    ) -> Vec<Channel> {
        let has_own_rate = !self.rate_bits_per_s.is_empty();
        for change in &mut changes {
            change.rate_bits_per_s = change.rate_bits_per_s.filter(|_| !has_own_rate);
            change.delay_ns = change.delay_ns.filter(|_| delay_ns.is_none());
        }
        changes.retain(ChannelChange::has_effect);
        let first = Channel {
            delay_ns: delay_ns.unwrap_or(usual_delay_ns),
            changes: changes.into(),
            ..forward.clone()
        };
        self.product(first)
    }
}

impl Channel {
    /// The losses of the channel, in the words of records: `0.1 %`, `1 of 100 packets` or
    /// `0.5 % in bursts`.
    pub fn describe_loss(&self) -> String {
        if let Some(recorded) = &self.recorded_loss {
            return loss::describe_recorded(recorded.mean());
        }
        loss::describe(self.loss_ppm, self.loss_every, self.bursts)
    }

    /// The token buckets that all packets pass, and those of this many expedited flows side by
    /// side, as one.
    pub fn buckets(&self, expedited_flows: u32) -> impl Iterator<Item = TokenBucket> {
        let profile = self.expedited.filter(|_| expedited_flows > 0);
        let profiles = profile.map(|profile| TokenBucket {
            rate_bits_per_s: profile
                .rate_bits_per_s
                .saturating_mul(expedited_flows.into()),
            burst_bytes: profile.burst_bytes.saturating_mul(expedited_flows.into()),
        });
        [self.shaper, self.policer, profiles].into_iter().flatten()
    }

    /// The maximum rate of IP packets: [`rate_bits_per_s`](Channel::rate_bits_per_s) without the
    /// headers of its frames.
    pub fn packet_bits_per_s(&self) -> u64 {
        self.framing.payload_bits_per_s(self.rate_bits_per_s)
    }

    /// The rate that the channel sustains at the start, for best effort (0) or for this many
    /// expedited flows: the minimum of its rate and of the rates of shaper, policer and profiles.
    pub fn capacity_bits_per_s(&self, expedited_flows: u32) -> u64 {
        self.buckets(expedited_flows)
            .map(|bucket| bucket.rate_bits_per_s)
            .fold(self.packet_bits_per_s(), u64::min)
    }

    /// The configuration of the link of this channel, for the simulator and the lab. A BDP is the
    /// product of the channel's rate and this round-trip time. The directed link has this number in
    /// its network (`Hop::number`).
    pub fn link_config(&self, rtt_ns: u64, run_seed: u64, number: u32) -> Config {
        let context = LinkContext {
            rate_bits_per_s: self.packet_bits_per_s(),
            queue: self.queue,
            rtt_ns,
            recording: self.recording_start(run_seed),
        };
        let rate = not_zero(self.rate_bits_per_s);
        let mut config = Config {
            changes: self.changes.iter().map(ChannelChange::config).collect(),
            seed: link_seed(run_seed, number),
            ..Config::plain(rate, self.delay_ns, Limit::Packets(0))
        };
        self.configure(&context, &mut config);
        config
    }

    /// Whether anything here depends on the seed of the run.
    pub(crate) fn is_random(&self) -> bool {
        self.trace_offset == TraceOffset::Random || self.link_config(0, 0, 0).is_random()
    }

    /// Whether the rate is that of a recording.
    pub fn has_recorded_rate(&self) -> bool {
        let trace = self.trace.as_ref();
        trace.is_some_and(|trace| trace.recording.mean_bits_per_s().is_some())
    }

    fn recording_start(&self, run_seed: u64) -> RecordingStart {
        RecordingStart {
            offset: self.trace_offset,
            run_seed,
        }
    }

    /// The recorded delay of a run, if the delay is recorded.
    pub fn recorded_delay_in(&self, run_seed: u64) -> Option<Recorded> {
        let recorded = self.recorded_delay.as_ref()?;
        Some(recorded.in_run(self.recording_start(run_seed)))
    }

    /// The minimum and the maximum of the one-way delay, over all its changes.
    pub fn delay_range_ns(&self) -> (u64, u64) {
        let recorded = self.recorded_delay.as_ref();
        let first_ns = recorded.map_or((self.delay_ns, self.delay_ns), |recorded| {
            recorded.values.range()
        });
        let later_ns = self.changes.iter().filter_map(|change| change.delay_ns);
        later_ns.fold(first_ns, |(min, max), ns| (min.min(ns), max.max(ns)))
    }

    /// When a channel without a steady rate has carried these bytes, if they come at `from_ns`;
    /// `None` where the rate is steady. Token buckets do not count.
    pub fn carried_ns(
        &self,
        (run_seed, number): (u64, u32),
        from_ns: u64,
        wire_bytes: u64,
        mtu_bytes: u32,
    ) -> Option<u64> {
        let config = self.link_config(0, run_seed, number);
        if config.service == Service::Steady && config.steps.is_none() {
            return None;
        }
        let plain = Config::plain(config.rate_bits_per_s, 0, Limit::Bytes(u64::MAX));
        let mut link = Link::from_config(&Config {
            framing: config.framing,
            service: config.service,
            steps: config.steps,
            seed: config.seed,
            ..plain
        });
        let full = wire_bytes / u64::from(mtu_bytes.max(1));
        let rest = (wire_bytes % u64::from(mtu_bytes.max(1))) as u32;
        for _ in 0..full {
            link.offer(from_ns, Bytes(mtu_bytes));
        }
        if rest > 0 {
            link.offer(from_ns, Bytes(rest));
        }
        let mut carried_ns = from_ns;
        while let Some(next_ns) = link.next_departure_ns() {
            while let Some(left) = link.poll(next_ns) {
                carried_ns = left.due_ns;
            }
        }
        Some(carried_ns)
    }
}

/// A packet that is nothing but its size.
#[derive(Clone)]
struct Bytes(u32);

impl Packet for Bytes {
    fn wire_bytes(&self) -> u32 {
        self.0
    }
}
