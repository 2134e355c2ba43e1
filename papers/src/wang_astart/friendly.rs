//! The share of a newcomer among NewReno connections that have filled the pipe, and its effect on
//! them.

use super::senders::{bandwidth, rate, OF_ASTART, OF_NEWRENO, SENDERS};
use super::setup::{buffer, ledger};
use crate::{Bench, Error, Measured, Run, Settings, Sum, Watch};
use onramp_report::statistics::median;

/// Ten connections, and the newcomer.
const FRIENDLY: &str = include_str!("friendly.toml");

/// Bandwidths in Mbit/s, with buffers in percent of the BDP.
const PATHS: [(u32, u32); 4] = [(40, 25), (40, 100), (100, 25), (100, 100)];
/// Number of seeds of the senders that the table alone shows.
const TABLE_SEEDS: usize = 9;
/// Time for which the newcomer is observed.
const WATCHED_S: f64 = 60.0;
/// The newcomer's first seconds.
const BEGINNING_S: f64 = 20.0;
/// The newcomer starts at this time of the run, or later.
const LED_S: f64 = 60.0;
/// Time before the newcomer for which the others are observed.
const OTHERS_S: f64 = 20.0;

/// Rates in percent of the bandwidth, and losses.
#[derive(Clone, Copy)]
struct Meeting {
    /// The newcomer's rate in its first seconds, and over the whole time.
    beginning: f64,
    whole: f64,
    /// The sum of the others' rates: before the newcomer, in its first seconds, and beside it over
    /// the whole time.
    before: f64,
    during_beginning: f64,
    during: f64,
    /// Segments lost beside each other: the newcomer's, and the others'.
    lost: f64,
    others_lost: f64,
}

impl Meeting {
    fn of(run: &Run<'_>) -> Meeting {
        let newcomer = run.transfer();
        let (from_s, _) = newcomer.established.expect("the connection stands");
        assert!(
            from_s - OTHERS_S >= run.watch.sums_from_s,
            "the rates have sums"
        );
        let others = || run.watch.flows.iter().filter(|flow| flow.traffic.is_some());
        let share = |bits_per_s: f64| 100.0 * bits_per_s / bandwidth(run);
        let sum =
            |from_s: f64, to_s: f64| others().map(|flow| rate(flow, from_s, to_s)).sum::<f64>();
        let lost = |drops_s: &[f64]| {
            drops_s
                .iter()
                .filter(|drop_s| (from_s..from_s + WATCHED_S).contains(drop_s))
                .count() as f64
        };
        Meeting {
            beginning: share(rate(newcomer, from_s, from_s + BEGINNING_S)),
            whole: share(rate(newcomer, from_s, from_s + WATCHED_S)),
            before: share(sum(from_s - OTHERS_S, from_s)),
            during_beginning: share(sum(from_s, from_s + BEGINNING_S)),
            during: share(sum(from_s, from_s + WATCHED_S)),
            lost: lost(&newcomer.drops_s),
            others_lost: others().map(|flow| lost(&flow.drops_s)).sum(),
        }
    }
}

/// The meetings on one path: for each sender, one for each seed.
struct Met([Vec<Meeting>; SENDERS.len()]);

impl Met {
    fn run(bench: &Bench<'_>, path: &Settings) -> Result<Met, Error> {
        let mut met: [Vec<Meeting>; SENDERS.len()] = Default::default();
        let of_rows = |place: &usize| [OF_NEWRENO, OF_ASTART].contains(place);
        let (judged, shown) = (0..SENDERS.len()).partition(of_rows);
        let watch = Watch {
            sums_from_s: LED_S - OTHERS_S,
            ..Watch::of_sums(&[Sum::FlowCarried])
        };
        let shown_seeds = if bench.draws() {
            TABLE_SEEDS.min(bench.seeds())
        } else {
            0
        };
        let groups: [(Vec<usize>, usize); 2] = [(judged, bench.seeds()), (shown, shown_seeds)];
        for (places, seeds) in groups {
            let cell = |place: &usize| path.clone().and(&SENDERS[*place].settings());
            let cells: Vec<Settings> = places.iter().map(cell).collect();
            let all = bench.run_cells_once(FRIENDLY, &cells, seeds, &watch, Meeting::of)?;
            for (place, meetings) in places.into_iter().zip(all) {
                met[place] = meetings;
            }
        }
        Ok(Met(met))
    }

    /// The median of the seeds.
    fn median(&self, sender: usize, what: fn(&Meeting) -> f64) -> f64 {
        median(self.0[sender].iter().map(what))
    }

    /// Astart's value over NewReno's, for each seed.
    fn ratios(&self, what: fn(&Meeting) -> f64) -> Vec<f64> {
        let pairs = self.0[OF_ASTART].iter().zip(&self.0[OF_NEWRENO]);
        pairs
            .map(|(astart, newreno)| what(astart) / what(newreno))
            .collect()
    }

    /// Lines of the table: one for each sender.
    fn rows(&self, megabits: u32, share: f64) -> impl Iterator<Item = Vec<String>> + '_ {
        SENDERS.iter().enumerate().map(move |(place, sender)| {
            let shares = [
                self.median(place, |met| met.beginning),
                self.median(place, |met| met.whole),
                self.median(place, |met| met.before),
                self.median(place, |met| met.during),
            ];
            let losses = [
                self.median(place, |met| met.lost),
                self.median(place, |met| met.others_lost),
            ];
            let labels = [
                megabits.to_string(),
                share.to_string(),
                sender.name.to_owned(),
            ];
            labels
                .into_iter()
                .chain(shares.map(|share| format!("{share:.1}")))
                .chain(losses.map(|lost| format!("{lost:.0}")))
                .collect()
        })
    }
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    type Rate = fn(&Meeting) -> f64;
    let (newcomers, of_others): (Rate, Rate) = match bench.measure("share") {
        None => (|met| met.whole, |met| met.during),
        Some("first 20 s") => (|met| met.beginning, |met| met.during_beginning),
        Some(other) => panic!("no share is of the {other}"),
    };
    let mut rows = Vec::new();
    // For each path, the ratios of all seeds.
    let (mut gains, mut first_gains, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for (megabits, percent) in PATHS {
        let (share, queue) = buffer(percent);
        let path = Settings::of([("path.rate", format!("{megabits} Mbit/s"))]).and(&queue);
        let met = Met::run(bench, &path)?;
        gains.push(met.ratios(newcomers));
        first_gains.push(met.ratios(|met| met.beginning));
        others.push(met.ratios(of_others));
        rows.extend(met.rows(megabits, share));
    }
    let mut measured = Measured::default();
    // For each seed, of all paths.
    let of_seed = |ratios: &[Vec<f64>], pick: fn(f64, f64) -> f64| -> Vec<f64> {
        let of = |seed: usize| ratios.iter().map(move |path| path[seed]);
        let picked = (0..bench.seeds()).map(|seed| of(seed).reduce(pick).unwrap_or(f64::NAN));
        picked.collect()
    };
    measured.numbers("W.astart.share", of_seed(&gains, f64::max));
    measured.numbers("W.astart.share.beginning", of_seed(&first_gains, f64::max));
    let costs = of_seed(&others, f64::min).into_iter();
    measured.numbers(
        "W.astart.share.others",
        costs.map(|least| 100.0 * (least - 1.0)),
    );
    if bench.draws() {
        measured.tables.push(ledger().table("newcomer", rows));
    }
    Ok(measured)
}
