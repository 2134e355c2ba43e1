//! The tables `[[policy]]`.

use super::keys::{
    startup_keys, AVOIDANCE, BUDGET, CGROUP, DELACK_MAX, DESTINATION, FAMILY, GOVERNOR,
    INITIAL_RATE, INITIAL_WINDOW, LOCAL_PORT, MEMORY, MEMORY_JUMP, MEMORY_LIFETIME, NAME, PERCENT,
    POLICY, RECEIVE_WINDOW, RTO_MIN, STARTUP, UNIT, USER,
};
use super::Mistake;
use crate::canary::Settings;
use onramp_config::document::{Reader, Section};
use onramp_config::key::{Key, Kind};
use onramp_config::{nearest, shown};
use onramp_kernel::policy::{Match, Rule, Start};
use onramp_kernel::{default_in_this_namespace, Avoidance, Memory, Options, Timers};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// The value of `startup` for a policy that leaves its connections alone.
const NONE: &str = "none";

/// The most prefixes.
const MAX_PREFIXES: usize = onramp_kernel::policy::MAX_PREFIXES;

/// A policy.
#[derive(Clone, Debug)]
pub struct Policy {
    /// The rule that the kernel applies.
    pub rule: Rule,
    /// When the service switches the start-up off.
    pub canary: Settings,
    /// The line of its table in the file, from 1.
    pub line: usize,
}

pub(super) fn read_all(
    reader: &mut Reader,
    top: &Section,
    line_of: impl Fn(usize) -> usize,
    canary: &Settings,
) -> Vec<Policy> {
    let sections = reader.tables(top, &POLICY);
    let mut names: HashMap<String, Range<usize>> = HashMap::new();
    let mut policies = Vec::new();
    let mut prefixes = BTreeSet::new();
    let mut too_many = None;
    for section in &sections {
        let Some(mut policy) = read(reader, section, canary) else {
            continue;
        };
        policy.line = line_of(section.header.start);
        prefixes.extend(policy.rule.matches.destinations.iter().copied());
        if prefixes.len() > MAX_PREFIXES && too_many.is_none() {
            too_many = Some(section.header.clone());
        }
        let span = section.span(NAME.name());
        if let Some(first) = names.get(&policy.rule.name) {
            let mistake = Mistake::SameName {
                name: policy.rule.name.clone(),
                first: first.clone(),
            };
            reader.fault(mistake, span);
            continue;
        }
        names.insert(policy.rule.name.clone(), span);
        policies.push(policy);
    }
    if let Some(span) = too_many {
        let mistake = Mistake::TooManyPrefixes {
            found: prefixes.len(),
            max: MAX_PREFIXES,
        };
        reader.fault(mistake, span);
    }
    policies
}

fn read(reader: &mut Reader, section: &Section, canary: &Settings) -> Option<Policy> {
    let name = reader.one(section, &NAME);
    let startup = reader.one(section, &STARTUP);
    let mut cgroups = all(reader, section, &CGROUP);
    cgroups.extend(all(reader, section, &UNIT));
    let matches = Match {
        destinations: all(reader, section, &DESTINATION),
        local_ports: all(reader, section, &LOCAL_PORT),
        cgroups,
        users: all(reader, section, &USER),
        family: reader.one(section, &FAMILY),
    };
    let receive_window_bytes = reader.one(section, &RECEIVE_WINDOW);
    let budget = reader.one(section, &BUDGET);
    let start = start(reader, section, startup?.as_str());
    Some(Policy {
        rule: Rule {
            name: name?,
            matches,
            start,
            receive_window_bytes,
        },
        canary: Settings {
            retransmission_budget: budget.or(canary.retransmission_budget),
            ..canary.clone()
        },
        line: 0,
    })
}

/// The values of a key that may have a list; none without the key.
fn all<K: Kind>(reader: &mut Reader, section: &Section, key: &Key<K>) -> Vec<K::Value> {
    let entries = reader.entries(section, key).into_iter();
    entries.map(|(value, _)| value).collect()
}

/// The start-up of the policy's connections; `None` for [`NONE`], and where it has mistakes.
fn start(reader: &mut Reader, section: &Section, startup: &str) -> Option<Start> {
    if startup == NONE {
        for key in startup_keys() {
            let name = key.facts().name;
            no_effect(reader, section, name, "on a policy with startup = \"none\"");
        }
        return None;
    }
    let usable = check_startup(reader, section, startup);
    let default = Options::new(startup);
    let memory = read_memory(reader, section, usable.then_some(startup));
    let options = Options {
        avoidance: reader
            .one(section, &AVOIDANCE)
            .unwrap_or_else(host_avoidance),
        paper_initial_window: reader.one(section, &INITIAL_WINDOW).unwrap_or(false),
        memory,
        memory_lifetime_ns: reader
            .one(section, &MEMORY_LIFETIME)
            .unwrap_or(default.memory_lifetime_ns),
        memory_jump_bytes: reader.one(section, &MEMORY_JUMP).unwrap_or(0),
        governor_bound_ppm: reader
            .one(section, &GOVERNOR)
            .unwrap_or(default.governor_bound_ppm),
        initial_rate: reader.one(section, &INITIAL_RATE).unwrap_or_default(),
        timers: Timers {
            rto_min: reader.one(section, &RTO_MIN),
            delack_max: reader.one(section, &DELACK_MAX),
        },
        ..default
    };
    let share = reader.one(section, &PERCENT).unwrap_or(1.0);
    Some(Start { options, share })
}

/// How the policy remembers. `startup` is `None` where it has mistakes.
fn read_memory(reader: &mut Reader, section: &Section, startup: Option<&str>) -> Memory {
    let given = reader.one(section, &MEMORY);
    if given.is_none() && section.has(&MEMORY) {
        // A mistake, so nothing is known about the other keys.
        return Memory::Off;
    }
    let memory = given.unwrap_or(Memory::Off);
    if memory == Memory::Off {
        no_effect(reader, section, MEMORY_LIFETIME.name(), "without `memory`");
    } else if startup.is_some_and(|startup| !onramp_core::resumes(startup)) {
        let without = "with this start-up, which remembers nothing";
        no_effect(reader, section, MEMORY.name(), without);
    }
    if memory != Memory::AtOnce {
        let without = "without memory = \"at-once\"";
        no_effect(reader, section, MEMORY_JUMP.name(), without);
    }
    memory
}

fn no_effect(reader: &mut Reader, section: &Section, key: &'static str, without: &'static str) {
    if section.has_name(key) {
        reader.fault(Mistake::NoEffect { key, without }, section.span(key));
    }
}

/// Can a policy give its connections this start-up?
fn check_startup(reader: &mut Reader, section: &Section, startup: &str) -> bool {
    let is_possible = |name: &str| !onramp_core::reserves(name) && !onramp_core::needs_pairs(name);
    let all = onramp_core::startup_names();
    let found = startup.to_lowercase();
    let is_avoidance = Avoidance::named(&found).is_some();
    let why = match startup {
        name if !all.contains(&name) && is_avoidance => "it is an avoidance, not a start-up",
        name if !all.contains(&name) => "there is none of this name",
        name if onramp_core::reserves(name) => "each program asks for its own rate (TCP_QOS)",
        name if onramp_core::needs_pairs(name) => "it needs a TCP option on all connections",
        _ => return true,
    };
    let possible = all.iter().copied().filter(|name| is_possible(name));
    let possible: Vec<_> = possible.chain([NONE]).collect();
    let meant = nearest(&found, possible.iter().copied()).filter(|_| !all.contains(&startup));
    let advice = match meant {
        _ if is_avoidance => format!("for no start-up write \"{NONE}\""),
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("choose one of: {}", possible.join(", ")),
    };
    let mistake = Mistake::Startup {
        startup: shown(startup),
        why,
        advice,
    };
    reader.fault(mistake, section.span(STARTUP.name()));
    false
}

/// The avoidance that follows where the configuration names none: the host's, so that both groups
/// differ in the start-up alone.
fn host_avoidance() -> Avoidance {
    let default = default_in_this_namespace().unwrap_or_default();
    Avoidance::named(&default).unwrap_or(Avoidance::Cubic)
}
