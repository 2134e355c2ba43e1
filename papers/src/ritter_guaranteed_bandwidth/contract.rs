//! "it always exceeds this rate in the congestion avoidance phase": the packets of a long transfer
//! that a traffic contract drops.

use super::curves::kilobytes;
use super::setup::{alternative, ledger, modified, RESERVED_BITS_PER_S};
use crate::{Bench, Error, Figure, Measured, Run, Settings, Table, Value, Watch};
use onramp_plot::plot::{Plot, PlotSeries, PlotStyle};

/// Behind an expedited profile.
pub const POLICING: &str = include_str!("policing.toml");
/// The same behind the leaky bucket. It has a name of its own, so that alternatives about the
/// profile do not apply to it.
pub const LEAKY: &str = "guaranteed-leaky";

/// The RTTs of the table, in ms.
const RTTS: [u32; 3] = [10, 100, 500];
/// The RTT of the rows as decided: the scenario file's.
const USUAL_RTT: u32 = 100;
/// The time that the figure shows.
const SHOWN_S: f64 = 60.0;

/// The result of a transfer.
struct Contract {
    drops: Drops,
    timeouts: usize,
    /// Rate in percent of the reserved rate.
    share: f64,
    /// Its congestion window in kB over time, and the points at which segments were dropped.
    windows: Vec<(f64, f64)>,
    dropped: Vec<(f64, f64)>,
}

/// Dropped segments by the phase of the sender when an occasion began. A drop within two RTTs of
/// the previous one belongs to the same occasion, including its repair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Drops {
    slow_start: usize,
    avoidance: usize,
    /// Number of occasions in congestion avoidance.
    occasions: usize,
    /// Maximum of dropped segments on one of them.
    together: usize,
}

impl Drops {
    /// Counts drops, each with its time and whether the sender was in slow start.
    fn of(drops: &[(f64, bool)], rtt_s: f64) -> Drops {
        let mut of = Drops::default();
        for occasion in
            drops.chunk_by(|(before_s, _), (after_s, _)| after_s - before_s <= 2.0 * rtt_s)
        {
            let (_, in_slow_start) = occasion[0];
            if in_slow_start {
                of.slow_start += occasion.len();
            } else {
                of.avoidance += occasion.len();
                of.occasions += 1;
                of.together = of.together.max(occasion.len());
            }
        }
        of
    }

    fn all(&self) -> usize {
        self.slow_start + self.avoidance
    }
}

impl Contract {
    fn of(run: &Run<'_>) -> Contract {
        let flow = run.transfer();
        let record = &run.outcome.records[0];
        let queue_rtts = record.peak_queue_bdp * record.rate_bits_per_s as f64
            / record.capacity_bits_per_s as f64;
        let rtt_s = record.rtt_ms / 1e3 * (1.0 + queue_rtts);
        let window_at = |at_s: f64| {
            let later = flow.windows.partition_point(|windows| windows.at_s <= at_s);
            &flow.windows[later.saturating_sub(1)]
        };
        let (from_s, _) = *flow.delivered.steps().first().expect("data arrives");
        let end_s = flow
            .delivered
            .reached_s(record.size_bytes)
            .unwrap_or(f64::NAN);
        let with_phase: Vec<(f64, bool)> = flow
            .drops_s
            .iter()
            .map(|at_s| (*at_s, window_at(*at_s).slow_start))
            .collect();
        let is_shown = |at_s: f64| at_s <= from_s + SHOWN_S;
        let point = |at_s: f64, cwnd_bytes: u64| (at_s - from_s, kilobytes(cwnd_bytes));
        let windows = flow.windows.iter().filter(|windows| is_shown(windows.at_s));
        let drops = flow.drops_s.iter().filter(|at_s| is_shown(**at_s));
        Contract {
            drops: Drops::of(&with_phase, rtt_s),
            timeouts: flow.timeouts.len(),
            share: 100.0 * record.size_bytes as f64 * 8.0 / (end_s - from_s) / RESERVED_BITS_PER_S,
            windows: windows
                .map(|windows| point(windows.at_s, windows.cwnd_bytes))
                .collect(),
            dropped: drops
                .map(|at_s| point(*at_s, window_at(*at_s).cwnd_bytes))
                .collect(),
        }
    }
}

/// A sender and the router that polices it.
struct Kind {
    router: &'static str,
    sender: &'static str,
    settings: Settings,
}

/// Indexes in [`kinds`].
const PROFILE: usize = 0;
const PROFILE_MODIFIED: usize = 1;
const BUCKET: usize = 2;
const BUCKET_MODIFIED: usize = 3;

/// The leaky bucket in place of the profile.
pub fn leaky() -> Settings {
    alternative("a leaky bucket").and(&Settings::of([("name", LEAKY)]))
}

fn kinds() -> [Kind; 4] {
    let leaky = leaky();
    let kind = |router, sender, settings| Kind {
        router,
        sender,
        settings,
    };
    [
        kind("expedited profile", "normal", Settings::default()),
        kind("expedited profile", "modified", modified()),
        kind("leaky bucket", "normal", leaky.clone()),
        kind("leaky bucket", "modified", leaky.and(&modified())),
    ]
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let kinds = kinds();
    let of_kind = |kind: &Kind| {
        // The name comes last, because keys of an alternative name the file's own scenario.
        RTTS.map(|rtt_ms| Settings::of([("path.rtt", format!("{rtt_ms} ms"))]).and(&kind.settings))
    };
    let cells: Vec<Settings> = kinds.iter().flat_map(of_kind).collect();
    let all = bench.run_cells(POLICING, &cells, &Watch::with_windows(), |run| {
        Contract::of(&run)
    })?;
    let (contracts, _) = all.as_chunks::<{ RTTS.len() }>();
    let usual_ms = bench.measure("rtt_ms").map_or(USUAL_RTT, |rtt_ms| {
        rtt_ms.parse().expect("the ledger has a number of ms")
    });
    let usual = RTTS.iter().position(|rtt_ms| *rtt_ms == usual_ms);
    let usual = usual.expect("the rows have an RTT of the table");

    let mut measured = Measured::default();
    let mut count = |id: &str, count: usize| measured.exactly(id, Value::Number(count as f64));
    count("R.police.normal", contracts[PROFILE][usual].drops.occasions);
    let dropped = contracts[PROFILE_MODIFIED]
        .iter()
        .map(|contract| contract.drops.all());
    count("R.police.qos", dropped.max().unwrap_or_default());
    count("R.police.single", contracts[BUCKET][usual].drops.together);
    count("R.police.sack", contracts[BUCKET][usual].timeouts);
    if bench.draws() {
        measured.tables.push(table(&kinds, contracts));
        let usual = |kind: usize| &contracts[kind][usual];
        measured.figures = vec![
            figure("contract-profile", usual(PROFILE), usual(PROFILE_MODIFIED)),
            figure("contract-bucket", usual(BUCKET), usual(BUCKET_MODIFIED)),
        ];
    }
    Ok(measured)
}

fn table(kinds: &[Kind], contracts: &[[Contract; RTTS.len()]]) -> Table {
    let row = |kind: &Kind, rtt_ms: u32, contract: &Contract| {
        let Drops {
            slow_start,
            avoidance,
            occasions,
            together,
        } = contract.drops;
        let counts = [
            slow_start,
            avoidance,
            occasions,
            together,
            contract.timeouts,
        ]
        .map(|count| count.to_string());
        let begin = [
            kind.router.to_owned(),
            kind.sender.to_owned(),
            rtt_ms.to_string(),
        ];
        begin
            .into_iter()
            .chain(counts)
            .chain([format!("{:.1}", contract.share)])
            .collect()
    };
    let rows = kinds.iter().zip(contracts);
    let rows = rows.flat_map(|(kind, of)| {
        RTTS.iter()
            .zip(of)
            .map(move |(rtt_ms, contract)| row(kind, *rtt_ms, contract))
    });
    ledger().table("policing", rows.collect())
}

fn figure(name: &str, normal: &Contract, modified: &Contract) -> Figure {
    ledger().plot(name, |plot| Plot {
        series: vec![
            PlotSeries::new("normal TCP", PlotStyle::Steps, normal.windows.clone()),
            PlotSeries::new("dropped", PlotStyle::Points, normal.dropped.clone()),
            PlotSeries::new("modified TCP", PlotStyle::Steps, modified.windows.clone()),
        ],
        ..plot
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_within_a_round_trip_are_one_occasion() {
        let drops = [
            (0.5, true),
            (0.9, false),
            (1.6, false),
            (2.0, false),
            (2.1, false),
            (2.7, false),
        ];
        let counted = Drops::of(&drops, 0.25);
        assert_eq!(
            counted,
            Drops {
                slow_start: 2,
                avoidance: 4,
                occasions: 2,
                together: 3
            }
        );
        assert_eq!(Drops::of(&[], 0.5), Drops::default());
    }
}
