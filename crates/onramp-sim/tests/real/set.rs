//! The families of the set, and how their scenarios are run.

use crate::cell::{cells, Cell};
use crate::root;
use onramp_results::Record;
use onramp_scenario::{Case, Scenario};
use onramp_sim::{run_all, supports, Options};
use std::ops::ControlFlow;

/// How much of the set is run.
#[derive(Clone, Copy, PartialEq)]
pub enum Extent {
    /// Few repeats, for `make test`.
    Part,
    /// Everything.
    Whole,
}

/// What the row of a family shows.
#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    /// Transfers, one in a run.
    Single,
    /// The same, in cells with a large BDP alone: on exact paths and fast links.
    Long,
    /// The same, with policers, where losses are compared with CUBIC's alone.
    Policed,
    /// The same, where the receiver's buffer limits.
    DefaultBuffers,
    /// The same, over recorded or generated traces.
    Cellular,
    /// Several transfers in a run.
    Together,
    /// A transfer beside a long flow.
    Beside,
}

/// Scenarios whose cells have one row of the table.
pub struct Family {
    pub name: String,
    pub kind: Kind,
    /// What the row is to reach.
    pub target: &'static str,
    pub sources: Vec<Source>,
}

/// A scenario, or the part of it that belongs to the family.
pub struct Source {
    pub scenario: Scenario,
    /// Records of other aggregation times belong to other families.
    pub only: Option<String>,
}

impl Source {
    /// A file of `scenarios/`.
    pub fn of(name: &str) -> Source {
        Source::varied(name, &[])
    }

    /// A file of `scenarios/` with some texts replaced: what is varied beyond its lists.
    fn varied(name: &str, replaced: &[(String, String)]) -> Source {
        let file = root().join("scenarios").join(name);
        let name = file.display().to_string();
        let mut text = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{name}: {e}"));
        for (from, to) in replaced {
            assert!(text.contains(from), "{name} has no `{from}`");
            text = text.replace(from, to);
        }
        let scenario = onramp_scenario::parse_in(file.parent(), &name, &text)
            .unwrap_or_else(|error| panic!("{:?}", miette_of(&error)));
        Source {
            scenario,
            only: None,
        }
    }
}

/// All mistakes of a file in one text.
fn miette_of(error: &onramp_scenario::Error) -> String {
    let faults = error.invalid().map_or(&[][..], |invalid| invalid.faults());
    let faults: Vec<_> = faults.iter().map(|fault| fault.to_string()).collect();
    format!("{error}: {}", faults.join("; "))
}

fn family(name: &str, kind: Kind, target: &'static str, files: &[&str]) -> Family {
    let real = |file: &&str| Source::of(&format!("real/{file}.toml"));
    Family {
        name: name.to_owned(),
        kind,
        target,
        sources: files.iter().map(real).collect(),
    }
}

/// One family for each time of ACK aggregation.
fn ack_aggregation() -> impl Iterator<Item = Family> {
    let times = [
        ("200 us", "waste <= 1.3"),
        ("1 ms", "waste <= 1.8"),
        ("4 ms", "waste <= 2.6"),
        ("10 ms", "waste <= 3.2"),
    ];
    times.into_iter().flat_map(|(time, target)| {
        let of = |kind: &str, file: &str| {
            let mut of = family(&format!("ack {time}{kind}"), Kind::Single, target, &[file]);
            of.sources[0].only = Some(format!("aggregate {time} "));
            of
        };
        [
            of("", "ack-aggregation"),
            of(", from the first", "ack-aggregation-from-first"),
            of(", data 2 ms", "data-and-ack-aggregation"),
        ]
    })
}

fn together(name: &str, file: &str, count: u32) -> Family {
    let source = |spacing: &&str| {
        let replaced = [
            ("count = 10".to_owned(), format!("count = {count}")),
            (
                "spacing = \"2 ms\"".to_owned(),
                format!("spacing = \"{spacing}\""),
            ),
        ];
        Source::varied(&format!("real/{file}.toml"), &replaced)
    };
    Family {
        name: format!("{count} {name}"),
        kind: Kind::Together,
        target: "resent <= CUBIC's, Jain >= 0.85, MB >= CUBIC's",
        sources: SPACINGS.iter().map(source).collect(),
    }
}

/// The time between two starts.
const SPACINGS: [&str; 5] = ["0 s", "2 ms", "10 ms", "50 ms", "100 ms"];

/// What most cells are to reach.
const NOT_SLOWER: &str = "cells <= 1.03 and 0.5 RTT";

fn jitter() -> Vec<Family> {
    let kinds = [
        ("jitter", "ordered-jitter"),
        ("jitter, reordering", "reordering-jitter"),
    ];
    let times_ms = [1, 5, 10, 20].into_iter();
    let each = |ms: u32| {
        let target = if ms < 10 {
            NOT_SLOWER
        } else {
            "worst run <= 3"
        };
        kinds.map(|(name, file)| {
            let name = format!("{name}, {ms} ms");
            family(&name, Kind::Single, target, &[&format!("{file}-{ms}")])
        })
    };
    times_ms.flat_map(each).collect()
}

/// Receivers, hosts and access networks that aggregate or are late.
fn hosts_and_access() -> Vec<Family> {
    let singles = [
        ("receiver acks every 2nd", "receiver-acks-2"),
        ("receiver acks every 4th", "receiver-acks-4"),
        ("receiver acks every 16th", "receiver-acks-16"),
        ("late link", "late-link"),
        ("late link, always", "late-link-always"),
        ("late sender", "late-sender"),
        ("docsis", "docsis"),
        ("wifi", "wifi-ampdu"),
        ("lte grants", "lte-grants"),
        ("nr grants", "nr-grants"),
    ];
    let single = |(name, file)| family(name, Kind::Single, NOT_SLOWER, &[file]);
    singles.map(single).into()
}

/// Rates that vary, limits and buckets.
fn rates() -> Vec<Family> {
    use Kind::{Cellular, DefaultBuffers, Long, Policed, Single};
    let pantheon: Vec<_> = (1..=7).map(|path| format!("pantheon-{path}")).collect();
    let pantheon: Vec<_> = pantheon.iter().map(String::as_str).collect();
    let families: [(&str, Kind, &'static str, &[&str]); 8] = [
        ("pantheon", Single, NOT_SLOWER, &pantheon),
        ("low orbit", Single, NOT_SLOWER, &["low-orbit"]),
        ("fading", Cellular, NOT_SLOWER, &["fading", "fading-fast"]),
        ("synthetic lte", Cellular, RECORDED, &["synthetic-lte"]),
        (
            "policers",
            Policed,
            "resent <= CUBIC's",
            &["policers-100", "policers-1000"],
        ),
        (
            "shapers",
            Single,
            NOT_SLOWER,
            &["shapers-100", "shapers-1000"],
        ),
        ("fast", Long, "<= 0.65", &["fast"]),
        (
            "default buffers",
            DefaultBuffers,
            "<= 0.85, cells <= 1.03",
            &["default-buffers"],
        ),
    ];
    families
        .map(|(name, kind, target, files)| family(name, kind, target, files))
        .into()
}

/// What `onramp` is to reach over recordings of mobile networks.
pub const RECORDED: &str = "<= 0.92, 0.95, 0.97; run <= 1.15";

/// All families, in the order of the table.
pub fn families() -> Vec<Family> {
    let mut all = vec![Family {
        sources: vec![Source::of("start-up.toml")],
        ..family("exact paths", Kind::Long, "waste <= 1.2, 95 % <= 1.6", &[])
    }];
    all.extend(ack_aggregation());
    all.extend(jitter());
    all.extend(hosts_and_access());
    all.extend(rates());
    for count in [2, 6, 10, 50] {
        all.push(together("together", "together", count));
        all.push(together("together, apart", "together-apart", count));
    }
    for flow in ["cubic", "reno", "bbr"] {
        let file = format!("long-{flow}");
        let name = format!("beside a long {flow}");
        all.push(family(&name, Kind::Beside, "takes <= 5 points", &[&file]));
    }
    all
}

/// The same families with transfers over QUIC.
#[cfg(feature = "quic")]
pub fn over_quic(mut families: Vec<Family>) -> Vec<Family> {
    let sources = families.iter_mut().flat_map(|family| &mut family.sources);
    for case in sources.flat_map(|source| &mut source.scenario.cases) {
        case.transfer.transport = onramp_scenario::Transport::Quic;
    }
    families
}

/// The repeats of a family that are run.
fn repeats(kind: Kind, extent: Extent) -> u32 {
    match (extent, kind) {
        (Extent::Whole, _) => u32::MAX,
        (Extent::Part, Kind::Together | Kind::Beside) => 1,
        (Extent::Part, _) => 3,
    }
}

/// Whether `make test` leaves a case out because it takes too long.
fn is_left_out(kind: Kind, case: &Case) -> bool {
    match kind {
        Kind::Together => case.transfer.count > 10 || case.transfer.spacing_ns > 10_000_000,
        Kind::Beside => case.path.forward.queue.to_string() != "1 bdp",
        Kind::Long => case.path.forward.rate_bits_per_s > 1_000_000_000,
        _ => false,
    }
}

/// The cells of each family, in the order of the families.
pub fn run(families: &[Family], extent: Extent) -> Vec<Vec<Cell>> {
    let mut cases: Vec<(usize, usize, Case)> = Vec::new();
    for (number, family) in families.iter().enumerate() {
        for (source_number, source) in family.sources.iter().enumerate() {
            let is_run = |case: &Case| {
                let record = Record::of_case(case, "sim");
                case.run <= repeats(family.kind, extent)
                    && !(extent == Extent::Part && is_left_out(family.kind, case))
                    && source.only.as_ref().is_none_or(|only| {
                        let back = record.path.split("back: ").last().unwrap_or_default();
                        back.contains(only)
                    })
                    && supports(case).is_ok()
            };
            let of_file = source
                .scenario
                .cases
                .iter()
                .filter(|case| is_run(case))
                .cloned();
            cases.extend(of_file.map(|case| (number, source_number, case)));
        }
    }
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    let to_run: Vec<&Case> = cases.iter().map(|(_, _, case)| case).collect();
    let mut records: Vec<Vec<(usize, Case, Vec<Record>)>> = Vec::new();
    records.resize_with(families.len(), Vec::new);
    run_all(&to_run, &Options::default(), threads, |index, outcome| {
        let (family, source, case) = &cases[index];
        let outcome = outcome.unwrap_or_else(|error| panic!("{}: {error}", case.scenario));
        records[*family].push((*source, case.clone(), outcome.records));
        ControlFlow::Continue(())
    });
    records.into_iter().map(cells).collect()
}
