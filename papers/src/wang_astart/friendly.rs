//! What a newcomer gets among connections of NewReno that have filled the path, and what it takes
//! from them.

use super::buffer;
use super::senders::{bandwidth, rate, transfer, OF_ASTART, OF_NEWRENO, SENDERS};
use crate::statistics::median;
use crate::{Bench, Error, Measured, Run, Settings, Table, Value, Watch};

/// Ten connections, and the newcomer.
const FRIENDLY: &str = include_str!("friendly.toml");

/// Mbit/s, and buffers in percent of the BDP.
const PATHS: [(u32, u32); 4] = [(40, 25), (40, 100), (100, 25), (100, 100)];
/// How long the newcomer is watched, and the others before it, in s.
const WATCHED_S: f64 = 60.0;
/// Its beginning.
const BEGINNING_S: f64 = 20.0;
const OTHERS_S: f64 = 20.0;

/// Rates in percent of the bandwidth, and losses.
#[derive(Clone, Copy)]
struct Meeting {
    /// The newcomer's in its first seconds, and as long as it is watched.
    beginning: f64,
    whole: f64,
    /// The others', all together: before it came, and from then on.
    before: f64,
    during: f64,
    /// The newcomer's segments, and theirs, while it is there.
    lost: f64,
    others_lost: f64,
}

impl Meeting {
    fn of(run: &Run<'_>) -> Meeting {
        let newcomer = transfer(run);
        let (from_s, _) = newcomer.established.expect("the connection stands");
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
            during: share(sum(from_s, from_s + WATCHED_S)),
            lost: lost(&newcomer.drops_s),
            others_lost: others().map(|flow| lost(&flow.drops_s)).sum(),
        }
    }
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let mut rows = Vec::new();
    let (mut gains, mut first_gains, mut costs) = (Vec::new(), Vec::new(), Vec::new());
    for (megabits, percent) in PATHS {
        let (share, queue) = buffer(percent);
        let path = Settings::of([("path.rate", format!("{megabits} Mbit/s"))]).and(&queue);
        let mut met: [Vec<Meeting>; SENDERS.len()] = Default::default();
        for place in 0..SENDERS.len() {
            if bench.draws() || [OF_NEWRENO, OF_ASTART].contains(&place) {
                let settings = path.clone().and(&SENDERS[place].settings());
                met[place] = bench.run(FRIENDLY, &settings, &Watch::default(), |run| {
                    Meeting::of(&run)
                })?;
            }
        }
        let middle = |sender: usize, what: fn(&Meeting) -> f64| {
            median(&met[sender].iter().map(what).collect::<Vec<_>>())
        };
        gains.push(middle(OF_ASTART, |met| met.whole) / middle(OF_NEWRENO, |met| met.whole));
        first_gains
            .push(middle(OF_ASTART, |met| met.beginning) / middle(OF_NEWRENO, |met| met.beginning));
        costs.push(
            100.0
                * (middle(OF_ASTART, |met| met.during) / middle(OF_NEWRENO, |met| met.during)
                    - 1.0),
        );
        for (place, sender) in SENDERS.iter().enumerate() {
            let whats: [fn(&Meeting) -> f64; 6] = [
                |met| met.beginning,
                |met| met.whole,
                |met| met.before,
                |met| met.during,
                |met| met.lost,
                |met| met.others_lost,
            ];
            let numbers = whats.iter().enumerate().map(|(column, what)| {
                let number = middle(place, *what);
                if column < 4 {
                    format!("{number:.1}")
                } else {
                    format!("{number:.0}")
                }
            });
            let labels = [
                megabits.to_string(),
                share.to_string(),
                sender.name.to_owned(),
            ];
            rows.push(labels.into_iter().chain(numbers).collect());
        }
    }
    let mut measured = Measured::default();
    let most = |gains: &[f64]| Value::Number(gains.iter().copied().fold(0.0, f64::max));
    measured.exactly("W.astart.share", most(&gains));
    measured.exactly("W.astart.share.beginning", most(&first_gains));
    measured.exactly(
        "W.astart.share.others",
        Value::Number(costs.iter().copied().fold(f64::INFINITY, f64::min)),
    );
    if bench.draws() {
        let head = [
            "bandwidth (Mbit/s)",
            "buffer (BDP)",
            "newcomer",
            "its share, 20 s (%)",
            "its share, 60 s (%)",
            "the ten before (%)",
            "the ten with it (%)",
            "it lost",
            "they lost",
        ];
        measured.tables.push(Table {
            name: "newcomer".to_owned(),
            caption: "A newcomer's share of the bandwidth in its first 20 and 60 s among ten \
                connections of NewReno at 100 ms, theirs in the 20 s before it and the 60 s with \
                it, and segments lost in these; medians of the seeds. A fair share is 9.1 %."
                .to_owned(),
            head: head.map(str::to_owned).to_vec(),
            rows,
        });
    }
    Ok(measured)
}
