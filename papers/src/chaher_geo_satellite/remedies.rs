//! What the paper names beside its proposals and does not measure: ACK spacing and forward error
//! correction (section 1), and RED buffers with ECN (section 6).

use super::cycles::{cycles, restarts};
use super::setup::{ledger, long, spacing, throughput, transfer, SATELLITE, SEGMENT_BYTES};
use crate::{Bench, Error, Measured, Run, Settings, Watch};
use onramp_report::statistics::median;

/// ACKs of 40 bytes, 240 in a second: half of R_max, so that the two segments that each releases
/// leave at R_max = 480.
const ACKS: &str = "rate = '76800 bit/s'\nqueue = '1000 packets'";

/// A link that corrupts packets. Forward error correction by a parity packet for each nine takes a
/// tenth of the rate. It leaves a packet lost where another of the ten is lost too:
/// 0.01 (1 - 0.99^9).
const CORRUPTED: [(&str, &str); 1] = [("link[0].loss", "1 %")];
const CORRECTED: [(&str, &str); 2] = [
    ("link[0].loss", "0.0865 %"),
    ("link[0].rate", "1.35 Mbit/s"),
];

fn remedies() -> [(&'static str, Settings); 8] {
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
        ("Tahoe, 1 % of packets corrupted", Settings::of(CORRUPTED)),
        ("the same with FEC", Settings::of(CORRECTED)),
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
