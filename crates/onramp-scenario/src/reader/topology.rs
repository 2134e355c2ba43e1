//! `[path]`, or `[[node]]` and `[[link]]`: what packets travel over.

use super::channel::{check_guarantee, read_channel, ChannelDraft};
use super::values::{file_name, node};
use crate::document::{quantity, Reader, Section};
use crate::keys::{self, Key};
use crate::topology::{PathDraft, ReverseDraft, Topology};
use crate::units::{format_time, parse_percent, parse_rate, parse_size, parse_time};
use crate::{ChannelChange, Mistake, Network, NetworkLink, RECEIVER, SENDER};
use std::collections::HashMap;
use std::ops::Range;

/// Names of the nodes, as far as they could be read, and the network, if all of it could.
pub(super) struct Described {
    pub nodes: Vec<String>,
    /// Flows go from `sender` to `receiver` unless they say otherwise.
    pub is_path: bool,
    pub topology: Option<Topology>,
}

pub(super) fn read_topology(reader: &mut Reader, top: &Section) -> Described {
    let of_network = ["node", "link"].into_iter().find(|name| top.has(name));
    match (top.has("path"), of_network) {
        (true, Some(name)) => {
            let (key, other) = (format!("[[{name}]]"), keys::PATH.header());
            reader.fault(
                Mistake::Excludes {
                    key,
                    other,
                    other_at: top.span("path"),
                },
                top.span(name),
            );
            Described {
                nodes: Vec::new(),
                is_path: true,
                topology: None,
            }
        }
        (false, Some(_)) => read_network(reader, top),
        (has_path, None) => {
            if !has_path {
                reader.miss(top, &keys::PATH);
            }
            let path = reader.table(top, &keys::PATH);
            let topology = read_path(reader, &path).map(Box::new).map(Topology::Path);
            Described {
                nodes: [SENDER, RECEIVER].map(str::to_owned).to_vec(),
                is_path: true,
                topology,
            }
        }
    }
}

fn read_path(reader: &mut Reader, path: &Section) -> Option<PathDraft> {
    let rtts = reader.list(path, &keys::PATH_RTT, &quantity(parse_time));
    let mtu_bytes = read_mtu(reader, path, &keys::PATH_MTU);
    let channel = read_channel(
        reader,
        path,
        &keys::PATH_CHANNEL,
        mtu_bytes.unwrap_or(0),
        None,
    );
    let queues = channel
        .as_ref()
        .and_then(|channel| channel.queues.as_deref());
    let section = reader.table(path, &keys::REVERSE);
    let back = read_channel(
        reader,
        &section,
        &keys::REVERSE_CHANNEL,
        mtu_bytes.unwrap_or(0),
        queues,
    );
    let rates = channel
        .as_ref()
        .and_then(|channel| channel.rates.as_deref());
    let back_rates = back
        .as_ref()
        .and_then(|back| back.rates.as_deref())
        .or(rates);
    check_guarantee(reader, path, &keys::PATH_CHANNEL, channel.as_ref(), rates);
    check_guarantee(
        reader,
        &section,
        &keys::REVERSE_CHANNEL,
        back.as_ref(),
        back_rates,
    );
    let back_ns = reader.one(&section, &keys::REVERSE_DELAY, &quantity(parse_time));
    let sections = reader.tables(path, &keys::PATH_CHANGE);
    let change_keys = [
        &keys::PATH_CHANGE_AT,
        &keys::PATH_CHANGE_RATE,
        &keys::PATH_CHANGE_RTT,
        &keys::PATH_CHANGE_LOSS,
    ];
    let changes = read_changes(reader, &sections, change_keys);

    let least_rtt = rtts.iter().flatten().copied().min();
    if let (Some(delay), Some(rtt)) = (back_ns, least_rtt.filter(|rtt| back_ns > Some(*rtt))) {
        let mistake = Mistake::DelayBeyondRtt {
            delay: format_time(delay),
            rtt: format_time(rtt),
        };
        reader.fault(mistake, section.span("delay"));
    }
    for (change, section) in changes.iter().zip(&sections) {
        if let (Some(delay), Some(rtt)) =
            (back_ns, change.delay_ns.filter(|rtt| back_ns > Some(*rtt)))
        {
            let mistake = Mistake::DelayBeyondRtt {
                delay: format_time(delay),
                rtt: format_time(rtt),
            };
            reader.fault(mistake, section.span("rtt"));
        }
    }
    let ChannelDraft {
        rates,
        queues,
        losses,
        elements,
    } = channel?;
    Some(PathDraft {
        rates: rates?,
        rtts: rtts?,
        queues: queues?,
        losses,
        mtu_bytes: mtu_bytes?,
        elements,
        reverse: reverse_of(back?, back_ns),
        changes,
    })
}

fn reverse_of(channel: ChannelDraft, delay_ns: Option<u64>) -> ReverseDraft {
    ReverseDraft {
        rate_bits_per_s: only(channel.rates),
        queue: only(channel.queues),
        loss_ppm: only(Some(channel.losses)).unwrap_or(0),
        delay_ns,
        elements: channel.elements,
    }
}

/// The value of a key that may not be a list.
fn only<T>(values: Option<Vec<T>>) -> Option<T> {
    values.and_then(|mut values| values.pop())
}

fn read_mtu(reader: &mut Reader, section: &Section, key: &'static Key) -> Option<u32> {
    let bytes = reader.one(section, key, &quantity(parse_size))?;
    u32::try_from(bytes).ok()
}

/// The changes of a path or link; a wrong one is left out.
fn read_changes(
    reader: &mut Reader,
    sections: &[Section],
    [at_key, rate_key, delay_key, loss_key]: [&'static Key; 4],
) -> Vec<ChannelChange> {
    let mut changes: Vec<ChannelChange> = Vec::new();
    for section in sections {
        let at_ns = reader.one(section, at_key, &quantity(parse_time));
        let rate_bits_per_s = reader.one(section, rate_key, &quantity(parse_rate));
        let delay_ns = reader.one(section, delay_key, &quantity(parse_time));
        let loss_ppm = reader.one(section, loss_key, &quantity(parse_percent));
        if [rate_key, delay_key, loss_key]
            .iter()
            .all(|key| !section.has(key.name))
        {
            let keys = if delay_key.name == "rtt" {
                "`rate`, `rtt` or `loss`"
            } else {
                "`rate`, `delay` or `loss`"
            };
            reader.fault(Mistake::NoChange { keys }, section.header.clone());
        }
        let Some(at_ns) = at_ns else { continue };
        if changes.last().is_some_and(|before| before.at_ns >= at_ns) {
            reader.fault(Mistake::NotLater { key: at_key.path() }, section.span("at"));
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

fn read_network(reader: &mut Reader, top: &Section) -> Described {
    if !top.has("link") {
        reader.miss(top, &keys::LINK);
    }
    if !top.has("node") {
        reader.miss(top, &keys::NODE);
    }
    let mistakes_before = reader.faults.len();
    let mut nodes: Vec<String> = Vec::new();
    let mut places: HashMap<String, Range<usize>> = HashMap::new();
    for section in reader.tables(top, &keys::NODE) {
        let Some(name) = reader.one(&section, &keys::NODE_NAME, &file_name("node")) else {
            continue;
        };
        let here = section.span("name");
        match places.get(&name) {
            Some(first) => reader.fault(
                Mistake::SameName {
                    name,
                    first: first.clone(),
                },
                here,
            ),
            None => {
                places.insert(name.clone(), here);
                nodes.push(name);
            }
        }
    }
    let mut links = Vec::new();
    for section in reader.tables(top, &keys::LINK) {
        links.extend(read_link(reader, &section, &nodes));
    }
    // Where a link could not be read, that no links lead somewhere says nothing new.
    let is_whole = reader.faults.len() == mistakes_before;
    let topology = is_whole.then(|| {
        Topology::Network(
            Network {
                nodes: nodes.clone(),
                links,
            }
            .into(),
        )
    });
    Described {
        nodes,
        is_path: false,
        topology,
    }
}

fn read_link(reader: &mut Reader, section: &Section, nodes: &[String]) -> Option<NetworkLink> {
    // Of nodes that are missing altogether it has been said that they are.
    let mut end = |key| {
        if nodes.is_empty() {
            None
        } else {
            reader.one(section, key, &node(nodes))
        }
    };
    let (from, to) = (end(&keys::LINK_FROM), end(&keys::LINK_TO));
    let delay_ns = reader.one(section, &keys::LINK_DELAY, &quantity(parse_time));
    let mtu_bytes = read_mtu(reader, section, &keys::LINK_MTU);
    let channel = read_channel(
        reader,
        section,
        &keys::LINK_CHANNEL,
        mtu_bytes.unwrap_or(0),
        None,
    );
    let queues = channel
        .as_ref()
        .and_then(|channel| channel.queues.as_deref());
    let back_section = reader.table(section, &keys::LINK_REVERSE);
    let back = read_channel(
        reader,
        &back_section,
        &keys::LINK_REVERSE_CHANNEL,
        mtu_bytes.unwrap_or(0),
        queues,
    );
    let rates = channel
        .as_ref()
        .and_then(|channel| channel.rates.as_deref());
    let back_rates = back
        .as_ref()
        .and_then(|back| back.rates.as_deref())
        .or(rates);
    check_guarantee(
        reader,
        section,
        &keys::LINK_CHANNEL,
        channel.as_ref(),
        rates,
    );
    check_guarantee(
        reader,
        &back_section,
        &keys::LINK_REVERSE_CHANNEL,
        back.as_ref(),
        back_rates,
    );
    let back_ns = reader.one(
        &back_section,
        &keys::LINK_REVERSE_DELAY,
        &quantity(parse_time),
    );
    let sections = reader.tables(section, &keys::LINK_CHANGE);
    let change_keys = [
        &keys::LINK_CHANGE_AT,
        &keys::LINK_CHANGE_RATE,
        &keys::LINK_CHANGE_DELAY,
        &keys::LINK_CHANGE_LOSS,
    ];
    let changes = read_changes(reader, &sections, change_keys);

    let (from, to) = (from?, to?);
    if from == to {
        let node = nodes.get(from.0).cloned().unwrap_or_default();
        reader.fault(Mistake::SameNode { what: "link", node }, section.span("to"));
    }
    let ChannelDraft {
        rates,
        queues,
        losses,
        elements,
    } = channel?;
    let (rate, queue, loss_ppm) = (only(rates)?, only(queues)?, only(Some(losses))?);
    let forward = elements.channel(rate, delay_ns?, queue, loss_ppm, changes.clone());
    let reverse = reverse_of(back?, back_ns).channel(&forward, forward.delay_ns, changes);
    Some(NetworkLink {
        from: from.0,
        to: to.0,
        mtu_bytes: mtu_bytes?,
        forward,
        reverse,
    })
}
