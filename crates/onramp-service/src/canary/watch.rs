//! Watches a policy: one sequence of tests over its life.

use super::comparison::{compare, worse, Worse};
use super::{Budget, Reason, Settings};
use crate::counts::{Comparison, GroupCounts, Histogram, PolicyCounts, State};
use serde::{Deserialize, Serialize};

/// Watches a policy. It keeps the counts from which its present test began, so it is saved and
/// loaded when the service restarts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Watch {
    /// When the start-up is switched off.
    pub settings: Settings,
    /// Tests that have begun.
    test: u64,
    condition: Condition,
    with_startup: GroupCounts,
    control: GroupCounts,
    budget: Budget,
}

/// What must not change during a test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Condition {
    startup: Option<String>,
    avoidance: String,
    share: f64,
}

impl Condition {
    fn of(policy: &PolicyCounts) -> Condition {
        Condition {
            startup: policy.startup.clone(),
            avoidance: policy.avoidance.clone(),
            share: policy.state.share(),
        }
    }
}

/// The decision to give no new connection the start-up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SwitchOff {
    /// Why.
    pub reason: Reason,
    /// The number of the test, from 1 on.
    pub test: u64,
}

impl std::fmt::Display for SwitchOff {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.reason.fmt(f)
    }
}

impl Watch {
    /// Begins with what was counted so far.
    pub fn new(settings: Settings, policy: &PolicyCounts) -> Watch {
        Watch {
            settings,
            test: 1,
            condition: Condition::of(policy),
            with_startup: policy.with_startup.clone(),
            control: policy.control.clone(),
            budget: Budget::new(&policy.with_startup.segments),
        }
    }

    /// Begins the next test, because something changed that [`PolicyCounts`] does not show, as an
    /// option of the start-up. A change of the start-up, the avoidance or the percentage is noticed
    /// without it.
    pub fn restart(&mut self, policy: &PolicyCounts) {
        self.condition = Condition::of(policy);
        self.with_startup = policy.with_startup.clone();
        self.control = policy.control.clone();
        self.test += 1;
    }

    /// The number of the present test, from 1 on.
    pub fn test(&self) -> u64 {
        self.test
    }

    /// Is a comparison possible at all? It needs two groups: a policy that is on for all
    /// connections has no control group.
    pub fn compares(policy: &PolicyCounts) -> bool {
        matches!(policy.state, State::Canary { percent } if percent > 0.0 && percent < 100.0)
    }

    /// What the present test shows, for [`PolicyCounts::comparison`]. Its intervals are valid at
    /// every look. `None`: the policy has no two groups to compare.
    pub fn comparison(&self, policy: &PolicyCounts) -> Option<Comparison> {
        if !Watch::compares(policy) {
            return None;
        }
        let (startup, control) = self.since(policy);
        let error_rate = self.settings.error_rate_of(self.test);
        Some(compare(&startup, &control, &self.settings, error_rate))
    }

    /// A look: must the start-up be switched off? The caller then sets the share of new connections
    /// to 0. Looks may be as frequent as one likes; they do not change the error rate.
    pub fn look(&mut self, policy: &PolicyCounts) -> Option<SwitchOff> {
        if matches!(policy.state, State::Off | State::SwitchedOff { .. }) {
            return None;
        }
        let has_new_maps = policy.with_startup.connections < self.with_startup.connections
            || policy.control.connections < self.control.connections;
        if has_new_maps || self.condition != Condition::of(policy) {
            self.restart(policy);
        }
        let decision = |reason| SwitchOff {
            reason,
            test: self.test,
        };
        let segments = &policy.with_startup.segments;
        if let Some(share) = self.budget.look(segments, &self.settings) {
            return Some(decision(Reason::BeyondBudget {
                with_startup: share,
                control: policy.control.segments.retransmitted_share(),
                budget: self.settings.retransmission_budget.unwrap_or(0.0),
            }));
        }
        if !Watch::compares(policy) {
            return None;
        }
        let (startup, control) = self.since(policy);
        let error_rate = self.settings.error_rate_of(self.test);
        if let Some(worse) = worse(&startup, &control, &self.settings, error_rate) {
            let reason = self.reason(worse, &startup, &control);
            return Some(decision(reason));
        }
        let measured = startup
            .segments
            .connections
            .min(control.segments.connections);
        if measured >= self.settings.test_connections {
            self.restart(policy);
        }
        None
    }

    fn since(&self, policy: &PolicyCounts) -> (GroupCounts, GroupCounts) {
        (
            policy.with_startup.since(&self.with_startup),
            policy.control.since(&self.control),
        )
    }

    fn reason(&self, worse: Worse, startup: &GroupCounts, control: &GroupCounts) -> Reason {
        let error_rate = self.settings.error_rate_of(self.test);
        let comparison = compare(startup, control, &self.settings, error_rate);
        let slower =
            |payload_bytes, ratio: Option<_>, x: &Histogram, y: &Histogram| Reason::Slower {
                payload_bytes,
                ratio: ratio.expect("what is worse was compared"),
                mean_ratio: x.mean().unwrap_or(0.0) / y.mean().unwrap_or(1.0),
                tolerated: 1.0 + self.settings.tolerated_slowdown,
            };
        match worse {
            Worse::TimeTo100Kb => slower(
                100_000,
                comparison.time_to_100_kb,
                &startup.time_to_100_kb,
                &control.time_to_100_kb,
            ),
            Worse::TimeTo1Mb => slower(
                1_000_000,
                comparison.time_to_1_mb,
                &startup.time_to_1_mb,
                &control.time_to_1_mb,
            ),
            Worse::Retransmitted => Reason::RetransmitsMore {
                with_startup: startup.segments.retransmitted_share().unwrap_or(0.0),
                control: control.segments.retransmitted_share().unwrap_or(0.0),
                difference: comparison
                    .retransmitted
                    .expect("what is worse was compared"),
                tolerated: self.settings.tolerated_retransmissions,
            },
        }
    }
}
