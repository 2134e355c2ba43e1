//! The network of a file: `[path]`, or `[[node]]` and `[[link]]`.

use crate::cases::{PathDraft, Topology};
use crate::channel::{names_recording, ChannelChange, ChannelDraft, RecordedQuantity};
use crate::keys::network::{
    LINK, LINK_CHANGE, LINK_CHANGE_AT, LINK_CHANGE_DELAY, LINK_CHANGE_LOSS, LINK_CHANGE_RATE,
    LINK_DELAY, LINK_FROM, LINK_MTU, LINK_REVERSE, LINK_REVERSE_DELAY, LINK_TO, NODE, NODE_NAME,
    PATH, PATH_CHANGE, PATH_CHANGE_AT, PATH_CHANGE_LOSS, PATH_CHANGE_RATE, PATH_CHANGE_RTT,
    PATH_MTU, PATH_REVERSE, PATH_REVERSE_DELAY, PATH_RTT,
};
use crate::mistake::{exclude, refuse, Mistake};
use crate::model::{Network, NetworkLink, RECEIVER, SENDER};
use onramp_config::document::{Reader, Section};
use onramp_config::key::{Key, Percent, Rate, Size, Time};
use onramp_config::units::format_time;
use std::collections::HashMap;
use std::ops::Range;

/// The network of a file. The names of its nodes are in [`Reader::known`], as far as they could be
/// read.
pub(super) struct Described {
    /// Flows go from `sender` to `receiver` unless the file gives their ends.
    pub is_path: bool,
    /// The network, if all of it could be read.
    pub topology: Option<Topology>,
}

pub(super) fn read_topology(reader: &mut Reader, top: &Section) -> Described {
    let network_table = [&NODE, &LINK]
        .into_iter()
        .find(|table| top.has_name(table.name));
    let has_path = top.has_name(PATH.name);
    let topology = match network_table {
        Some(table) if has_path => {
            let mistake = Mistake::Excludes {
                key: table.header(table.name),
                other: PATH.header(PATH.name),
                other_at: top.span(PATH.name),
            };
            reader.fault(mistake, top.span(table.name));
            None
        }
        Some(_) => read_network(reader, top),
        None => {
            if !has_path {
                reader.miss(top, &PATH);
            }
            reader.known.nodes = [SENDER, RECEIVER].map(str::to_owned).to_vec();
            let path = reader.table(top, &PATH);
            read_path(reader, &path).map(Box::new).map(Topology::Path)
        }
    };
    Described {
        is_path: has_path || network_table.is_none(),
        topology,
    }
}

fn read_path(reader: &mut Reader, path: &Section) -> Option<PathDraft> {
    // A recording, which comes with the channel, may have the delay.
    let may_be_recorded = names_recording(path);
    let rtts_ns = match may_be_recorded {
        true => None,
        false => reader.list(path, &PATH_RTT),
    };
    let mtu_bytes = read_mtu(reader, path, &PATH_MTU);
    let forward = ChannelDraft::read(reader, path, mtu_bytes.unwrap_or(0), None);
    let reverse_table = reader.table(path, &PATH_REVERSE);
    let reverse = ChannelDraft::read(
        reader,
        &reverse_table,
        mtu_bytes.unwrap_or(0),
        Some(&forward),
    );
    let reverse_delay_ns = recorded_delay_ns(reader, &reverse_table, &PATH_REVERSE_DELAY, &reverse)
        .or_else(|| reader.one(&reverse_table, &PATH_REVERSE_DELAY));
    let rtts_ns = match recorded_delay_ns(reader, path, &PATH_RTT, &forward) {
        Some(delay_ns) => Some(vec![delay_ns + reverse_delay_ns.unwrap_or(delay_ns)]),
        None if may_be_recorded && needs_delay(path, &PATH_RTT, &forward) => {
            reader.list(path, &PATH_RTT)
        }
        None => rtts_ns,
    };
    let change_tables = reader.tables(path, &PATH_CHANGE);
    let change_keys = ChangeKeys {
        at: &PATH_CHANGE_AT,
        rate: &PATH_CHANGE_RATE,
        delay: &PATH_CHANGE_RTT,
        loss: &PATH_CHANGE_LOSS,
        names: "`rate`, `rtt` or `loss`",
    };
    let changes = read_changes(reader, &change_tables, &change_keys);
    refuse_changes(reader, &change_tables, &change_keys, [&forward, &reverse]);

    if let Some(delay_ns) = reverse_delay_ns {
        let min_rtt_ns = rtts_ns.iter().flatten().copied().min();
        let span = reverse_table.span(PATH_REVERSE_DELAY.name());
        check_reverse_delay(reader, delay_ns, min_rtt_ns, span);
        for (change, table) in changes.iter().zip(&change_tables) {
            let span = table.span(PATH_CHANGE_RTT.name());
            check_reverse_delay(reader, delay_ns, change.delay_ns, span);
        }
    }
    Some(PathDraft {
        rtts_ns: rtts_ns?,
        mtu_bytes: mtu_bytes?,
        forward,
        reverse,
        reverse_delay_ns,
        changes,
    })
}

/// The mean of the recorded delay that a table gives, if it does. It then has no other delay.
fn recorded_delay_ns(
    reader: &mut Reader,
    section: &Section,
    delay: &Key<Time>,
    channel: &ChannelDraft,
) -> Option<u64> {
    let recorded = channel.own_recorded_delay()?;
    exclude(reader, section, recorded.key, delay.name());
    // A round-trip time is not 0.
    Some(recorded.mean().max(1))
}

/// Whether a table without a recorded delay needs this key. A file that could not be read may have
/// the delay, so the key is not missing as well.
fn needs_delay(section: &Section, delay: &Key<Time>, channel: &ChannelDraft) -> bool {
    section.has(delay) || !channel.recorded_delay.is_empty()
}

/// Refuses a delay of the return path that exceeds the round-trip time.
fn check_reverse_delay(
    reader: &mut Reader,
    delay_ns: u64,
    rtt_ns: Option<u64>,
    span: Range<usize>,
) {
    if let Some(rtt_ns) = rtt_ns.filter(|rtt_ns| delay_ns > *rtt_ns) {
        let [delay, rtt] = [delay_ns, rtt_ns].map(format_time);
        reader.fault(Mistake::DelayBeyondRtt { delay, rtt }, span);
    }
}

fn read_mtu(reader: &mut Reader, section: &Section, key: &Key<Size>) -> Option<u32> {
    u32::try_from(reader.one(section, key)?).ok()
}

/// The keys of a change.
struct ChangeKeys {
    at: &'static Key<Time>,
    rate: &'static Key<Rate>,
    delay: &'static Key<Time>,
    loss: &'static Key<Percent>,
    /// The keys that can change something, for messages.
    names: &'static str,
}

/// The changes of a path or link. A change without a time is left out.
fn read_changes(
    reader: &mut Reader,
    sections: &[Section],
    keys: &ChangeKeys,
) -> Vec<ChannelChange> {
    let mut changes: Vec<ChannelChange> = Vec::new();
    for section in sections {
        let at_ns = reader.one(section, keys.at);
        let rate_bits_per_s = reader.one(section, keys.rate);
        let delay_ns = reader.one(section, keys.delay);
        let loss_ppm = reader.one(section, keys.loss);
        let has_effect =
            section.has(keys.rate) || section.has(keys.delay) || section.has(keys.loss);
        if !has_effect {
            let mistake = Mistake::NoChange { keys: keys.names };
            reader.fault(mistake, section.header.clone());
        }
        let Some(at_ns) = at_ns else { continue };
        if changes.last().is_some_and(|before| before.at_ns >= at_ns) {
            let key = section.path_of(keys.at);
            reader.fault(Mistake::NotLater { key }, section.span(keys.at.name()));
        }
        changes.push(ChannelChange {
            at_ns,
            rate_bits_per_s,
            delay_ns,
            loss_ppm,
        });
    }
    changes
}

/// Refuses changes of a rate that is recorded or random, and of a recorded delay or loss.
fn refuse_changes(
    reader: &mut Reader,
    sections: &[Section],
    keys: &ChangeKeys,
    channels: [&ChannelDraft; 2],
) {
    let recorded = |of: fn(&ChannelDraft) -> Option<&RecordedQuantity>| {
        channels
            .into_iter()
            .find_map(of)
            .map(|recorded| recorded.key)
    };
    let refused = [
        (
            keys.rate.name(),
            "links of a steady rate",
            channels.into_iter().find_map(ChannelDraft::unsteady),
        ),
        (
            keys.delay.name(),
            "links without a recorded delay",
            recorded(ChannelDraft::own_recorded_delay),
        ),
        (
            keys.loss.name(),
            "links without a recorded loss",
            recorded(|channel| channel.recorded_loss.first()?.as_ref()),
        ),
    ];
    for (name, only, chosen) in refused {
        let Some(chosen) = chosen else { continue };
        for section in sections {
            refuse(reader, section, name, only, chosen);
        }
    }
}

fn read_network(reader: &mut Reader, top: &Section) -> Option<Topology> {
    for table in [&LINK, &NODE] {
        if !top.has_name(table.name) {
            reader.miss(top, table);
        }
    }
    let faults_before = reader.faults.len();
    reader.known.nodes = read_nodes(reader, top);
    let mut links = Vec::new();
    for section in reader.tables(top, &LINK) {
        links.extend(read_link(reader, &section));
    }
    // If a link could not be read, a further message that no links lead somewhere would be wrong or
    // useless.
    let is_whole = reader.faults.len() == faults_before;
    let nodes = reader.known.nodes.clone();
    is_whole.then(|| Topology::Network(Network { nodes, links }.into()))
}

/// The names of the nodes, each once.
fn read_nodes(reader: &mut Reader, top: &Section) -> Vec<String> {
    let mut nodes: Vec<String> = Vec::new();
    let mut places: HashMap<String, Range<usize>> = HashMap::new();
    for section in reader.tables(top, &NODE) {
        let Some(name) = reader.one(&section, &NODE_NAME) else {
            continue;
        };
        let here = section.span(NODE_NAME.name());
        match places.get(&name).cloned() {
            Some(first) => reader.fault(Mistake::SameName { name, first }, here),
            None => {
                places.insert(name.clone(), here);
                nodes.push(name);
            }
        }
    }
    nodes
}

fn read_link(reader: &mut Reader, section: &Section) -> Option<NetworkLink> {
    // Missing nodes have a mistake of their own.
    let has_nodes = !reader.known.nodes.is_empty();
    let mut end = |key| has_nodes.then(|| reader.one(section, key)).flatten();
    let (from, to) = (end(&LINK_FROM), end(&LINK_TO));
    // A recording, which comes with the channel, may have the delay.
    let may_be_recorded = names_recording(section);
    let delay_ns = match may_be_recorded {
        true => None,
        false => reader.one(section, &LINK_DELAY),
    };
    let mtu_bytes = read_mtu(reader, section, &LINK_MTU);
    let forward = ChannelDraft::read(reader, section, mtu_bytes.unwrap_or(0), None);
    let reverse_table = reader.table(section, &LINK_REVERSE);
    let reverse = ChannelDraft::read(
        reader,
        &reverse_table,
        mtu_bytes.unwrap_or(0),
        Some(&forward),
    );
    let delay_ns = match recorded_delay_ns(reader, section, &LINK_DELAY, &forward) {
        None if may_be_recorded && needs_delay(section, &LINK_DELAY, &forward) => {
            reader.one(section, &LINK_DELAY)
        }
        None => delay_ns,
        recorded_ns => recorded_ns,
    };
    let reverse_delay_ns = recorded_delay_ns(reader, &reverse_table, &LINK_REVERSE_DELAY, &reverse)
        .or_else(|| reader.one(&reverse_table, &LINK_REVERSE_DELAY));
    let change_tables = reader.tables(section, &LINK_CHANGE);
    let change_keys = ChangeKeys {
        at: &LINK_CHANGE_AT,
        rate: &LINK_CHANGE_RATE,
        delay: &LINK_CHANGE_DELAY,
        loss: &LINK_CHANGE_LOSS,
        names: "`rate`, `delay` or `loss`",
    };
    let changes = read_changes(reader, &change_tables, &change_keys);
    refuse_changes(reader, &change_tables, &change_keys, [&forward, &reverse]);

    let (from, to) = (from?, to?);
    if from == to {
        let node = reader.known.nodes.get(from.0).cloned().unwrap_or_default();
        let mistake = Mistake::SameNode { what: "link", node };
        reader.fault(mistake, section.span(LINK_TO.name()));
    }
    let forward = forward.channels(delay_ns?, changes.clone()).pop()?;
    let mut reverses = reverse.reverse_of(&forward, reverse_delay_ns, forward.delay_ns, changes);
    let reverse = reverses.pop()?;
    Some(NetworkLink {
        from: from.0,
        to: to.0,
        mtu_bytes: mtu_bytes?,
        forward,
        reverse,
    })
}
