//! Problem (a): "If it is set too high compared to the path Bandwidth Delay Product (BDP), the
//! exponential increase generates too many packets too fast, causing multiple losses at the
//! bottleneck router resulting in a coarse Timeout".

use super::senders::{Beginning, Sender, NEWRENO, NO_THRESHOLD, RENO};
use super::setup::{ledger, START};
use super::sweep::{path, BANDWIDTHS, RTTS};
use crate::{Bench, Error, Measured, Settings, Sum, Value, Watch};

/// The paper's Reno/NewReno.
const BOTH: [Sender; 2] = [RENO, NEWRENO];

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let threshold = Settings::of([("transfer.initial_ssthresh", NO_THRESHOLD)]);
    let places = || {
        RTTS.into_iter()
            .flat_map(|rtt| BANDWIDTHS.map(|bandwidth| (rtt, bandwidth)))
    };
    let of_place = |(rtt, bandwidth)| {
        BOTH.map(|sender| path(bandwidth, rtt).and(&sender.settings()).and(&threshold))
    };
    let cells: Vec<Settings> = places().flat_map(of_place).collect();
    let watch = Watch::of_sums(&[Sum::FlowCarried]);
    let all = bench.run_cells_once(START, &cells, 1, &watch, Beginning::of)?;
    let all = all.concat();
    let (beginnings, _) = all.as_chunks::<{ BOTH.len() }>();

    let mut measured = Measured::default();
    for (sender, name) in ["reno", "newreno"].into_iter().enumerate() {
        let mut fewest = |row: &str, of: fn(&Beginning) -> usize| {
            let counts = beginnings.iter().map(|both| of(&both[sender]));
            let fewest = counts.min().unwrap_or_default() as f64;
            measured.exactly(format!("W.high.{name}.{row}"), Value::Number(fewest));
        };
        fewest("lost", |of| of.lost_together);
        fewest("timeouts", |of| of.timeouts);
    }
    if bench.draws() {
        let row = |((rtt, bandwidth), both): ((u32, u32), &[Beginning; BOTH.len()])| {
            let cells = both.iter().flat_map(|of| {
                [
                    format!("{:.1}", of.utilization_20),
                    of.lost_together.to_string(),
                    of.timeouts.to_string(),
                ]
            });
            let labels = [rtt.to_string(), bandwidth.to_string()];
            labels.into_iter().chain(cells).collect()
        };
        let rows = places().zip(beginnings).map(row).collect();
        measured.tables.push(ledger().table("high-threshold", rows));
    }
    Ok(measured)
}
