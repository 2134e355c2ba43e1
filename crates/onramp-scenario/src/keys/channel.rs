//! The keys of a channel, the same in `[path]`, `[[link]]` and their reverse directions.

use super::declared::{LOSSES, PROBABILITIES, QUEUES, RATES};
use super::Fallback::{Other, Required, Text};
use super::{Fallback, Key, Kind, List, Table};

/// The tables within a table that describes a channel.
#[derive(Debug)]
pub(crate) struct ChannelTables {
    pub red: Table,
    pub codel: Table,
    pub bursts: Table,
}

/// The keys of a table that describes a channel, and of the tables within it.
#[derive(Debug)]
pub(crate) struct ChannelKeys {
    pub tables: ChannelTables,
    pub rate: Key,
    pub queue: Key,
    pub discipline: Key,
    pub ack_filter: Key,
    pub loss: Key,
    pub loss_every: Key,
    pub duplicate: Key,
    pub jitter: Key,
    pub reorder: Key,
    pub aggregate: Key,
    pub aggregate_most: Key,
    pub shaper_rate: Key,
    pub shaper_burst: Key,
    pub policer_rate: Key,
    pub policer_burst: Key,
    pub ef_rate: Key,
    pub ef_burst: Key,
    pub red_min: Key,
    pub red_max: Key,
    pub red_probability: Key,
    pub red_weight: Key,
    pub red_gentle: Key,
    pub codel_target: Key,
    pub codel_interval: Key,
    pub codel_quantum: Key,
    pub bursts_enter: Key,
    pub bursts_leave: Key,
    pub bursts_loss_good: Key,
    pub bursts_loss_bad: Key,
}

impl ChannelKeys {
    /// All of them, in the order in which messages and the manual list them.
    pub(crate) const fn all(&'static self) -> [&'static Key; 29] {
        [
            &self.rate,
            &self.queue,
            &self.discipline,
            &self.ack_filter,
            &self.loss,
            &self.loss_every,
            &self.duplicate,
            &self.jitter,
            &self.reorder,
            &self.aggregate,
            &self.aggregate_most,
            &self.shaper_rate,
            &self.shaper_burst,
            &self.policer_rate,
            &self.policer_burst,
            &self.ef_rate,
            &self.ef_burst,
            &self.red_min,
            &self.red_max,
            &self.red_probability,
            &self.red_weight,
            &self.red_gentle,
            &self.codel_target,
            &self.codel_interval,
            &self.codel_quantum,
            &self.bursts_enter,
            &self.bursts_leave,
            &self.bursts_loss_good,
            &self.bursts_loss_bad,
        ]
    }
}

/// Of a queue that follows no other.
const QUEUE: Fallback = Other("`1 bdp`; with `fq-codel` `10240 packets`");
const BURST: (&str, &str) = ("1 B", "1 GB");

const fn key(
    table: &'static str,
    name: &'static str,
    kind: Kind,
    default: Fallback,
    ranges: &'static [(&'static str, &'static str)],
    meaning: &'static str,
) -> Key {
    Key {
        table,
        name,
        kind,
        default,
        ranges,
        list: List::No,
        meaning,
    }
}

/// The keys of the channel table of this name. Rate and queue have these defaults; a list of them,
/// and of losses, has this meaning.
macro_rules! channel_keys {
    ($table:literal, $rate:expr, $queue:expr, $list:expr) => {
        ChannelKeys {
            tables: ChannelTables {
                red: Table::one(concat!($table, ".red")),
                codel: Table::one(concat!($table, ".codel")),
                bursts: Table::one(concat!($table, ".bursts")),
            },
            rate: Key {
                list: $list,
                ..key($table, "rate", Kind::Rate, $rate, &[RATES], "Rate of the serialiser, counted in IP packets.")
            },
            queue: Key {
                list: $list,
                ..key($table, "queue", Kind::Queue, $queue, &QUEUES, "Room of the queue before the serialiser.")
            },
            discipline: key(
                $table,
                "discipline",
                Kind::Discipline,
                Text("drop-tail"),
                &[],
                "How the queue is kept: `drop-tail`, `red`, `codel` or `fq-codel`.",
            ),
            ack_filter: key(
                $table,
                "ack_filter",
                Kind::Boolean,
                Text("false"),
                &[],
                "With `drop-tail`: acknowledgements that wait go when a later one of their connection says as much.",
            ),
            loss: Key {
                list: $list,
                ..key(
                    $table,
                    "loss",
                    Kind::Share,
                    Text("0 %"),
                    &[LOSSES],
                    "Packets that are lost at random, each independent of the others.",
                )
            },
            loss_every: key(
                $table,
                "loss_every",
                Kind::Packets,
                Other("none"),
                &[("1 packet", "1000000000 packets")],
                "In place of `loss`: of so many packets that carry data, the last is lost.",
            ),
            duplicate: key($table, "duplicate", Kind::Share, Text("0 %"), &[LOSSES], "Packets that arrive twice."),
            jitter: key(
                $table,
                "jitter",
                Kind::Time,
                Other("none"),
                &[("1 ns", "60 s")],
                "The most that a packet is delayed besides, each drawn evenly from nothing to it.",
            ),
            reorder: key(
                $table,
                "reorder",
                Kind::Boolean,
                Text("false"),
                &[],
                "With `jitter`: packets may overtake each other; else each waits for those before it.",
            ),
            aggregate: key(
                $table,
                "aggregate",
                Kind::Time,
                Other("none"),
                &[("1 ns", "60 s")],
                "Packets at the end of the way are held for so long after the first, then arrive together.",
            ),
            aggregate_most: key(
                $table,
                "aggregate_most",
                Kind::Integer,
                Text("64"),
                &[("1", "1000000")],
                "With `aggregate`: they arrive as soon as so many are held.",
            ),
            shaper_rate: key(
                $table,
                "shaper_rate",
                Kind::Rate,
                Other("none"),
                &[RATES],
                "A token bucket of this rate holds packets back in the queue.",
            ),
            shaper_burst: key(
                $table,
                "shaper_burst",
                Kind::Size,
                Other("none"),
                &[BURST],
                "What that bucket holds, full at the start.",
            ),
            policer_rate: key(
                $table,
                "policer_rate",
                Kind::Rate,
                Other("none"),
                &[RATES],
                "A token bucket of this rate drops packets that arrive beyond it.",
            ),
            policer_burst: key(
                $table,
                "policer_burst",
                Kind::Size,
                Other("none"),
                &[BURST],
                "What that bucket holds, full at the start.",
            ),
            ef_rate: key(
                $table,
                "ef_rate",
                Kind::Rate,
                Other("none"),
                &[RATES],
                "Expedited forwarding (RFC 3246): the rate that each flow with `dscp = \"ef\"` is guaranteed, at most `rate`; its packets beyond it are dropped.",
            ),
            ef_burst: key(
                $table,
                "ef_burst",
                Kind::Size,
                Other("none"),
                &[BURST],
                "What each such flow's token bucket holds, full at the start.",
            ),
            red_min: key(
                concat!($table, ".red"),
                "min",
                Kind::Queue,
                Other("`red.max / 3`"),
                &QUEUES,
                "Average queue below which nothing is dropped early, in the unit of `queue`.",
            ),
            red_max: key(
                concat!($table, ".red"),
                "max",
                Kind::Queue,
                Other("`queue / 4`"),
                &QUEUES,
                "Average queue at which the probability of a drop is `probability`, in the unit of `queue`.",
            ),
            red_probability: key(
                concat!($table, ".red"),
                "probability",
                Kind::Share,
                Text("10 %"),
                &[PROBABILITIES],
                "Probability of a drop at `max`.",
            ),
            red_weight: key(
                concat!($table, ".red"),
                "weight",
                Kind::Share,
                Text("0.2 %"),
                &[("0.0001 %", "100 %")],
                "Weight of a new sample in the average; the nearest power of two is taken.",
            ),
            red_gentle: key(
                concat!($table, ".red"),
                "gentle",
                Kind::Boolean,
                Text("true"),
                &[],
                "Between `max` and twice `max` the probability rises to one; else it jumps there at `max`.",
            ),
            codel_target: key(
                concat!($table, ".codel"),
                "target",
                Kind::Time,
                Text("5 ms"),
                &[("1 us", "4 s")],
                "Delay that a standing queue may have; of `codel` and `fq-codel`.",
            ),
            codel_interval: key(
                concat!($table, ".codel"),
                "interval",
                Kind::Time,
                Text("100 ms"),
                &[("1 us", "4 s")],
                "For how long a queue may have more than that.",
            ),
            codel_quantum: key(
                concat!($table, ".codel"),
                "quantum",
                Kind::Size,
                Text("1514 B"),
                &[("1 B", "1 GB")],
                "Bytes that each flow may send in its turn; of `fq-codel`.",
            ),
            bursts_enter: key(
                concat!($table, ".bursts"),
                "enter",
                Kind::Share,
                Required,
                &[PROBABILITIES],
                "Probability, at each packet, that a good channel becomes bad.",
            ),
            bursts_leave: key(
                concat!($table, ".bursts"),
                "leave",
                Kind::Share,
                Required,
                &[PROBABILITIES],
                "Probability, at each packet, that a bad channel becomes good.",
            ),
            bursts_loss_good: key(
                concat!($table, ".bursts"),
                "loss_good",
                Kind::Share,
                Text("0 %"),
                &[PROBABILITIES],
                "Packets lost while it is good.",
            ),
            bursts_loss_bad: key(
                concat!($table, ".bursts"),
                "loss_bad",
                Kind::Share,
                Text("100 %"),
                &[PROBABILITIES],
                "Packets lost while it is bad.",
            ),
        }
    };
}

pub(crate) static PATH_CHANNEL: ChannelKeys = channel_keys!("path", Required, QUEUE, List::Factor);
pub(crate) static REVERSE_CHANNEL: ChannelKeys = channel_keys!(
    "path.reverse",
    Other("`path.rate`"),
    Other("`path.queue`; with `fq-codel` `10240 packets`"),
    List::No
);
pub(crate) static LINK_CHANNEL: ChannelKeys = channel_keys!("link", Required, QUEUE, List::No);
pub(crate) static LINK_REVERSE_CHANNEL: ChannelKeys = channel_keys!(
    "link.reverse",
    Other("`link.rate`"),
    Other("`link.queue`; with `fq-codel` `10240 packets`"),
    List::No
);
