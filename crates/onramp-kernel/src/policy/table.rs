//! Policies as the BPF program reads them (`bpf/policy/match.h`): sets of policies, a bit each.

use super::rule::{Family, Match, Prefix, Rule};
use super::state::Slot;
use crate::records::name_chars;
use onramp_bpf::bindings::{self, EVERY_CONNECTION, POLICIES};
use std::collections::BTreeMap;

/// Where the connections of a policy go.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Target {
    pub slot: Slot,
    pub congestion_control: String,
    pub share: f64,
}

/// The contents of the maps, for one generation.
pub(super) struct Compiled {
    pub table: bindings::Table,
    pub prefixes: BTreeMap<Prefix, u64>,
    pub ports: BTreeMap<u16, u64>,
    pub users: BTreeMap<u32, u64>,
    pub cgroups: BTreeMap<String, u64>,
}

/// Connections whose random number of 32 bits is smaller get the start-up.
pub(super) fn threshold(share: f64) -> u32 {
    match share {
        share if share >= 1.0 => EVERY_CONNECTION,
        // Not all, so not that number.
        share => ((share.max(0.0) * 2f64.powi(32)) as u32).min(EVERY_CONNECTION - 1),
    }
}

impl Compiled {
    /// The policies in their order, each with its target; `None`: its connections are left alone.
    pub fn new(policies: &[(&Rule, Option<Target>)], receive_limit_bytes: u64) -> Compiled {
        assert!(policies.len() <= POLICIES as usize);
        let matches: Vec<&Match> = policies.iter().map(|(rule, _)| &rule.matches).collect();
        let set = |wanted: &dyn Fn(&Match) -> bool| {
            let chosen = matches.iter().enumerate().filter(|(_, of)| wanted(of));
            chosen.fold(0u64, |set, (at, _)| set | 1 << at)
        };
        let any_destination = set(&|of| of.destinations.is_empty());
        let any_port = set(&|of| of.local_ports.is_empty());
        let any_user = set(&|of| of.users.is_empty());
        let mut table = bindings::Table {
            any_destination,
            any_port,
            any_user,
            any_cgroup: set(&|of| of.cgroups.is_empty()),
            ipv4: set(&|of| of.family != Some(Family::Ipv6)),
            ipv6: set(&|of| of.family != Some(Family::Ipv4)),
            receive_limit_bytes,
            ..Default::default()
        };
        for (at, (rule, target)) in policies.iter().enumerate() {
            let compiled = &mut table.rules[at];
            if let Some(window_bytes) = rule.receive_window_bytes {
                table.lifting |= 1 << at;
                compiled.receive_window_bytes = window_bytes;
            }
            let Some(target) = target else { continue };
            table.measured |= 1 << at;
            compiled.slot = target.slot.number;
            compiled.epoch = target.slot.epoch;
            compiled.threshold = threshold(target.share);
            compiled.congestion_control = name_chars(&target.congestion_control);
        }
        let ports = |of: &Match| of.local_ports.iter().cloned().flatten().collect::<Vec<_>>();
        let cgroups = |of: &Match| {
            of.cgroups
                .iter()
                .map(|name| name.key().to_owned())
                .collect()
        };
        Compiled {
            table,
            prefixes: prefixes(
                &sets(&matches, |of| of.destinations.clone()),
                any_destination,
            ),
            ports: with(sets(&matches, ports), any_port),
            users: with(sets(&matches, |of| of.users.clone()), any_user),
            cgroups: sets(&matches, cgroups),
        }
    }
}

/// The policies of each value that a kind of match has.
fn sets<T: Ord>(matches: &[&Match], values: impl Fn(&Match) -> Vec<T>) -> BTreeMap<T, u64> {
    let mut sets = BTreeMap::new();
    for (at, of) in matches.iter().enumerate() {
        for value in values(of) {
            *sets.entry(value).or_insert(0) |= 1 << at;
        }
    }
    sets
}

/// The sets, each with the policies that allow any value.
fn with<T: Ord>(mut sets: BTreeMap<T, u64>, any: u64) -> BTreeMap<T, u64> {
    sets.values_mut().for_each(|set| *set |= any);
    sets
}

/// The map finds the longest prefix only, so each one has the policies of the shorter ones too.
fn prefixes(own: &BTreeMap<Prefix, u64>, any: u64) -> BTreeMap<Prefix, u64> {
    let enclosing = |prefix: Prefix| {
        let shorter = (0..=prefix.length()).filter_map(|length| own.get(&prefix.shortened(length)));
        shorter.fold(any, |set, policies| set | policies)
    };
    own.keys()
        .map(|&prefix| (prefix, enclosing(prefix)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Cgroup;

    fn prefix(address: &str, length: u8) -> Prefix {
        Prefix::new(address.parse().unwrap(), length).unwrap()
    }

    fn compiled(matches: Vec<Match>) -> Compiled {
        let rules: Vec<Rule> = matches
            .into_iter()
            .map(|matches| Rule {
                name: String::new(),
                matches,
                start: None,
                receive_window_bytes: None,
            })
            .collect();
        Compiled::new(
            &rules.iter().map(|rule| (rule, None)).collect::<Vec<_>>(),
            0,
        )
    }

    #[test]
    fn a_prefix_has_the_policies_of_those_that_enclose_it() {
        let compiled = compiled(vec![
            Match {
                destinations: vec![prefix("192.0.2.0", 24)],
                ..Match::default()
            },
            Match {
                destinations: vec![prefix("192.0.0.0", 8), prefix("2001:db8::", 32)],
                ..Match::default()
            },
            Match::default(),
        ]);
        let set = |address, length| compiled.prefixes[&prefix(address, length)];
        assert_eq!(set("192.0.2.0", 24), 0b111);
        assert_eq!(set("192.0.0.0", 8), 0b110);
        assert_eq!(set("2001:db8::", 32), 0b110);
        assert_eq!(compiled.table.any_destination, 0b100);
    }

    #[test]
    fn each_kind_of_match_has_its_sets() {
        let compiled = compiled(vec![
            Match {
                local_ports: vec![80..=81, 443..=443],
                family: Some(Family::Ipv4),
                ..Match::default()
            },
            Match {
                users: vec![33],
                cgroups: vec![Cgroup::Unit("web.service".to_owned())],
                ..Match::default()
            },
        ]);
        assert_eq!(compiled.ports, [(80, 0b11), (81, 0b11), (443, 0b11)].into());
        assert_eq!(compiled.users, [(33, 0b11)].into());
        assert_eq!(compiled.cgroups, [("web.service".to_owned(), 0b10)].into());
        let table = compiled.table;
        assert_eq!(
            (table.any_port, table.any_user, table.any_cgroup),
            (2, 1, 1)
        );
        assert_eq!((table.ipv4, table.ipv6, table.measured), (0b11, 0b10, 0));
    }

    #[test]
    fn only_a_share_of_1_gives_every_connection_the_start_up() {
        assert_eq!(threshold(0.0), 0);
        assert_eq!(threshold(0.05), 214_748_364);
        assert_eq!(threshold(1.0 - 1e-12), EVERY_CONNECTION - 1);
        assert_eq!(threshold(1.0), EVERY_CONNECTION);
    }
}
