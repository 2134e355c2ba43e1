//! The keys of `[path]`, `[[node]]`, `[[link]]` and the tables within them, without the keys of
//! channels.

use super::kinds::{KnownNode, NodeName};
use super::limits::{MOMENTS, MTUS};
use crate::channel::limits::{DELAYS, PROBABILITIES, RATES};
use crate::channel::CHANNEL_KEYS;
use onramp_config::key::Fallback::{Other, Required, Text};
use onramp_config::key::{keys, List, Percent, Rate, Size, Table, Time};

/// Round-trip times.
const RTTS: (&str, &str) = ("1 us", "3600 s");

pub(crate) static PATH: Table = Table {
    keys: PATH_KEYS,
    tables: &[&PATH_REVERSE, &PATH_CHANGE],
    group: Some(&CHANNEL_KEYS),
    ..Table::one(
        "path",
        "the bottleneck from sender to receiver, and the round-trip time",
    )
};

pub(crate) static PATH_REVERSE: Table = Table {
    keys: PATH_REVERSE_KEYS,
    group: Some(&CHANNEL_KEYS),
    ..Table::one("reverse", "the return path, where it differs")
};

pub(crate) static PATH_CHANGE: Table = Table {
    keys: PATH_CHANGE_KEYS,
    ..Table::many(
        "change",
        1000,
        "other rates, round-trip times and losses from some time on",
    )
};

pub(crate) static NODE: Table = Table {
    keys: NODE_KEYS,
    ..Table::many("node", 1000, "a host or router")
};

pub(crate) static LINK: Table = Table {
    keys: LINK_KEYS,
    tables: &[&LINK_REVERSE, &LINK_CHANGE],
    group: Some(&CHANNEL_KEYS),
    ..Table::many(
        "link",
        2000,
        "a link between two nodes, with a channel in each direction",
    )
};

pub(crate) static LINK_REVERSE: Table = Table {
    keys: LINK_REVERSE_KEYS,
    group: Some(&CHANNEL_KEYS),
    ..Table::one(
        "reverse",
        "the direction from `to` to `from`, where it differs",
    )
};

pub(crate) static LINK_CHANGE: Table = Table {
    keys: LINK_CHANGE_KEYS,
    ..Table::many(
        "change",
        1000,
        "other rates, delays and losses from some time on",
    )
};

keys! { PATH_KEYS:
    PATH_RTT: Time = "rtt", Required, ranges &[RTTS], list List::Factor,
        "Round-trip propagation time: the delays of both directions, without queues. It is left \
         out where the delay of `[path]` is recorded.";
    PATH_MTU: Size = "mtu", Text("1500 B"), ranges &[MTUS],
        "Size of the largest IP packet, in both directions.";
}

keys! { PATH_REVERSE_KEYS:
    PATH_REVERSE_DELAY: Time = "delay", Other("`path.rtt / 2`"), ranges &[DELAYS],
        "One-way delay of the return path, at most `path.rtt`. The forward path has the rest of \
         the round-trip time.";
}

keys! { PATH_CHANGE_KEYS:
    PATH_CHANGE_AT: Time = "at", Required, ranges &[MOMENTS],
        "Time of the change, since the beginning of the run.";
    PATH_CHANGE_RATE: Rate = "rate", Other("unchanged"), ranges &[RATES],
        "The new rate. It is also the rate of the return path unless that has its own.";
    PATH_CHANGE_RTT: Time = "rtt", Other("unchanged"), ranges &[RTTS],
        "The new round-trip propagation time.";
    PATH_CHANGE_LOSS: Percent = "loss", Other("unchanged"), ranges &[PROBABILITIES],
        "The new random loss of both directions. `100 %` is an outage.";
}

keys! { NODE_KEYS:
    NODE_NAME: NodeName = "name", Required,
        "Name of the node: 1 to 64 characters of `a-z`, `0-9` and `-`, not beginning with `-`.";
}

keys! { LINK_KEYS:
    LINK_FROM: KnownNode = "from", Required, "The node at which the link begins.";
    LINK_TO: KnownNode = "to", Required, "The node at which the link ends.";
    LINK_DELAY: Time = "delay", Required, ranges &[DELAYS],
        "One-way propagation delay. It is left out where the delay of `[[link]]` is recorded.";
    LINK_MTU: Size = "mtu", Text("1500 B"), ranges &[MTUS],
        "Size of the largest IP packet, in both directions.";
}

keys! { LINK_REVERSE_KEYS:
    LINK_REVERSE_DELAY: Time = "delay", Other("`link.delay`"), ranges &[DELAYS],
        "One-way delay of the reverse direction.";
}

keys! { LINK_CHANGE_KEYS:
    LINK_CHANGE_AT: Time = "at", Required, ranges &[MOMENTS],
        "Time of the change, since the beginning of the run.";
    LINK_CHANGE_RATE: Rate = "rate", Other("unchanged"), ranges &[RATES],
        "The new rate. It is also the rate of the reverse direction unless that has its own.";
    LINK_CHANGE_DELAY: Time = "delay", Other("unchanged"), ranges &[DELAYS],
        "The new delay. It is also the delay of the reverse direction unless that has its own.";
    LINK_CHANGE_LOSS: Percent = "loss", Other("unchanged"), ranges &[PROBABILITIES],
        "The new random loss of both directions. `100 %` is an outage.";
}
