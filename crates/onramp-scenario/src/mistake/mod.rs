//! The mistakes that a scenario file can have, with their facts and their sentences.

mod choice;
mod help;
mod relay;

pub use relay::NotBetween;

pub(crate) use choice::{exclude, refuse};
use onramp_config::{AnyMistake, FileMistake};
use std::ops::Range;

/// A mistake that only scenario files have. Keys are named with their table, as in `path.rate`.
/// [`Display`](std::fmt::Display) is one sentence.
#[derive(Clone, Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum Mistake {
    /// The file is not TOML.
    #[error("this is not TOML: {message}")]
    Syntax { message: String },
    /// The file has no key at all.
    #[error("the file is empty")]
    Empty,
    /// A table that every scenario has is not given.
    #[error("{table} is missing")]
    MissingTable { table: String },
    /// The name of a scenario or node has characters that tables and file names cannot take.
    #[error("`{found}` is not a valid name for a {what}")]
    BadName { what: &'static str, found: String },
    /// `path.reverse.delay` exceeds one of the round-trip times.
    #[error("the reverse delay of {delay} exceeds the round-trip time of {rtt}")]
    DelayBeyondRtt { delay: String, rtt: String },
    /// Two `[[transfer]]` tables ask for the same case.
    #[error("two [[transfer]] tables describe the same case: {case}")]
    RepeatedCase { case: String, first: Range<usize> },
    /// A label that no table could show.
    #[error("`{found}` is not a valid label")]
    BadLabel { found: String },
    /// A `[[transfer]]` table has a label, and its lists make several rows.
    #[error("the label `{label}` names one row, but the lists of its table make {rows} rows")]
    LabelOfSeveral { label: String, rows: usize },
    /// Two `[[transfer]]` tables have one label.
    #[error("two [[transfer]] tables have the label `{label}`")]
    SameLabel { label: String, first: Range<usize> },
    /// Two keys or tables exclude each other.
    #[error("`{key}` and `{other}` exclude each other")]
    Excludes {
        key: String,
        other: String,
        other_at: Range<usize>,
    },
    /// A key or table belongs to another choice than the one made.
    #[error("`{key}` is for {only}, but this is `{chosen}`")]
    NotFor {
        key: String,
        only: &'static str,
        chosen: String,
    },
    /// The choice made needs a key that is not given.
    #[error("`{key}` is missing; `{chosen}` needs it")]
    NeededFor {
        key: String,
        chosen: String,
        expected: &'static str,
    },
    /// A recorded link cannot be read.
    #[error("`{key}`: the trace {file}: {why}")]
    Trace {
        key: String,
        file: String,
        why: String,
    },
    /// A threshold of a queue has another unit than the queue.
    #[error("`{key}` has another unit than `{queue}`")]
    OtherUnit { key: String, queue: String },
    /// A queue of `fq-codel` is given in bytes.
    #[error("`{key}` is {found}, but the queue of `fq-codel` counts packets")]
    NotInPackets { key: String, found: String },
    /// A lower threshold is not below the upper one.
    #[error("`{key}` is {found}; it must be less than `{other}`, which is {limit}")]
    NotBelow {
        key: String,
        found: String,
        other: String,
        limit: String,
    },
    /// A token bucket is smaller than the largest packet.
    #[error("`{key}` is {found}: a packet of {mtu} would never pass")]
    SmallBurst {
        key: String,
        found: String,
        mtu: String,
    },
    /// A rate that is guaranteed to each flow exceeds the rate of the link.
    #[error("`{key}` is {found}, but the link carries only {rate}")]
    LargeGuarantee {
        key: String,
        found: String,
        rate: String,
    },
    /// A packet is larger than its route takes.
    #[error("`{key}` is {found}, but the route takes packets of at most {mtu}")]
    LargePacket {
        key: String,
        found: String,
        mtu: String,
    },
    /// A flow over IPv6 has a route with a smaller MTU than IPv6 allows.
    #[error("`{key}` is `v6`, but the route takes packets of at most {mtu}")]
    SmallMtu { key: String, mtu: String },
    /// A change is not later than the one before it.
    #[error("`{key}` is not later than in the change before")]
    NotLater { key: String },
    /// A change changes nothing.
    #[error("this change changes nothing")]
    NoChange { keys: &'static str },
    /// Two nodes have one name.
    #[error("two nodes have the name `{name}`")]
    SameName { name: String, first: Range<usize> },
    /// A link or flow leads from a node to itself.
    #[error("this {what} leads from `{node}` to itself")]
    SameNode { what: &'static str, node: String },
    /// No links lead from a sender to its receiver.
    #[error("no links lead from `{from}` to `{to}`")]
    NoRoute { from: String, to: String },
    /// A relay is not between the ends of a flow, or not in its place among the relays.
    #[error("{}", why.sentence(node, from, to))]
    NotBetween {
        node: String,
        from: String,
        to: String,
        route: Vec<String>,
        why: NotBetween,
    },
    /// No link of a round trip has a delay.
    #[error("the round trip between `{from}` and `{to}` takes no time")]
    NoDelay { from: String, to: String },
    /// Traffic stops before it starts.
    #[error("this traffic stops before it starts")]
    StopsFirst,
    /// A run would wait for ever for the end of measured traffic.
    #[error("this measured traffic never ends")]
    NeverEnds,
    /// The cross product of all lists is too large.
    #[error("the lists multiply to {cases} cases")]
    TooManyCases { cases: u128, max: u64 },
}

impl Mistake {
    /// A mistake of any file, as one of a scenario.
    pub(crate) fn of_a_file(mistake: FileMistake) -> AnyMistake {
        match mistake {
            FileMistake::MissingTable { table } => Mistake::MissingTable { table }.into(),
            other => other.into(),
        }
    }
}
