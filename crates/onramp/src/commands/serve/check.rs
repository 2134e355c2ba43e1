//! `onramp serve --check`: is the configuration right, and what does it do?

use onramp_cli::failure::DONE;
use onramp_cli::text::{self, say};
use onramp_cli::{print_json, Answer};
use onramp_kernel::policy::{Cgroup, Family, Match, Start};
use onramp_service::config::{self, Policy};
use onramp_service::counts;
use std::path::Path;

pub fn run(file: &Path, json: bool) -> Answer {
    let config = config::read(file).map_err(super::refused)?;
    if json {
        let policies = config.policies.iter().map(|policy| {
            let start = policy.rule.start.as_ref();
            serde_json::json!({
                "name": policy.rule.name,
                "startup": start.map(|start| start.options.startup.as_str()),
                "avoidance": start.map(|start| start.options.avoidance.name()),
                "percent": start.map(|start| counts::percent(start.share)),
                "memory": start.map(|start| start.options.memory.name()),
                "governor": start.and_then(governor_share),
                "rto_min_s": start.and_then(|start| start.options.timers.rto_min),
                "delack_max_s": start.and_then(|start| start.options.timers.delack_max),
                "retransmission_budget": policy.canary.retransmission_budget,
            })
        });
        let policies: Vec<_> = policies.collect();
        let warnings: Vec<_> = config.warnings.iter().map(ToString::to_string).collect();
        let answer =
            serde_json::json!({ "file": file, "policies": policies, "warnings": warnings });
        print_json(&answer);
        return Ok(DONE);
    }
    let count = match config.policies.as_slice() {
        [_] => "1 policy".to_owned(),
        several => format!("{} policies", several.len()),
    };
    say!("{} is right: {count}.", file.display());
    if !config.policies.is_empty() {
        let heading = "POLICY, CONNECTIONS, START-UP, THEN, GET IT, BUDGET, GOVERNOR, MEMORY";
        text::print_table(heading, config.policies.iter().map(row));
    }
    config
        .policies
        .iter()
        .filter_map(effect)
        .for_each(|sentence| say!("{sentence}"));
    for warning in &config.warnings {
        eprintln!("warning: {warning}");
    }
    Ok(DONE)
}

/// What a policy with a start-up does, in words.
fn effect(policy: &Policy) -> Option<String> {
    let start = policy.rule.start.as_ref()?;
    let (name, startup) = (&policy.rule.name, &start.options.startup);
    Some(match start.share {
        share if share <= 0.0 => format!(
            "{name}: no connection gets {startup} (percent = 0). All are measured, and none is \
             changed."
        ),
        share if share >= 1.0 => format!(
            "{name}: every connection gets {startup}. There is no control group to compare with."
        ),
        share => format!(
            "{name}: {} of the connections get {startup}. The others are the control group.",
            percent(share)
        ),
    })
}

/// The share of retransmitted segments above which the governor acts; `None`: it is off.
fn governor_share(start: &Start) -> Option<f64> {
    let ppm = start.options.governor_bound_ppm;
    (ppm > 0).then(|| f64::from(ppm) / 1e6)
}

fn row(policy: &Policy) -> Vec<String> {
    let start = policy.rule.start.as_ref();
    let or_dash = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
    vec![
        policy.rule.name.clone(),
        describe(&policy.rule.matches),
        start
            .map_or("none", |start| &start.options.startup)
            .to_owned(),
        or_dash(start.map(|start| start.options.avoidance.name().to_owned())),
        or_dash(start.map(|start| percent(start.share))),
        or_dash(start.and(policy.canary.retransmission_budget).map(percent)),
        or_dash(start.map(|start| governor_share(start).map_or("off".to_owned(), percent))),
        or_dash(start.map(|start| start.options.memory.name().to_owned())),
    ]
}

fn percent(share: f64) -> String {
    format!("{} %", counts::percent(share))
}

/// Which connections a policy chooses.
fn describe(matches: &Match) -> String {
    let mut parts = Vec::new();
    if let Some(family) = matches.family {
        parts.push(match family {
            Family::Ipv4 => "IPv4".to_owned(),
            Family::Ipv6 => "IPv6".to_owned(),
        });
    }
    let list = |what: &str, all: Vec<String>| {
        (!all.is_empty()).then(|| format!("{what} {}", all.join(" or ")))
    };
    let destinations = matches.destinations.iter().map(ToString::to_string);
    parts.extend(list("to", destinations.collect()));
    let ports = matches
        .local_ports
        .iter()
        .map(|ports| match ports.start() == ports.end() {
            true => ports.start().to_string(),
            false => format!("{}-{}", ports.start(), ports.end()),
        });
    parts.extend(list("local port", ports.collect()));
    let cgroups = matches.cgroups.iter().map(|cgroup| match cgroup {
        Cgroup::Path(name) | Cgroup::Unit(name) => name.clone(),
    });
    parts.extend(list("in", cgroups.collect()));
    parts.extend(list(
        "user",
        matches.users.iter().map(ToString::to_string).collect(),
    ));
    match parts.is_empty() {
        true => "all".to_owned(),
        false => parts.join(", "),
    }
}
