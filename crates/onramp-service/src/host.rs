//! The policies in the kernel: putting a configuration into force, and reading what was counted.

use crate::config::Config;
use crate::counts::{
    self, Counts, GroupCounts, Histogram, PolicyCounts, Scale, Segments, ServiceCounts, State,
};
use nix::sys::resource::{getrusage, UsageWho};
use nix::sys::time::TimeValLike;
use onramp_kernel::policy::{self, Applied, PolicyState, Rule, Snapshot};
use onramp_kernel::{Policies, Result};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Puts the policies of a configuration into force.
///
/// # Errors
/// Those of [`Policies::apply`]. What was in force stays so.
pub fn apply(policies: &mut Policies, config: &Config) -> Result<Applied> {
    let rules: Vec<Rule> = config
        .policies
        .iter()
        .map(|policy| policy.rule.clone())
        .collect();
    policies.receive_limit_bytes = config.service.receive_limit_bytes;
    policies.apply(&rules)
}

/// What a service counted whose pins are in this directory. The service need not run.
///
/// # Errors
/// [`onramp_kernel::Error::NoService`], or the kernel's refusal.
pub fn read_counts(directory: &Path) -> Result<Counts> {
    Ok(counts(&Snapshot::read(directory)?))
}

/// Seconds since 1970.
pub fn now_s() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0.0, |since| since.as_secs_f64())
}

/// CPU time of this process so far, in seconds.
pub fn cpu_s() -> f64 {
    getrusage(UsageWho::RUSAGE_SELF).map_or(0.0, |usage| {
        let time = usage.user_time() + usage.system_time();
        time.num_microseconds() as f64 / 1e6
    })
}

/// The counts of a snapshot, without what the service itself measures.
pub fn counts(snapshot: &Snapshot) -> Counts {
    let state = &snapshot.state;
    let policies = state.policies.iter().zip(&snapshot.groups);
    Counts {
        time_s: now_s(),
        policies: policies
            .map(|(policy, groups)| policy_counts(policy, groups.as_ref()))
            .collect(),
        registrations: Vec::new(),
        service: ServiceCounts {
            started_s: state.started_s,
            version: state.version.clone(),
            reloads: state.reloads,
            reloads_refused: state.reloads_refused,
            switched_off: state.switched_off,
            connections_without_policy: snapshot.totals.without_policy,
            connections_chosen_by_program: snapshot.totals.chosen_by_program,
            connections_refused: snapshot.totals.refused,
            connections_not_counted: snapshot.totals.not_counted,
            connections_lifted: snapshot.lifts.lifted,
            connections_not_lifted: snapshot.lifts.beyond_limit,
            lifted_bytes: snapshot.lifts.live_bytes,
            cgroups_lost: snapshot.totals.cgroups_lost,
            default_changes: 0,
            cpu_s: 0.0,
        },
    }
}

fn policy_counts(policy: &PolicyState, groups: Option<&[policy::GroupCounts; 2]>) -> PolicyCounts {
    let [with_startup, control] = groups.map_or_else(Default::default, |[startup, control]| {
        [group_counts(startup), group_counts(control)]
    });
    PolicyCounts {
        name: policy.name.clone(),
        startup: policy.startup.clone(),
        avoidance: policy.avoidance.clone(),
        congestion_control: policy.congestion_control.clone(),
        state: state_of(policy),
        with_startup,
        control,
        comparison: None,
    }
}

/// A policy's state, as metrics show it.
pub fn state_of(policy: &PolicyState) -> State {
    match &policy.switched_off {
        Some(why) => State::SwitchedOff {
            reason: why.reason.clone(),
            time_s: why.time_s,
        },
        None if policy.share >= 1.0 => State::On,
        None if policy.share <= 0.0 => State::Off,
        None => State::Canary {
            percent: counts::percent(policy.share),
        },
    }
}

fn group_counts(raw: &policy::GroupCounts) -> GroupCounts {
    let times = |times: &policy::Times| {
        Histogram::from_counts(Scale::Time, times.counts.to_vec(), times.sum_us)
    };
    let exits = (0u32..)
        .zip(raw.exits)
        .filter(|(_, startups)| *startups > 0);
    GroupCounts {
        connections: raw.connections,
        // The two counters are not read at the same moment.
        live: raw.connections.saturating_sub(raw.ended),
        exits: exits
            .map(|(exit, startups)| (onramp_core::exit_name(exit).to_owned(), startups))
            .collect(),
        time_to_100_kb: times(&raw.time_to_size[0]),
        time_to_1_mb: times(&raw.time_to_size[1]),
        startup_time: times(&raw.startup_time),
        estimate: Histogram::from_counts(
            Scale::Rate,
            raw.estimate.counts.to_vec(),
            raw.estimate.sum_bytes_per_s,
        ),
        smoothed_rtt: times(&raw.smoothed_rtt),
        segments: Segments {
            connections: raw.segments.connections,
            connections_retransmitting: raw.segments.connections_retransmitting,
            sent: raw.segments.sent,
            retransmitted: raw.segments.retransmitted,
            sent_squares: raw.segments.sent_squares,
            retransmitted_squares: raw.segments.retransmitted_squares,
            products: raw.segments.products,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(share: f64) -> PolicyState {
        PolicyState {
            name: "web".to_owned(),
            startup: Some("onramp".to_owned()),
            avoidance: "cubic".to_owned(),
            congestion_control: None,
            share,
            switched_off: None,
            memo: serde_json::Value::Null,
        }
    }

    #[test]
    fn the_share_is_the_state() {
        assert_eq!(state_of(&policy(1.0)), State::On);
        assert_eq!(state_of(&policy(0.0)), State::Off);
        for percent in [5.0, 7.0, 29.0] {
            assert_eq!(
                state_of(&policy(percent / 100.0)),
                State::Canary { percent }
            );
        }
    }

    #[test]
    fn the_kernels_histograms_have_the_buckets_of_ours() {
        let mut raw = policy::GroupCounts {
            connections: 3,
            ended: 1,
            ..Default::default()
        };
        raw.time_to_size[1].counts[Scale::Time.bucket_of(20_000)] = 2;
        raw.time_to_size[1].sum_us = 40_500;
        raw.estimate.counts[Scale::Rate.bucket_of(6_250_000)] = 1;
        raw.exits[onramp_core::EXIT_GOVERNED as usize] = 1;
        let group = group_counts(&raw);
        assert_eq!((group.connections, group.live), (3, 2));
        assert_eq!(group.time_to_1_mb.mean(), Some(20_250.0));
        assert_eq!(group.estimate.count(), 1);
        assert_eq!(group.exits, [("governed".to_owned(), 1)].into());
    }
}
