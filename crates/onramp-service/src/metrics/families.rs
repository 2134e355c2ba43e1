//! The metrics: their names, units and meanings, and where their values come from.

use crate::counts::{
    Comparison, Counts, GroupCounts, Histogram, Interval, PolicyCounts, RegistrationCounts, Scale,
    State,
};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, MetricEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Unit;
use std::fmt::Error;

/// Buckets of an octave in the exported histograms of times to 100 kB and 1 MB: 19 % wide at most.
/// An interpolated median is then within 5 % as a rule.
pub const BUCKETS_OF_AN_OCTAVE: u32 = 4;
/// Buckets of an octave in the other histograms: they are for orders of magnitude.
const COARSE: u32 = 2;

/// What kind of metric it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// A count that never falls. Its samples are named with `_total`.
    Counter,
    /// A value that rises and falls.
    Gauge,
    /// Samples are named with `_bucket`, `_sum` and `_count`.
    Histogram,
    /// A fact in labels, with the value 1. Its samples are named with `_info`.
    Info,
}

impl MetricKind {
    /// The name of the kind in both text formats' TYPE lines.
    pub fn name(self) -> &'static str {
        match self {
            MetricKind::Counter => "counter",
            MetricKind::Gauge => "gauge",
            MetricKind::Histogram => "histogram",
            MetricKind::Info => "info",
        }
    }

    fn of_client(self) -> MetricType {
        match self {
            MetricKind::Counter => MetricType::Counter,
            MetricKind::Gauge => MetricType::Gauge,
            MetricKind::Histogram => MetricType::Histogram,
            MetricKind::Info => MetricType::Info,
        }
    }
}

/// A metric: a family of samples.
#[derive(Debug)]
pub struct Metric {
    /// The name without unit and without the suffix of its kind.
    base: &'static str,
    /// The unit, which ends the name; empty: a plain number.
    pub unit: &'static str,
    /// The kind.
    pub kind: MetricKind,
    /// The labels of its samples.
    pub labels: &'static [&'static str],
    /// What it says.
    pub help: &'static str,
    values: Values,
}

impl Metric {
    /// The name with its unit, as in TYPE lines.
    pub fn name(&self) -> String {
        match self.unit {
            "" => self.base.to_owned(),
            unit => format!("{}_{unit}", self.base),
        }
    }

    /// The names of the samples, as expressions use them.
    pub fn sample_names(&self) -> Vec<String> {
        let name = self.name();
        match self.kind {
            MetricKind::Counter => vec![format!("{name}_total")],
            MetricKind::Gauge => vec![name],
            MetricKind::Info => vec![format!("{name}_info")],
            MetricKind::Histogram => ["_bucket", "_sum", "_count"]
                .iter()
                .map(|suffix| format!("{name}{suffix}"))
                .collect(),
        }
    }
}

/// Where the values come from.
#[derive(Debug)]
enum Values {
    /// A number of each group.
    Group(fn(&GroupCounts) -> u64),
    /// A histogram of each group, and its exported buckets of an octave.
    GroupHistogram(fn(&GroupCounts) -> &Histogram, u32),
    /// A histogram that only connections with the start-up have.
    StartupHistogram(fn(&GroupCounts) -> &Histogram),
    Exits,
    State,
    PolicyInfo,
    Share,
    /// An interval of the canary's test.
    Interval(fn(&Comparison) -> Option<Interval>),
    /// A number of the service.
    Service(fn(&Counts) -> f64),
    Reloads,
    Build,
    Registration(fn(&RegistrationCounts) -> u64),
    RegistrationExits,
    RegistrationInfo,
}

const GROUP: &[&str] = &["policy", "group"];
const POLICY: &[&str] = &["policy"];
const BOUND: &[&str] = &["policy", "bound"];
const CONTROL: &[&str] = &["congestion_control"];

macro_rules! metric {
    ($base:literal, $unit:literal, $kind:ident, $labels:expr, $values:expr, $help:literal) => {
        Metric {
            base: $base,
            unit: $unit,
            kind: MetricKind::$kind,
            labels: $labels,
            help: $help,
            values: $values,
        }
    };
}

use Values::{Group, GroupHistogram, Registration, Service, StartupHistogram};

/// All metrics.
#[rustfmt::skip]
pub const METRICS: &[Metric] = &[
    metric!("onramp_connections", "", Counter, GROUP, Group(|group| group.connections),
        "Connections that were established"),
    metric!("onramp_live_connections", "", Gauge, GROUP, Group(|group| group.live),
        "Connections that have not ended"),
    metric!("onramp_measured_connections", "", Counter, GROUP,
        Group(|group| group.segments.connections),
        "Connections whose segments were counted: 1 MB was acknowledged, or they ended before"),
    metric!("onramp_retransmitting_connections", "", Counter, GROUP,
        Group(|group| group.segments.connections_retransmitting),
        "Measured connections that retransmitted a segment"),
    metric!("onramp_sent", "segments", Counter, GROUP, Group(|group| group.segments.sent),
        "Segments that measured connections sent, with retransmissions"),
    metric!("onramp_retransmitted", "segments", Counter, GROUP,
        Group(|group| group.segments.retransmitted),
        "Segments that measured connections retransmitted"),
    metric!("onramp_time_to_100k", "seconds", Histogram, GROUP,
        GroupHistogram(|group| &group.time_to_100_kb, BUCKETS_OF_AN_OCTAVE),
        "Time from the establishment until 100 kB were acknowledged"),
    metric!("onramp_time_to_1m", "seconds", Histogram, GROUP,
        GroupHistogram(|group| &group.time_to_1_mb, BUCKETS_OF_AN_OCTAVE),
        "Time from the establishment until 1 MB was acknowledged"),
    metric!("onramp_smoothed_rtt", "seconds", Histogram, GROUP,
        GroupHistogram(|group| &group.smoothed_rtt, COARSE),
        "Smoothed RTT when the measurement of the connection ended"),
    metric!("onramp_startup_time", "seconds", Histogram, POLICY,
        StartupHistogram(|group| &group.startup_time),
        "Time from the establishment to the end of the start-up"),
    metric!("onramp_estimate", "bytes_per_second", Histogram, POLICY,
        StartupHistogram(|group| &group.estimate),
        "Estimate of the path's rate at the end of the start-up"),
    metric!("onramp_exits", "", Counter, &["policy", "exit"], Values::Exits,
        "Start-ups that ended, by the reason (delay, delivery: the pipe is full; estimate: cwnd \
         reached the measured BDP; receiver, application: these are the limit; path: too short to \
         gain; governed: held back; none: the connection ended before)"),
    metric!("onramp_policy_state", "", Gauge, &["policy", "state"], Values::State,
        "1 for the present state of the policy, 0 for the others"),
    metric!("onramp_policy_share", "ratio", Gauge, POLICY, Values::Share,
        "Share of the policy's new connections that get the start-up"),
    metric!("onramp_policy", "", Info, &["policy", "startup", "avoidance"], Values::PolicyInfo,
        "The start-up and the congestion avoidance of the policy"),
    metric!("onramp_canary_time_to_100k", "ratio", Gauge, BOUND,
        Values::Interval(|comparison| comparison.time_to_100_kb),
        "Times to 100 kB with the start-up over those of the control group; above 1: slower"),
    metric!("onramp_canary_time_to_1m", "ratio", Gauge, BOUND,
        Values::Interval(|comparison| comparison.time_to_1_mb),
        "Times to 1 MB with the start-up over those of the control group; above 1: slower"),
    metric!("onramp_canary_retransmitted_difference", "ratio", Gauge, BOUND,
        Values::Interval(|comparison| comparison.retransmitted),
        "Retransmitted share with the start-up, less that of the control group"),
    metric!("onramp_switched_off_policies", "", Counter, &[],
        Service(|counts| counts.service.switched_off as f64),
        "Times that the canary's test or the retransmission budget switched a policy off"),
    metric!("onramp_connections_without_policy", "", Counter, &[],
        Service(|counts| counts.service.connections_without_policy as f64),
        "New connections that no policy chose"),
    metric!("onramp_connections_chosen_by_program", "", Counter, &[],
        Service(|counts| counts.service.connections_chosen_by_program as f64),
        "Connections of policies whose program or route has chosen the congestion control; they \
         count in no group"),
    metric!("onramp_refused_connections", "", Counter, &[],
        Service(|counts| counts.service.connections_refused as f64),
        "Connections for which the kernel refused the start-up; they count in no group"),
    metric!("onramp_connections_not_counted", "", Counter, &[],
        Service(|counts| counts.service.connections_not_counted as f64),
        "Connections of policies to a prefix that has its share of the counts already; they count \
         in no group"),
    metric!("onramp_lifted_connections", "", Counter, &[],
        Service(|counts| counts.service.connections_lifted as f64),
        "Connections of policies whose receive buffers were raised"),
    metric!("onramp_unlifted_connections", "", Counter, &[],
        Service(|counts| counts.service.connections_not_lifted as f64),
        "Connections of policies whose receive buffers were not raised, because of receive_limit"),
    metric!("onramp_lifted_buffers", "bytes", Gauge, &[],
        Service(|counts| counts.service.lifted_bytes as f64),
        "What the receive buffers of live connections have gained"),
    metric!("onramp_lost_cgroups", "", Counter, &[],
        Service(|counts| counts.service.cgroups_lost as f64),
        "New cgroups that a policy names and that the kernel had no room to note"),
    metric!("onramp_reloads", "", Counter, &["result"], Values::Reloads,
        "Configurations that were read again: in force, or refused"),
    metric!("onramp_default_control_changes", "", Counter, &[],
        Service(|counts| counts.service.default_changes as f64),
        "Changes of the host's default congestion control while the service ran"),
    metric!("onramp_service_start_time", "seconds", Gauge, &[],
        Service(|counts| counts.service.started_s),
        "When the service started, since 1970"),
    metric!("onramp_counts_time", "seconds", Gauge, &[], Service(|counts| counts.time_s),
        "When the counts were read from the kernel, since 1970"),
    metric!("onramp_service_cpu", "seconds", Counter, &[], Service(|counts| counts.service.cpu_s),
        "CPU time of the service"),
    metric!("onramp_build", "", Info, &["version"], Values::Build, "The version of Onramp"),
    metric!("onramp_registration_connections", "", Counter, CONTROL,
        Registration(|registration| registration.connections),
        "Connections that began with a registered start-up, whoever chose it"),
    metric!("onramp_registration_live_connections", "", Gauge, CONTROL,
        Registration(|registration| registration.live),
        "Connections that use a registered start-up now"),
    metric!("onramp_registration_exits", "", Counter, &["congestion_control", "exit"],
        Values::RegistrationExits,
        "Start-ups of a registration that ended, by the reason"),
    metric!("onramp_registration_initial_rate", "bytes_per_second", Gauge, CONTROL,
        Registration(|registration| registration.initial_bytes_per_s),
        "Rate of new connections behind their initial window, before any ACK; 0: nothing is sent"),
    metric!("onramp_registration_sent", "segments", Counter, CONTROL,
        Registration(|registration| registration.startup_sent_segments),
        "Segments that start-ups of a registration sent, with retransmissions"),
    metric!("onramp_registration_retransmitted", "segments", Counter, CONTROL,
        Registration(|registration| registration.startup_retransmitted_segments),
        "Segments that start-ups of a registration retransmitted"),
    metric!("onramp_registration_governor_holds_all", "", Gauge, CONTROL,
        Registration(|registration| u64::from(registration.governor_holds_all)),
        "1: the governor holds back 15 of 16 new connections of this host"),
    metric!("onramp_registration_governor_held_destinations", "", Gauge, CONTROL,
        Registration(|registration| registration.governor_held_destinations),
        "Destinations to which the governor holds new connections back"),
    metric!("onramp_registration", "", Info, &["congestion_control", "startup", "avoidance"],
        Values::RegistrationInfo,
        "The start-up and the congestion avoidance of a registration"),
    metric!("onramp_lost_events", "", Counter, CONTROL,
        Registration(|registration| registration.events_lost),
        "Events for which the ring of a registration had no room"),
];

/// All metrics of some counts.
#[derive(Debug)]
pub(super) struct Families(pub Counts);

impl Collector for Families {
    fn encode(&self, mut encoder: DescriptorEncoder) -> Result<(), Error> {
        for metric in METRICS {
            if !self.has(&metric.values) {
                continue;
            }
            let unit = (!metric.unit.is_empty()).then(|| Unit::Other(metric.unit.to_owned()));
            let kind = metric.kind.of_client();
            let family =
                encoder.encode_descriptor(metric.base, metric.help, unit.as_ref(), kind)?;
            self.encode_values(metric, family)?;
        }
        Ok(())
    }
}

impl Families {
    /// A family without a sample is left out, as is what only a running service knows.
    fn has(&self, values: &Values) -> bool {
        let counts = &self.0;
        match values {
            Service(_) | Values::Reloads => counts.service.started_s > 0.0,
            Values::Build => !counts.service.version.is_empty(),
            Registration(_) | Values::RegistrationExits | Values::RegistrationInfo => {
                !counts.registrations.is_empty()
            }
            Values::Interval(of) => counts
                .policies
                .iter()
                .any(|policy| policy.comparison.as_ref().and_then(of).is_some()),
            _ => !counts.policies.is_empty(),
        }
    }

    fn encode_values(&self, metric: &Metric, mut family: MetricEncoder) -> Result<(), Error> {
        match &metric.values {
            Service(of) => number(metric, &mut family, of(&self.0)),
            Values::Reloads => {
                let service = &self.0.service;
                let results = [
                    ("in-force", service.reloads),
                    ("refused", service.reloads_refused),
                ];
                results.into_iter().try_for_each(|(result, reloads)| {
                    labelled(metric, &mut family, &[("result", result)], reloads as f64)
                })
            }
            Values::Build => family.encode_info(&[("version", self.0.service.version.as_str())]),
            Registration(_) | Values::RegistrationExits | Values::RegistrationInfo => self
                .0
                .registrations
                .iter()
                .try_for_each(|registration| of_registration(metric, &mut family, registration)),
            _ => self
                .0
                .policies
                .iter()
                .try_for_each(|policy| of_policy(metric, &mut family, policy)),
        }
    }
}

fn of_policy(
    metric: &Metric,
    family: &mut MetricEncoder,
    policy: &PolicyCounts,
) -> Result<(), Error> {
    let name = ("policy", policy.name.as_str());
    let groups = [
        ("startup", &policy.with_startup),
        ("control", &policy.control),
    ];
    match &metric.values {
        Group(of) => groups.into_iter().try_for_each(|(group, counts)| {
            labelled(metric, family, &[name, ("group", group)], of(counts) as f64)
        }),
        GroupHistogram(of, buckets) => groups.into_iter().try_for_each(|(group, counts)| {
            histogram(
                &mut family.encode_family(&[name, ("group", group)])?,
                of(counts),
                *buckets,
            )
        }),
        StartupHistogram(of) => histogram(
            &mut family.encode_family(&[name])?,
            of(&policy.with_startup),
            COARSE,
        ),
        Values::Exits => policy
            .with_startup
            .exits
            .iter()
            .try_for_each(|(exit, startups)| {
                labelled(metric, family, &[name, ("exit", exit)], *startups as f64)
            }),
        Values::State => State::NAMES.into_iter().try_for_each(|state| {
            let is_present = f64::from(u8::from(policy.state.name() == state));
            labelled(metric, family, &[name, ("state", state)], is_present)
        }),
        Values::Share => labelled(metric, family, &[name], policy.state.share()),
        Values::PolicyInfo => family.encode_info(&[
            name,
            ("startup", policy.startup.as_deref().unwrap_or("none")),
            ("avoidance", policy.avoidance.as_str()),
        ]),
        Values::Interval(of) => {
            let Some(interval) = policy.comparison.as_ref().and_then(of) else {
                return Ok(());
            };
            let bounds = [
                ("lower", interval.lower),
                ("estimate", interval.estimate),
                ("upper", interval.upper),
            ];
            bounds.into_iter().try_for_each(|(bound, value)| {
                labelled(metric, family, &[name, ("bound", bound)], value)
            })
        }
        _ => unreachable!("encode_values() has the others"),
    }
}

fn of_registration(
    metric: &Metric,
    family: &mut MetricEncoder,
    registration: &RegistrationCounts,
) -> Result<(), Error> {
    let name = ("congestion_control", registration.name.as_str());
    match &metric.values {
        Registration(of) => labelled(metric, family, &[name], of(registration) as f64),
        Values::RegistrationExits => registration.exits.iter().try_for_each(|(exit, startups)| {
            labelled(metric, family, &[name, ("exit", exit)], *startups as f64)
        }),
        Values::RegistrationInfo => family.encode_info(&[
            name,
            ("startup", registration.startup.as_str()),
            ("avoidance", registration.avoidance.as_str()),
        ]),
        _ => unreachable!("encode_values() has the others"),
    }
}

fn labelled(
    metric: &Metric,
    family: &mut MetricEncoder,
    labels: &impl EncodeLabelSet,
    value: f64,
) -> Result<(), Error> {
    number(metric, &mut family.encode_family(labels)?, value)
}

fn number(metric: &Metric, encoder: &mut MetricEncoder, value: f64) -> Result<(), Error> {
    match metric.kind {
        MetricKind::Counter if value.fract() == 0.0 => {
            encoder.encode_counter::<NoLabelSet, u64, u64>(&(value as u64), None)
        }
        MetricKind::Counter => encoder.encode_counter::<NoLabelSet, f64, f64>(&value, None),
        _ => encoder.encode_gauge(&value),
    }
}

/// Buckets of an octave are merged until there are so many, in base units. The limits are those of
/// the kernel, so no value is counted in a wrong bucket.
fn histogram(
    encoder: &mut MetricEncoder,
    histogram: &Histogram,
    buckets: u32,
) -> Result<(), Error> {
    let scale = histogram.scale();
    let to_base = |value: u64| match scale {
        Scale::Time => value as f64 / 1e6,
        Scale::Rate => value as f64,
    };
    let merged = (1 << scale.buckets_log2()) / buckets as usize;
    let mut limits = Vec::new();
    let mut count = 0;
    for (index, bucket) in histogram.buckets().enumerate() {
        count += bucket.count;
        // The first bucket holds all that is below the scale.
        if index % merged == 0 {
            limits.extend(bucket.below.map(|below| (to_base(below), count)));
            count = if bucket.below.is_some() { 0 } else { count };
        }
    }
    limits.push((f64::INFINITY, count));
    let sum = to_base(1) * histogram.sum() as f64;
    encoder.encode_histogram::<NoLabelSet>(sum, histogram.count(), &limits, None)
}
