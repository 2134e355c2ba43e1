//! "When a connection initially begins or re-starts after a coarse timeout, Astart adaptively and
//! repeatedly resets ssthresh when ERE indicates that there is more available capacity."

use super::senders::{bandwidth, lost_together, rate, Sender, ASTART, NEWRENO};
use super::setup::{buffer, ledger, START};
use super::sweep::path;
use crate::{Bench, Error, Measured, Run, Settings, Sum, Table, Value, Watch};

/// The path is silent for two seconds from these times on: while the window is small, and later.
const OUTAGES_S: [u32; 2] = [1, 10];
/// Bandwidths in Mbit/s, and buffers in percent of the BDP, as where a newcomer joins.
const PATHS: [(u32, u32); 4] = [(40, 25), (40, 100), (100, 25), (100, 100)];
/// RTT in ms.
const RTT: u32 = 100;
/// The sender restarts within this time of the begin of the outage.
const RESTARTS_S: f64 = 10.0;
/// Time for which the restarted sender is observed.
const WATCHED_S: f64 = 10.0;

const BOTH: [Sender; 2] = [NEWRENO, ASTART];
const OF_ASTART: usize = 1;

/// Ten seconds of a sender from its last timeout in the outage on.
struct Restart {
    /// Percentage of the bandwidth that its packets used.
    utilization: f64,
    /// How often ssthresh was raised.
    raises: usize,
    /// Most segments lost within two round trips.
    lost_together: usize,
}

impl Restart {
    fn of(run: &Run<'_>, outage_s: f64) -> Restart {
        let flow = run.transfer();
        let in_outage = |at_s: f64| (outage_s..outage_s + RESTARTS_S).contains(&at_s);
        let mut timeouts = flow.timeouts.iter().map(|timeout| timeout.at_s);
        let last = timeouts.rfind(|at_s| in_outage(*at_s));
        let from_s = last.expect("the outage is longer than the retransmission timer");
        let is_watched = |at_s: f64| (from_s..from_s + WATCHED_S).contains(&at_s);
        let windows: Vec<_> = flow
            .windows
            .iter()
            .filter(|windows| is_watched(windows.at_s))
            .collect();
        let raised = windows
            .windows(2)
            .filter(|pair| pair[1].ssthresh_bytes > pair[0].ssthresh_bytes);
        let drops_s: Vec<f64> = flow
            .drops_s
            .iter()
            .copied()
            .filter(|at_s| is_watched(*at_s))
            .collect();
        Restart {
            utilization: 100.0 * rate(flow, from_s, from_s + WATCHED_S) / bandwidth(run),
            raises: raised.count(),
            lost_together: lost_together(run, &drops_s),
        }
    }
}

/// The path, silent for two seconds.
fn scenario(outage_s: u32) -> String {
    let end_s = outage_s + 2;
    format!(
        "{START}[[path.change]]\nat = \"{outage_s} s\"\nloss = \"100 %\"\n\
         [[path.change]]\nat = \"{end_s} s\"\nloss = \"0 %\"\n"
    )
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let watch = Watch {
        windows: true,
        ..Watch::of_sums(&[Sum::FlowCarried])
    };
    let duration = Settings::of([("run.duration", "31 s")]);
    let of_path = |(megabits, percent): (u32, u32)| {
        let path = path(megabits, RTT).and(&buffer(percent).1).and(&duration);
        BOTH.map(|sender| path.clone().and(&sender.settings()))
    };
    let cells: Vec<Settings> = PATHS.into_iter().flat_map(of_path).collect();
    let mut restarts = Vec::new();
    for outage_s in OUTAGES_S {
        let take = |run: Run<'_>| Restart::of(&run, outage_s.into());
        restarts.extend(bench.run_cells(&scenario(outage_s), &cells, &watch, take)?);
    }
    let (restarts, _) = restarts.as_chunks::<{ BOTH.len() }>();

    let mut measured = Measured::default();
    let astart = || restarts.iter().map(|both| &both[OF_ASTART]);
    let mut number = |id: &str, number: f64| measured.exactly(id, Value::Number(number));
    let raises = astart().map(|restart| restart.raises).min();
    number("W.restart.raises", raises.unwrap_or_default() as f64);
    let used = astart().map(|restart| restart.utilization);
    number("W.restart.utilization", used.fold(f64::INFINITY, f64::min));
    let lost = astart().map(|restart| restart.lost_together).max();
    number("W.restart.lost", lost.unwrap_or_default() as f64);
    if bench.draws() {
        measured.tables.push(table(restarts));
    }
    Ok(measured)
}

fn table(restarts: &[[Restart; BOTH.len()]]) -> Table {
    let places = OUTAGES_S
        .into_iter()
        .flat_map(|outage_s| PATHS.map(|path| (outage_s, path)));
    let row = |((outage_s, (megabits, percent)), both): ((u32, (u32, u32)), &[Restart; 2])| {
        let labels = [
            outage_s.to_string(),
            megabits.to_string(),
            buffer(percent).0.to_string(),
        ];
        let cells = both.iter().flat_map(|restart| {
            [
                format!("{:.1}", restart.utilization),
                restart.raises.to_string(),
                restart.lost_together.to_string(),
            ]
        });
        labels.into_iter().chain(cells).collect()
    };
    ledger().table("restart", places.zip(restarts).map(row).collect())
}
