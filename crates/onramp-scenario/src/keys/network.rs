//! The keys of `[path]`, `[[node]]`, `[[link]]` and the tables within them, without the keys of
//! channels.

use super::kinds::{KnownNode, NodeName};
use super::limits::{MOMENTS, MTUS};
use crate::channel::limits::{DELAYS, PROBABILITIES, RATES};
use crate::channel::CHANNEL_KEYS;
use onramp_config::key::Fallback::{Other, Required, Text};
use onramp_config::key::{keys, Key, List, Percent, Rate, Size, Table, Time};

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
    PATH_RTT: Time = Key::new(
        "rtt",
        Required,
        "Round-trip propagation time: the delays of both directions, without queues. It is left \
         out where the delay of `[path]` is recorded.",
    )
    .ranges(&[RTTS])
    .list(List::Factor);
    PATH_MTU: Size = Key::new(
        "mtu",
        Text("1500 B"),
        "Size of the largest IP packet, in both directions.",
    )
    .ranges(&[MTUS]);
}

keys! { PATH_REVERSE_KEYS:
    PATH_REVERSE_DELAY: Time = Key::new(
        "delay",
        Other("`path.rtt / 2`"),
        "One-way delay of the return path, at most `path.rtt`. The forward path has the rest of \
         the round-trip time.",
    )
    .ranges(&[DELAYS]);
}

keys! { PATH_CHANGE_KEYS:
    PATH_CHANGE_AT: Time = Key::new(
        "at",
        Required,
        "Time of the change, since the beginning of the run.",
    )
    .ranges(&[MOMENTS]);
    PATH_CHANGE_RATE: Rate = Key::new(
        "rate",
        Other("unchanged"),
        "The new rate. It is also the rate of the return path unless that has its own.",
    )
    .ranges(&[RATES]);
    PATH_CHANGE_RTT: Time = Key::new(
        "rtt",
        Other("unchanged"),
        "The new round-trip propagation time.",
    )
    .ranges(&[RTTS]);
    PATH_CHANGE_LOSS: Percent = Key::new(
        "loss",
        Other("unchanged"),
        "The new random loss of both directions. `100 %` is an outage.",
    )
    .ranges(&[PROBABILITIES]);
}

keys! { NODE_KEYS:
    NODE_NAME: NodeName = Key::new(
        "name",
        Required,
        "Name of the node: 1 to 64 characters of `a-z`, `0-9` and `-`, not beginning with `-`.",
    );
}

keys! { LINK_KEYS:
    LINK_FROM: KnownNode = Key::new("from", Required, "The node at which the link begins.");
    LINK_TO: KnownNode = Key::new("to", Required, "The node at which the link ends.");
    LINK_DELAY: Time = Key::new(
        "delay",
        Required,
        "One-way propagation delay. It is left out where the delay of `[[link]]` is recorded.",
    )
    .ranges(&[DELAYS]);
    LINK_MTU: Size = Key::new(
        "mtu",
        Text("1500 B"),
        "Size of the largest IP packet, in both directions.",
    )
    .ranges(&[MTUS]);
}

keys! { LINK_REVERSE_KEYS:
    LINK_REVERSE_DELAY: Time = Key::new(
        "delay",
        Other("`link.delay`"),
        "One-way delay of the reverse direction.",
    )
    .ranges(&[DELAYS]);
}

keys! { LINK_CHANGE_KEYS:
    LINK_CHANGE_AT: Time = Key::new(
        "at",
        Required,
        "Time of the change, since the beginning of the run.",
    )
    .ranges(&[MOMENTS]);
    LINK_CHANGE_RATE: Rate = Key::new(
        "rate",
        Other("unchanged"),
        "The new rate. It is also the rate of the reverse direction unless that has its own.",
    )
    .ranges(&[RATES]);
    LINK_CHANGE_DELAY: Time = Key::new(
        "delay",
        Other("unchanged"),
        "The new delay. It is also the delay of the reverse direction unless that has its own.",
    )
    .ranges(&[DELAYS]);
    LINK_CHANGE_LOSS: Percent = Key::new(
        "loss",
        Other("unchanged"),
        "The new random loss of both directions. `100 %` is an outage.",
    )
    .ranges(&[PROBABILITIES]);
}
