//! What the paper names beside its proposals and does not measure: ACK spacing (section 1), and RED
//! buffers with ECN (section 6).

use super::cycles::{cycles, restarts};
use super::setup::{ledger, long, spacing, throughput, transfer, SATELLITE, SEGMENT_BYTES};
use crate::{Bench, Error, Measured, Run, Settings, Watch};
use onramp_report::statistics::median;

/// ACKs of 40 bytes, 240 in a second: half of R_max, so that the two segments that each releases
/// leave at R_max = 480.
const ACKS: &str = "rate = '76800 bit/s'\nqueue = '1000 packets'";

fn remedies() -> [(&'static str, Settings); 6] {
    let acks: toml::Table = ACKS.parse().expect("two keys");
    let red = Settings::of([("link[0].discipline", "red")]);
    let ecn = red.clone().and(&Settings::of([
        ("link[0].ecn", true),
        ("transfer.ecn", true),
    ]));
    [
        ("Tahoe", Settings::default()),
        ("spacing, R = 440", spacing(440.0)),
        (
            "spaced, told nothing",
            Settings::of([("transfer.startup", "spaced")]),
        ),
        (
            "ACK spacing, 240 ACKs/s",
            Settings::of([("link[0].reverse", acks)]),
        ),
        ("RED", red),
        ("RED and ECN", ecn),
    ]
}

pub fn measure(bench: &Bench<'_>) -> Result<Measured, Error> {
    let mut measured = Measured::default();
    if !bench.draws() {
        return Ok(measured);
    }
    let take = |run: Run<'_>| {
        let flow = transfer(&run);
        let restarts = restarts(&cycles(flow, SEGMENT_BYTES));
        let doubles = restarts.iter().filter(|one| one.slow_starts > 1).count();
        let share = 100.0 * doubles as f64 / restarts.len() as f64;
        (throughput(&run), share, flow.drops_s.len() as f64)
    };
    let mut rows = Vec::new();
    for (name, settings) in remedies() {
        let settings = settings.and(&long());
        let all = bench.run(SATELLITE, &settings, &Watch::with_windows(), take)?;
        let of = |value: fn(&(f64, f64, f64)) -> f64| {
            let values = all.iter().map(value).filter(|value| value.is_finite());
            let middle = median(values);
            match middle.is_finite() {
                true => format!("{middle:.0}"),
                false => "–".to_owned(),
            }
        };
        rows.push(vec![
            name.to_owned(),
            of(|one| one.0),
            of(|one| one.1),
            of(|one| one.2),
        ]);
    }
    measured.tables.push(ledger().table("remedies", rows));
    Ok(measured)
}
