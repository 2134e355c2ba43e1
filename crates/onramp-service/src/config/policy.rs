//! The tables `[[policy]]`.

use super::keys::{
    startup_keys, AVOIDANCE, BUDGET, CGROUP, DESTINATION, FAMILY, GOVERNOR, INITIAL_WINDOW,
    LOCAL_PORT, MEMORY, MEMORY_JUMP, MEMORY_LIFETIME, NAME, PERCENT, POLICY, POLICY_KEYS, STARTUP,
    UNIT, USER,
};
use super::mistake::shortened;
use super::section::{nearest, Reader, Section};
use super::values::{
    cgroup, family, integer, name, percent, ports, prefix, share, size, text, time_ns, unit,
};
use super::{Key, Mistake};
use crate::canary::Settings;
use nix::unistd::User;
use onramp_kernel::policy::{Match, Rule, Start};
use onramp_kernel::{default_in_this_namespace, Avoidance, Memory, Options};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use toml::de::DeValue;

/// The value of `startup` for a policy that leaves its connections alone.
const NONE: &str = "none";

/// The most policies that the kernel's program can have.
const MAX_POLICIES: usize = onramp_kernel::policy::MAX_POLICIES;

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
    reader: &mut Reader<'_>,
    top: &Section<'_>,
    canary: &Settings,
) -> Vec<Policy> {
    let sections = reader.tables(top, POLICY, "[[policy]]", POLICY_KEYS);
    if sections.len() > MAX_POLICIES {
        let mistake = Mistake::TooManyPolicies {
            found: sections.len(),
            max: MAX_POLICIES,
        };
        reader.fault(mistake, sections[MAX_POLICIES].span.clone());
    }
    let mut names: HashMap<String, Range<usize>> = HashMap::new();
    let mut policies = Vec::new();
    let mut prefixes = BTreeSet::new();
    let mut too_many = None;
    for section in &sections {
        let Some(policy) = read(reader, section, canary) else {
            continue;
        };
        prefixes.extend(policy.rule.matches.destinations.iter().copied());
        if prefixes.len() > MAX_PREFIXES && too_many.is_none() {
            too_many = Some(section.span.clone());
        }
        let span = section.get(NAME.name).map_or(0..0, |value| value.span());
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

fn read(reader: &mut Reader<'_>, section: &Section<'_>, canary: &Settings) -> Option<Policy> {
    let name = required(reader, section, &NAME, name);
    let startup = required(reader, section, &STARTUP, |value| {
        text(value).map(str::to_owned)
    });
    let mut cgroups = reader.list(section, &CGROUP, cgroup);
    cgroups.extend(reader.list(section, &UNIT, unit));
    let matches = Match {
        destinations: reader.list(section, &DESTINATION, prefix),
        local_ports: reader.list(section, &LOCAL_PORT, ports),
        cgroups,
        users: users(reader, section),
        family: reader.one(section, &FAMILY, family),
    };
    let budget = reader.one(section, &BUDGET, |value| {
        share(value).filter(|share| *share > 0.0)
    });
    let start = start(reader, section, startup?.as_str());
    Some(Policy {
        rule: Rule {
            name: name?,
            matches,
            start,
        },
        canary: Settings {
            retransmission_budget: budget.or(canary.retransmission_budget),
            ..canary.clone()
        },
        line: reader.line(&section.span),
    })
}

/// A value without a default.
fn required<T>(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    key: &Key,
    read: impl Fn(&DeValue<'_>) -> Option<T>,
) -> Option<T> {
    if !section.has(key) {
        let mistake = Mistake::Missing {
            key: key.name,
            expected: key.expected,
        };
        reader.fault(mistake, section.span.clone());
    }
    reader.one(section, key, read)
}

/// The start-up of the policy's connections; `None` for [`NONE`], and where it has mistakes.
fn start(reader: &mut Reader<'_>, section: &Section<'_>, startup: &str) -> Option<Start> {
    if startup == NONE {
        for key in startup_keys() {
            no_effect(reader, section, key, "on a policy with startup = \"none\"");
        }
        return None;
    }
    let usable = check_startup(reader, section, startup);
    let default = Options::new(startup);
    let memory = read_memory(reader, section, usable.then_some(startup));
    let options = Options {
        avoidance: reader
            .one(section, &AVOIDANCE, |value| Avoidance::named(text(value)?))
            .unwrap_or_else(host_avoidance),
        paper_initial_window: reader
            .one(section, &INITIAL_WINDOW, |value| match text(value)? {
                "host" => Some(false),
                "paper" => Some(true),
                _ => None,
            })
            .unwrap_or(false),
        memory,
        memory_lifetime_ns: reader
            .one(section, &MEMORY_LIFETIME, |value| {
                time_ns(value).filter(|ns| *ns > 0)
            })
            .unwrap_or(default.memory_lifetime_ns),
        memory_jump_bytes: reader.one(section, &MEMORY_JUMP, size).unwrap_or(0),
        governor_bound_ppm: reader
            .one(section, &GOVERNOR, governor)
            .unwrap_or(default.governor_bound_ppm),
        ..default
    };
    let share = reader.one(section, &PERCENT, percent).unwrap_or(1.0);
    Some(Start { options, share })
}

/// How the policy remembers. `startup` is `None` where it has mistakes.
fn read_memory(reader: &mut Reader<'_>, section: &Section<'_>, startup: Option<&str>) -> Memory {
    let given = reader.one(section, &MEMORY, memory);
    if given.is_none() && section.has(&MEMORY) {
        // A mistake, so nothing is known about the other keys.
        return Memory::Off;
    }
    let memory = given.unwrap_or(Memory::Off);
    if memory == Memory::Off {
        no_effect(reader, section, &MEMORY_LIFETIME, "without `memory`");
    } else if startup.is_some_and(|startup| !onramp_core::resumes(startup)) {
        let without = "with this start-up, which remembers nothing";
        no_effect(reader, section, &MEMORY, without);
    }
    if memory != Memory::AtOnce {
        let without = "without memory = \"at-once\"";
        no_effect(reader, section, &MEMORY_JUMP, without);
    }
    memory
}

fn no_effect(reader: &mut Reader<'_>, section: &Section<'_>, key: &Key, without: &'static str) {
    if let Some(value) = section.get(key.name) {
        let mistake = Mistake::NoEffect {
            key: key.name,
            without,
        };
        reader.fault(mistake, value.span());
    }
}

/// Can a policy give its connections this start-up?
fn check_startup(reader: &mut Reader<'_>, section: &Section<'_>, startup: &str) -> bool {
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
    let meant = nearest(&found, &possible).filter(|_| !all.contains(&startup));
    let advice = match meant {
        _ if is_avoidance => format!("for no start-up write \"{NONE}\""),
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!("choose one of: {}", possible.join(", ")),
    };
    let mistake = Mistake::Startup {
        startup: shortened(startup),
        why,
        advice,
    };
    let span = section.get(STARTUP.name).map_or(0..0, |value| value.span());
    reader.fault(mistake, span);
    false
}

/// The avoidance that follows where the configuration names none: the host's, so that both groups
/// differ in the start-up alone.
fn host_avoidance() -> Avoidance {
    let default = default_in_this_namespace().unwrap_or_default();
    Avoidance::named(&default).unwrap_or(Avoidance::Cubic)
}

fn memory(value: &DeValue<'_>) -> Option<Memory> {
    let name = text(value)?;
    Memory::ALL.into_iter().find(|memory| memory.name() == name)
}

fn governor(value: &DeValue<'_>) -> Option<u32> {
    match text(value)? {
        "on" => Some(onramp_core::governor::BOUND_PPM),
        "off" => Some(0),
        _ => share(value)
            .filter(|share| *share > 0.0)
            .map(|share| (share * 1e6) as u32),
    }
}

/// The ids of users. A name is looked up now, so a user has to exist when the file is read.
fn users(reader: &mut Reader<'_>, section: &Section<'_>) -> Vec<u32> {
    let given = reader.entries(section, &USER, |value| match integer(value) {
        Some(number) => u32::try_from(number).ok().map(Ok),
        None => text(value).map(|name| Err(name.to_owned())),
    });
    let mut ids = Vec::new();
    for (user, span) in given {
        match user {
            Ok(id) => ids.push(id),
            Err(name) => match User::from_name(&name) {
                Ok(Some(user)) => ids.push(user.uid.as_raw()),
                _ => {
                    let user = shortened(&name);
                    reader.fault(Mistake::NoUser { user }, span);
                }
            },
        }
    }
    ids
}
