//! The definition of a parameter of a channel. Each parameter is implemented in one file of this
//! folder, and listed once in `channel/mod.rs`.

use super::queue_limit::QueueLimit;
use super::recording::{RecordingStart, Trace};
use crate::mistake::{exclude, refuse, Mistake};
use onramp_config::document::{Reader, Section};
use onramp_config::key::{AnyKey, Key, Kind, Table};
use onramp_net::{Config, Limit};
use std::num::NonZeroU64;

/// A parameter of a channel: its keys, how they are read, its words in a record, and its part
/// of the configuration of the link.
pub(crate) trait Parameter {
    /// The parameter's value in the model of a channel.
    type Value: Clone;

    /// The keys in the channel's own table, in the order of messages and of the reference.
    const KEYS: &'static [&'static dyn AnyKey] = &[];

    /// The tables within the channel's table.
    const TABLES: &'static [&'static Table] = &[];

    /// The values that a table gives: several where the table has a list; none where the value
    /// follows the forward direction, or where it is wrong, which is noted.
    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<Self::Value>;

    /// The words in a record for a value that is not the default; `None` for the default, and for
    /// parameters that have a column of their own.
    fn describe(_value: &Self::Value, _queue: QueueLimit) -> Option<String> {
        None
    }

    /// Enters a value into the configuration of a link. Parameters are entered in the order of
    /// their list.
    fn configure(value: &Self::Value, context: &LinkContext, config: &mut Config);
}

/// The facts about its channel that a parameter may use when it configures a link.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LinkContext {
    pub rate_bits_per_s: u64,
    pub queue: QueueLimit,
    /// The round-trip time that a BDP is counted with.
    pub rtt_ns: u64,
    /// Where a recording of the channel begins.
    pub recording: RecordingStart,
}

impl LinkContext {
    /// A limit of this channel's queue, as a link counts it.
    pub(crate) fn limit(&self, queue: QueueLimit) -> Limit {
        match queue {
            QueueLimit::Packets(packets) => Limit::Packets(packets),
            in_bytes => Limit::Bytes(
                in_bytes
                    .bytes(self.rate_bits_per_s, self.rtt_ns)
                    .unwrap_or(u64::MAX),
            ),
        }
    }
}

/// A rate as a link takes it. The rates of a scenario are not zero; a case made by hand with a rate
/// of zero gets the minimum.
pub(super) fn not_zero(rate_bits_per_s: u64) -> NonZeroU64 {
    NonZeroU64::new(rate_bits_per_s).unwrap_or(NonZeroU64::MIN)
}

/// The rates and queues of the forward direction, which the reverse direction follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Followed<'f> {
    pub rates_bits_per_s: &'f [u64],
    pub queues: &'f [QueueLimit],
    pub delay_is_recorded: bool,
}

/// A table that describes a channel, and the values that have been read of it.
pub(crate) struct ChannelSource<'r, 'a> {
    pub reader: &'r mut Reader,
    pub section: &'r Section<'a>,
    /// The size of the largest packet; 0 where it could not be read.
    pub mtu_bytes: u32,
    /// For the reverse direction: the values of the forward direction.
    pub follows: Option<Followed<'r>>,
    /// The rates of the channel, its own or those that it follows.
    pub rates_bits_per_s: Vec<u64>,
    /// The queues of the channel, its own or those that it follows.
    pub queues: Vec<QueueLimit>,
    /// The name of the queue discipline, once it has been read.
    pub discipline: Option<&'static str>,
    /// The files of the recorded link, once the rate has been read.
    pub trace: Option<Trace>,
    pub delay_trace: Option<Trace>,
    /// The rate is that of `trace`.
    pub rate_is_recorded: bool,
    /// The delay is that of a recording, its own or the one that it follows.
    pub delay_is_recorded: bool,
    /// The service is random, once it has been read.
    pub is_poisson: bool,
}

impl<'a> ChannelSource<'_, 'a> {
    /// The value of a key, or its default; `None` where it is wrong, or absent without a default.
    pub(crate) fn one<K: Kind>(&mut self, key: &Key<K>) -> Option<K::Value> {
        self.reader.one(self.section, key)
    }

    /// The values of a key that may have a list; none where one of them is wrong.
    pub(crate) fn list<K: Kind>(&mut self, key: &Key<K>) -> Vec<K::Value> {
        self.reader.list(self.section, key).unwrap_or_default()
    }

    /// The table of this name within the channel's table; empty if the file does not have it.
    pub(crate) fn table(&mut self, table: &'static Table) -> Section<'a> {
        self.reader.table(self.section, table)
    }

    /// Refuses a key that is given without another one.
    pub(crate) fn need<K, L>(&mut self, key: &Key<K>, other: &Key<L>) {
        self.reader.need(self.section, key, other);
    }

    /// Notes a mistake in a key of the channel's table.
    pub(crate) fn fault(&mut self, name: &str, mistake: Mistake) {
        self.reader.fault(mistake, self.section.span(name));
    }

    /// [`refuse`] in the channel's own table.
    pub(crate) fn refuse(&mut self, name: &str, only: &'static str, chosen: &str) {
        refuse(self.reader, self.section, name, only, chosen);
    }

    /// [`exclude`] in the channel's own table.
    pub(crate) fn exclude(&mut self, name: &str, other: &str) {
        exclude(self.reader, self.section, name, other);
    }
}
