//! "a majority of TCP connections are short-lived (mice), while a smaller number of long-lived
//! connections carry most of the Internet traffic (elephants)": completion time by size.

use super::senders::SENDERS;
use super::setup::{buffer, ledger, START};
use crate::{Bench, Error, Figure, Measured, Run, Settings, Table, Watch};
use onramp_plot::plot::{Plot, PlotSeries, PlotStyle};

/// Sizes in kB of payload.
const SIZES: [u32; 10] = [
    10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 100_000, 300_000,
];
/// The largest mouse. It ends before the pipe is full, except with Hoe.
const MICE_KB: u32 = 1000;
/// Buffers in percent of the BDP.
const BUFFERS: [u32; 2] = [10, 100];

/// Time from the SYN until the receiver had `bytes`, in s.
fn completion_s(run: &Run<'_>, bytes: u64) -> f64 {
    let flow = run.transfer();
    flow.delivered
        .reached_s(bytes)
        .map_or(f64::NAN, |end_s| end_s - flow.sender_start_s())
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let mut measured = Measured::default();
    if !bench.draws() {
        return Ok(measured);
    }
    for percent in BUFFERS {
        let (_, queue) = buffer(percent);
        let mut rows = Vec::new();
        for kilobytes in SIZES {
            let size = [
                ("transfer.size", format!("{kilobytes} kB")),
                ("run.duration", "300 s".to_owned()),
            ];
            let size = Settings::of(size).and(&queue);
            let cells: Vec<Settings> = SENDERS
                .iter()
                .map(|sender| size.clone().and(&sender.settings()))
                .collect();
            let bytes = u64::from(kilobytes) * 1000;
            rows.push((
                kilobytes,
                bench.run_cells(START, &cells, &Watch::default(), |run| {
                    completion_s(&run, bytes)
                })?,
            ));
        }
        measured
            .tables
            .push(table(&rows, percent, "mice", |kilobytes| {
                kilobytes <= MICE_KB
            }));
        measured
            .tables
            .push(table(&rows, percent, "elephants", |kilobytes| {
                kilobytes > MICE_KB
            }));
        measured.figures.push(figure(&rows, percent));
    }
    Ok(measured)
}

type Rows = [(u32, Vec<f64>)];

fn table(rows: &Rows, percent: u32, who: &str, is_one: fn(u32) -> bool) -> Table {
    let text = |seconds: &f64| {
        if seconds.is_finite() {
            format!("{seconds:.2}")
        } else {
            "–".to_owned()
        }
    };
    let row = |(kilobytes, times): &(u32, Vec<f64>)| {
        std::iter::once(kilobytes.to_string())
            .chain(times.iter().map(text))
            .collect()
    };
    Table {
        name: format!("{who}-{percent}"),
        caption: format!(
            "Completion of {who} at 100 Mbit/s and 100 ms with a buffer of {} BDP, in s from the \
             SYN to the last byte's arrival",
            buffer(percent).0
        ),
        head: std::iter::once("size (kB)".to_owned())
            .chain(SENDERS.iter().map(|sender| sender.name.to_owned()))
            .collect(),
        rows: rows
            .iter()
            .filter(|(kilobytes, _)| is_one(*kilobytes))
            .map(row)
            .collect(),
    }
}

fn figure(rows: &Rows, percent: u32) -> Figure {
    let series = SENDERS.iter().enumerate().map(|(sender, of)| {
        let points = rows
            .iter()
            .map(|(kilobytes, times)| (f64::from(*kilobytes), times[sender]));
        PlotSeries::new(of.name, PlotStyle::Line, points.collect())
    });
    ledger().plot(&format!("completion-{percent}"), |plot| Plot {
        series: series.collect(),
        ..plot
    })
}
