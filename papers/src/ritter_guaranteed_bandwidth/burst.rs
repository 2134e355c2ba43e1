//! The burst after "a packet was dropped from the meter": what follows it is "cached on the
//! receiver side", and "passed to the receiving application in a burst with a higher rate" (section
//! 2.1).

use super::arrivals::Arrivals;
use super::contract::{leaky, POLICING};
use super::curves::{kilobytes, scaled};
use super::setup::{ledger, RESERVED};
use super::sweep::{rtt, RTTS};
use crate::{Bench, Error, Figure, Measured, Run, Table, Value, Watch};
use onramp_plot::plot::{Plot, PlotSeries, PlotStyle};

/// What the figure shows, before the repair and after it.
const SHOWN_S: [f64; 2] = [-0.6, 0.4];

/// The repair of a segment that was dropped.
struct Repair {
    /// Segments that the application got with the repaired one.
    cached: f64,
    /// Its rate in the round trip from the repair on, times the rate at which segments arrived.
    rate: f64,
    /// Data that the application had, and that the receiver had, in kB, around the repair.
    passed: Vec<(f64, f64)>,
    received: Vec<(f64, f64)>,
}

impl Repair {
    /// Of the first segment that is dropped after `from_s`; `None` if there is none.
    fn of(run: &Run<'_>, from_s: f64) -> Option<Repair> {
        let arrivals = Arrivals::of(run);
        let is_dropped = |packet: &&crate::Crossing| {
            packet.is_data() && packet.arrived_s.is_none() && packet.sent_s >= from_s
        };
        let dropped = run.transfer().packets.iter().find(is_dropped)?;
        let by = |steps: &[(f64, u64)], at_s: f64| {
            let later = steps.partition_point(|(time_s, _)| *time_s <= at_s);
            later.checked_sub(1).map_or(0, |last| steps[last].1)
        };
        let hole = dropped.stream_start;
        let (repair_s, _) = *arrivals.in_order.iter().find(|(_, total)| *total > hole)?;
        let gained = |steps: &[(f64, u64)], from_s: f64, to_s: f64| {
            (by(steps, to_s) - by(steps, from_s)) as f64
        };
        let (before_s, after_s) = (repair_s - 1e-6, repair_s + arrivals.rtt_s);
        let at_once = gained(&arrivals.in_order, before_s, repair_s);
        let shown = |steps: &[(f64, u64)]| {
            let near = steps.iter().map(|(at_s, total)| (at_s - repair_s, *total));
            near.filter(|(at_s, _)| (SHOWN_S[0]..SHOWN_S[1]).contains(at_s))
                .map(|(at_s, total)| (at_s, kilobytes(total)))
                .collect()
        };
        Some(Repair {
            cached: at_once / f64::from(dropped.segment.payload_bytes) - 1.0,
            rate: gained(&arrivals.in_order, before_s, after_s)
                / gained(&arrivals.received, before_s, after_s),
            passed: shown(&arrivals.in_order),
            received: shown(&arrivals.received),
        })
    }
}

/// When congestion avoidance first lost a segment: the end of the sender's last slow start before.
fn avoidance_s(run: &Run<'_>) -> f64 {
    let flow = run.transfer();
    let begin = flow.windows.iter().rfind(|windows| windows.slow_start);
    begin.map_or(0.0, |windows| windows.at_s)
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let watch = Watch {
        packets: true,
        ..Watch::with_windows()
    };
    let long = rtt(100).and(&leaky());
    let repair = bench.run_seed(POLICING, &long, 0, &watch, |run| {
        Repair::of(&run, avoidance_s(&run))
    })?;
    let mut measured = Measured::default();
    let mut number = |id: &str, of: fn(&Repair) -> f64| {
        let number = repair.as_ref().map_or(f64::NAN, of);
        measured.exactly(id, Value::Number(number));
    };
    number("R.burst.cached", |repair| repair.cached);
    number("R.burst.rate", |repair| repair.rate);
    if bench.draws() {
        measured.tables.push(by_rtt(bench)?);
        measured.figures.extend(repair.map(figure));
    }
    Ok(measured)
}

/// Figure 1's transfers with a window that does not limit them.
fn by_rtt(bench: &Bench<'_>) -> Result<Table, Error> {
    let cells = RTTS.map(|rtt_ms| rtt(rtt_ms).and(&scaled()));
    let all = bench.run_cells(RESERVED, &cells, &Watch::with_packets(), |run| {
        (Arrivals::of(&run).dropped, Repair::of(&run, 0.0))
    })?;
    let row = |(rtt_ms, (dropped, repair)): (u32, (usize, Option<Repair>))| {
        let text = |of: fn(&Repair) -> f64, places: usize| {
            repair.as_ref().map_or("–".to_owned(), |repair| {
                format!("{:.places$}", of(repair))
            })
        };
        vec![
            rtt_ms.to_string(),
            dropped.to_string(),
            text(|repair| repair.cached, 0),
            text(|repair| repair.rate, 2),
        ]
    };
    let rows = RTTS.into_iter().zip(all).map(row);
    Ok(ledger().table("burst", rows.collect()))
}

fn figure(repair: Repair) -> Figure {
    ledger().plot("burst", |plot| Plot {
        series: vec![
            PlotSeries::new("that the receiver has", PlotStyle::Steps, repair.received),
            PlotSeries::new("that the application has", PlotStyle::Steps, repair.passed),
        ],
        ..plot
    })
}
