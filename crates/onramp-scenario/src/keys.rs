//! The keys of a scenario file, declared once: the reader takes defaults and ranges from here, errors take their
//! suggestions from here, and a test holds the reference table of `docs/scenarios.md` against it.

/// A table of the file. The top level is the one without a name.
#[derive(Debug)]
pub(crate) struct Table {
    pub name: &'static str,
    /// Written `[[name]]`, up to this many times; 1 is a plain `[name]`.
    pub most: usize,
    pub required: bool,
}

impl Table {
    pub(crate) fn is_many(&self) -> bool {
        self.most > 1
    }

    /// As the file writes it.
    pub(crate) fn header(&self) -> String {
        match (self.name, self.is_many()) {
            ("", _) => "the top level".to_owned(),
            (name, false) => format!("[{name}]"),
            (name, true) => format!("[[{name}]]"),
        }
    }

    /// The keys of this table.
    pub(crate) fn keys(&self) -> Vec<&'static str> {
        KEYS.iter().filter(|key| key.table == self.name).map(|key| key.name).collect()
    }

    /// The tables within this table, by their names in it.
    pub(crate) fn tables(&self) -> Vec<&'static str> {
        let within = |table: &&'static Table| match (self.name, table.name) {
            ("", name) => (!name.is_empty() && !name.contains('.')).then_some(name),
            (parent, name) => name.strip_prefix(parent)?.strip_prefix('.'),
        };
        TABLES.iter().filter_map(within).collect()
    }

    /// Everything that may stand in this table.
    pub(crate) fn names(&self) -> Vec<&'static str> {
        [self.keys(), self.tables()].concat()
    }
}

/// A key, its default and its range.
#[derive(Debug)]
pub(crate) struct Key {
    pub table: &'static str,
    pub name: &'static str,
    pub kind: Kind,
    pub default: Fallback,
    /// Least and most, in each of the units that do not convert into one another.
    pub ranges: &'static [(&'static str, &'static str)],
    /// May be a list, a factor of the cross product.
    pub list: bool,
    pub meaning: &'static str,
}

impl Key {
    /// The key with its table, as messages and the manual call it.
    pub(crate) fn path(&self) -> String {
        match self.table {
            "" => self.name.to_owned(),
            table => format!("{table}.{}", self.name),
        }
    }

    /// `1 kbit/s to 1000 Gbit/s`.
    pub(crate) fn range(&self) -> String {
        let ranges: Vec<_> = self.ranges.iter().map(|(least, most)| format!("{least} to {most}")).collect();
        ranges.join("; ")
    }
}

/// What a key has where the file does not give it.
#[derive(Debug)]
pub(crate) enum Fallback {
    /// Nothing: the file must give it.
    Required,
    /// This text, read as if the file gave it.
    Text(&'static str),
    /// The value of another key, or one computed from it.
    From(&'static str),
}

/// The type of a key's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Name,
    Text,
    Integer,
    Rate,
    Time,
    Size,
    Share,
    Queue,
    Buffer,
    Window,
    Startup,
    Avoidance,
}

impl Kind {
    /// The type, as the manual names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Kind::Name => "name",
            Kind::Text => "text",
            Kind::Integer => "integer",
            Kind::Rate => "rate",
            Kind::Time => "time",
            Kind::Size => "size",
            Kind::Share => "share",
            Kind::Queue => "queue",
            Kind::Buffer => "buffer",
            Kind::Window => "initial window",
            Kind::Startup => "start-up",
            Kind::Avoidance => "avoidance",
        }
    }

    /// What to write, as messages put it.
    pub(crate) fn expected(self) -> &'static str {
        match self {
            Kind::Name => "a name in quotes, for example \"geo-download\"",
            Kind::Text => "a text in quotes",
            Kind::Integer => "a whole number without quotes, for example 3",
            Kind::Rate => "a rate with its unit in quotes, for example \"50 Mbit/s\"",
            Kind::Time => "a time with its unit in quotes, for example \"600 ms\"",
            Kind::Size => "a size with its unit in quotes, for example \"1 MB\"",
            Kind::Share => "a percentage in quotes, for example \"0.5 %\"",
            Kind::Queue => "a queue with its unit in quotes, for example \"0.5 bdp\", \"40 packets\" or \"256 KiB\"",
            Kind::Buffer => "a buffer in quotes: \"linux-default\", or a size, for example \"64 MiB\"",
            Kind::Window => "an initial window in quotes: \"host\", \"paper\" or, for example, \"10 segments\"",
            Kind::Startup => "the name of a start-up in quotes, for example \"paced\"",
            Kind::Avoidance => "the name of a congestion avoidance in quotes, for example \"cubic\"",
        }
    }
}

pub(crate) static TOP: Table = Table { name: "", most: 1, required: true };
pub(crate) static PATH: Table = Table { name: "path", most: 1, required: true };
pub(crate) static REVERSE: Table = Table { name: "path.reverse", most: 1, required: false };
pub(crate) static RECEIVER: Table = Table { name: "receiver", most: 1, required: false };
pub(crate) static SENDER: Table = Table { name: "sender", most: 1, required: false };
pub(crate) static TRANSFER: Table = Table { name: "transfer", most: 1000, required: true };
pub(crate) static TRAFFIC: Table = Table { name: "traffic", most: 64, required: false };
pub(crate) static TABLES: &[&Table] = &[&TOP, &PATH, &REVERSE, &RECEIVER, &SENDER, &TRANSFER, &TRAFFIC];

/// Declares the keys, and the list of them all.
macro_rules! keys {
    ($($constant:ident: $table:literal, $name:literal, $kind:ident, $default:expr, $ranges:expr, $list:ident, $meaning:literal;)*) => {
        $(pub(crate) static $constant: Key = Key {
            table: $table, name: $name, kind: Kind::$kind, default: $default, ranges: &$ranges, list: $list, meaning: $meaning,
        };)*
        pub(crate) static KEYS: &[&Key] = &[$(&$constant),*];
    };
}

use Fallback::{From, Required, Text};

const RATES: (&str, &str) = ("1 kbit/s", "1000 Gbit/s");
const QUEUES: [(&str, &str); 3] =
    [("1 packet", "1000000000 packets"), ("1 B", "1000 GB"), ("0.000001 bdp", "1000 bdp")];
const LOSSES: (&str, &str) = ("0 %", "50 %");
const BUFFERS: (&str, &str) = ("4 KiB", "1 GiB");

keys! {
    NAME: "", "name", Name, Required, [], false,
        "Names the scenario in tables and files: 1 to 64 of `a-z`, `0-9` and `-`, not first a `-`.";
    DESCRIPTION: "", "description", Text, Text(""), [], false,
        "One sentence for the report.";
    SEED: "", "seed", Integer, Text("1"), [("0", "9223372036854775807")], false,
        "From which each case's seed is derived.";
    PATH_RATE: "path", "rate", Rate, Required, [RATES], true,
        "Rate of the bottleneck from sender to receiver, counted in IP packets.";
    PATH_RTT: "path", "rtt", Time, Required, [("1 us", "3600 s")], true,
        "Round-trip propagation time: the delays of both directions, without queues.";
    PATH_QUEUE: "path", "queue", Queue, Text("1 bdp"), QUEUES, true,
        "Room of the drop-tail queue before the bottleneck.";
    PATH_LOSS: "path", "loss", Share, Text("0 %"), [LOSSES], true,
        "Packets that are lost at random, each independent of the others.";
    PATH_MTU: "path", "mtu", Size, Text("1500 B"), [("576 B", "9000 B")], false,
        "Largest IP packet, in both directions.";
    REVERSE_RATE: "path.reverse", "rate", Rate, From("path.rate"), [RATES], false,
        "Rate from receiver to sender: the acknowledgements' way.";
    REVERSE_QUEUE: "path.reverse", "queue", Queue, From("path.queue"), QUEUES, false,
        "Queue of that way; a bdp is one of the reverse rate.";
    REVERSE_LOSS: "path.reverse", "loss", Share, Text("0 %"), [LOSSES], false,
        "Packets lost at random on that way.";
    REVERSE_DELAY: "path.reverse", "delay", Time, From("path.rtt / 2"), [("0 s", "3600 s")], false,
        "One-way delay of that way, at most `path.rtt`; the forward way has the rest of the round trip.";
    RECEIVER_BUFFER: "receiver", "buffer", Buffer, Text("linux-default"), [BUFFERS], true,
        "The receiver's socket buffer: auto-tuned as Linux does it, or so large from the start.";
    SENDER_BUFFER: "sender", "buffer", Buffer, Text("64 MiB"), [BUFFERS], true,
        "What the sender's socket buffer may grow to.";
    TRANSFER_SIZE: "transfer", "size", Size, Required, [("1 B", "1000 GB")], true,
        "Payload to transfer.";
    TRANSFER_STARTUP: "transfer", "startup", Startup, Text("standard"), [], true,
        "Start-up algorithm; `none` is the avoidance as the host ships it.";
    TRANSFER_AVOIDANCE: "transfer", "avoidance", Avoidance, Text("cubic"), [], true,
        "Congestion avoidance that follows the start-up: `cubic`, `bbr` or `reno`.";
    TRANSFER_WINDOW: "transfer", "initial_window", Window, Text("host"), [("1 segment", "1000 segments")], true,
        "What the sender may send before the first acknowledgement.";
    TRANSFER_REPEAT: "transfer", "repeat", Integer, Text("1"), [("1", "1000")], false,
        "How often each case of this table runs.";
    TRAFFIC_STARTUP: "traffic", "startup", Startup, Text("none"), [], false,
        "Start-up algorithm of the competing flow.";
    TRAFFIC_AVOIDANCE: "traffic", "avoidance", Avoidance, Text("cubic"), [], false,
        "Its congestion avoidance.";
    TRAFFIC_LEAD: "traffic", "lead", Time, Text("5 s"), [("0 s", "3600 s")], false,
        "How long before the transfer it starts.";
}

/// Every key with its type, default, range and meaning, as the Markdown table that `docs/scenarios.md` has.
pub fn reference_table() -> String {
    let mut table = String::from("| Key | Type | Default | Range | List | Meaning |\n|---|---|---|---|---|---|\n");
    for key in KEYS {
        let default = match key.default {
            Required => "required".to_owned(),
            Text("") => "empty".to_owned(),
            Text(text) => format!("`{text}`"),
            From(other) => format!("`{other}`"),
        };
        let (path, kind, list) = (key.path(), key.kind.name(), if key.list { "yes" } else { "" });
        table += &format!("| `{path}` | {kind} | {default} | {} | {list} | {} |\n", key.range(), key.meaning);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{parse_percent, parse_rate, parse_size, parse_time};
    use crate::{Avoidance, Buffer, InitialWindow, QueueLimit, NO_STARTUP};

    #[test]
    fn the_manual_has_every_key_and_default() {
        let manual = include_str!("../../../docs/scenarios.md");
        let table = manual.split_once("<!-- keys -->\n").and_then(|(_, rest)| rest.split_once("<!-- /keys -->"));
        let (table, _) =
            table.expect("docs/scenarios.md has its table of keys between <!-- keys --> and <!-- /keys -->");
        let wanted = reference_table();
        assert!(table.trim() == wanted.trim(), "put this into docs/scenarios.md:\n\n{wanted}");
    }

    fn is_readable(kind: Kind, text: &str) -> bool {
        match kind {
            Kind::Integer => text.parse::<u64>().is_ok(),
            Kind::Rate => parse_rate(text).is_ok(),
            Kind::Time => parse_time(text).is_ok(),
            Kind::Size => parse_size(text).is_ok(),
            Kind::Share => parse_percent(text).is_ok(),
            Kind::Queue => text.parse::<QueueLimit>().is_ok(),
            Kind::Buffer => text.parse::<Buffer>().is_ok(),
            Kind::Window => text.parse::<InitialWindow>().is_ok(),
            Kind::Startup => text == NO_STARTUP || onramp_core::startup_names().contains(&text),
            Kind::Avoidance => Avoidance::ALL.iter().any(|avoidance| avoidance.name() == text),
            Kind::Name | Kind::Text => true,
        }
    }

    #[test]
    fn every_default_and_limit_is_readable() {
        for key in KEYS {
            let default = match key.default {
                Text(text) => Some(text),
                Required | From(_) => None,
            };
            let limits = key.ranges.iter().flat_map(|(least, most)| [*least, *most]);
            for text in limits.chain(default) {
                assert!(is_readable(key.kind, text), "{}: {text}", key.path());
            }
        }
    }

    #[test]
    fn every_key_is_in_a_declared_table_once() {
        for (i, key) in KEYS.iter().enumerate() {
            assert!(TABLES.iter().any(|table| table.name == key.table), "{}", key.path());
            assert!(KEYS[..i].iter().all(|other| other.path() != key.path()), "{}", key.path());
        }
    }

    #[test]
    fn a_table_knows_the_names_within() {
        assert_eq!(REVERSE.names(), ["rate", "queue", "loss", "delay"]);
        assert_eq!(PATH.names(), ["rate", "rtt", "queue", "loss", "mtu", "reverse"]);
        let top = ["name", "description", "seed", "path", "receiver", "sender", "transfer", "traffic"];
        assert_eq!(TOP.names(), top);
    }
}
