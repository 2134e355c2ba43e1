//! The keys of a scenario file, declared once: the reader takes defaults and ranges from here,
//! errors take their suggestions from here, and a test holds the reference tables of
//! `docs/scenarios.md` against it.

mod channel;
mod declared;
mod kind;
mod manual;
mod table;

pub(crate) use channel::{
    ChannelKeys, LINK_CHANNEL, LINK_REVERSE_CHANNEL, PATH_CHANNEL, REVERSE_CHANNEL,
};
pub(crate) use declared::*;
pub(crate) use kind::Kind;
pub use manual::reference_tables;
pub(crate) use table::{Fallback, Key, List, Table};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{
        parse_frequency, parse_packets, parse_percent, parse_rate, parse_size, parse_time,
    };
    use crate::{
        Acks, Avoidance, Buffer, Connect, Distribution, Dscp, InitialWindow, Memory, PacketPair,
        PairForm, QueueLimit, Recovery, Stack, Timers, Train, Without, NO_STARTUP,
    };

    fn is_readable(kind: Kind, text: &str) -> bool {
        match kind {
            Kind::Integer => text.parse::<u64>().is_ok(),
            Kind::Boolean => text.parse::<bool>().is_ok(),
            Kind::Rate => parse_rate(text).is_ok(),
            Kind::Time => parse_time(text).is_ok(),
            Kind::Size => parse_size(text).is_ok(),
            Kind::Share => parse_percent(text).is_ok(),
            Kind::Frequency => parse_frequency(text).is_ok(),
            Kind::Packets => parse_packets(text).is_ok(),
            Kind::Queue => text.parse::<QueueLimit>().is_ok(),
            Kind::Buffer => text.parse::<Buffer>().is_ok(),
            Kind::Window => text.parse::<InitialWindow>().is_ok(),
            Kind::Counting => crate::limits::parse_byte_counting(text).is_ok(),
            Kind::Startup => text == NO_STARTUP || onramp_core::startup_names().contains(&text),
            Kind::Avoidance => Avoidance::ALL
                .iter()
                .any(|avoidance| avoidance.name() == text),
            Kind::Stack => Stack::from_name(text).is_some(),
            Kind::Recovery => Recovery::from_name(text).is_some(),
            Kind::Timers => Timers::from_name(text).is_some(),
            Kind::Connect => Connect::ALL.iter().any(|connect| connect.name() == text),
            Kind::Connections => text.parse::<u32>().is_ok(),
            Kind::Train => Train::ALL.iter().any(|train| train.name() == text),
            Kind::Without => Without::ALL.iter().any(|without| without.name == text),
            Kind::Memory => Memory::ALL.iter().any(|memory| memory.name() == text),
            Kind::Dscp => Dscp::ALL.iter().any(|dscp| dscp.name() == text),
            Kind::Acks => Acks::from_name(text).is_some(),
            Kind::PacketPair => PacketPair::from_name(text).is_some(),
            Kind::PairForm => PairForm::ALL.iter().any(|form| form.name() == text),
            Kind::Discipline => crate::reader::DISCIPLINES.contains(&text),
            Kind::Traffic => crate::reader::KINDS_OF_TRAFFIC.contains(&text),
            Kind::Distribution => Distribution::ALL
                .iter()
                .any(|distribution| distribution.name() == text),
            Kind::Name | Kind::Text | Kind::Node => true,
        }
    }

    #[test]
    fn every_default_and_limit_is_readable() {
        for key in all_keys() {
            let limits = key.ranges.iter().flat_map(|(least, most)| [*least, *most]);
            let default = match key.default {
                Fallback::Text(text) => Some(text),
                Fallback::Required | Fallback::Other(_) => None,
            };
            for text in limits.chain(default) {
                assert!(is_readable(key.kind, text), "{}: {text}", key.path());
            }
        }
    }

    #[test]
    fn every_key_is_in_a_declared_table_once() {
        for (i, key) in all_keys().enumerate() {
            assert!(
                TABLES.iter().any(|table| table.name == key.table),
                "{}",
                key.path()
            );
            assert!(
                all_keys().take(i).all(|other| other.path() != key.path()),
                "{}",
                key.path()
            );
        }
    }

    #[test]
    fn a_table_knows_the_names_within() {
        let of_channel = PATH_CHANNEL.tables.red.names();
        assert_eq!(
            of_channel,
            ["min", "max", "probability", "weight", "gentle"]
        );
        assert_eq!(
            PATH.tables(),
            ["reverse", "change", "red", "codel", "bursts"]
        );
        assert_eq!(
            PATH.keys()[..5],
            ["rtt", "mtu", "rate", "queue", "discipline"]
        );
        let top = [
            "name",
            "description",
            "seed",
            "path",
            "node",
            "link",
            "run",
            "receiver",
            "sender",
            "transfer",
            "traffic",
        ];
        assert_eq!(TOP.names(), top);
    }
}
