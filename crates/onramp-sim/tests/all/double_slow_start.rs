//! The double slow start of Chaher et al. (1998), shown by `scenarios/double-slow-start.toml`.

use onramp_results::Trace;
use onramp_sim::{run, Options};
use std::path::Path;

const MSS: u64 = 1448;
/// Ends of the outages.
const OUTAGES_S: [f64; 2] = [32.0, 72.0];

/// The windows of a transfer around an outage.
#[derive(Debug)]
struct Restart {
    /// Windows in segments: cwnd before the outage, ssthresh of the slow start after it, and
    /// ssthresh at which congestion avoidance continued.
    window: u64,
    threshold: u64,
    avoidance: u64,
    /// Segments dropped at the full buffer.
    drops: usize,
}

fn restarts(trace: &Trace) -> Vec<Restart> {
    let after = |outage_s: f64| {
        let samples = || trace.sender.iter();
        let threshold = |time_s: f64| {
            samples()
                .rfind(|s| s.time_s <= time_s)
                .and_then(|s| s.ssthresh_bytes)
                .expect("a loss has set one")
                / MSS
        };
        let window = samples()
            .rfind(|s| s.time_s <= outage_s - 2.0)
            .expect("it runs")
            .cwnd_bytes
            / MSS;
        let is_soon = |time_s: f64| (outage_s..outage_s + 8.0).contains(&time_s);
        let drops = trace
            .segments
            .iter()
            .filter(|s| s.dropped && is_soon(s.time_s))
            .count();
        Restart {
            window,
            threshold: threshold(outage_s + 1.0),
            avoidance: threshold(outage_s + 8.0),
            drops,
        }
    };
    OUTAGES_S.map(after).into()
}

#[test]
fn reno_has_two_slow_starts_after_an_outage_and_gamma_and_spaced_one() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenarios/double-slow-start.toml");
    let scenario = onramp_scenario::read(&file).expect("it is shipped");
    let runs = scenario.cases.iter().map(|case| {
        let outcome = run(
            case,
            &Options {
                trace: true,
                ..Options::default()
            },
        )
        .expect("the simulator runs it");
        let record = &outcome.records[0];
        (
            record.startup.clone(),
            record.completion_s.expect("it is finished"),
            restarts(&outcome.traces[0]),
        )
    });
    let runs: Vec<_> = runs.collect();
    let of = |startup: &str| runs.iter().find(|run| run.0 == startup).expect("a case");
    let (reno, gamma, spaced) = (of("none"), of("gamma"), of("spaced"));

    // ssthresh is half of the window, the buffer overflows before it is reached, and congestion
    // avoidance starts at a quarter.
    for restart in &reno.2 {
        assert_eq!(
            (restart.threshold, restart.avoidance),
            (restart.window / 2, restart.window / 4),
            "{restart:?}"
        );
        assert!(restart.drops > 0, "{restart:?}");
    }
    // gamma learns from the first outage. Its slow start after the second outage does not overflow
    // the buffer.
    let [first, second] = &gamma.2[..] else {
        unreachable!("two outages")
    };
    assert_eq!(first.avoidance, first.window / 4, "{first:?}");
    assert_eq!(
        (second.drops, second.avoidance),
        (0, second.threshold),
        "{second:?}"
    );
    assert!(
        second.threshold >= second.window / 3 && second.threshold < second.window / 2,
        "{second:?}"
    );
    // With spaced, no slow start overflows the buffer, with half of the window as ssthresh.
    for restart in &spaced.2 {
        assert_eq!(
            (restart.drops, restart.avoidance),
            (0, restart.threshold),
            "{restart:?}"
        );
        // ACKs in flight at the start of the outage may raise the window by a segment.
        assert!(restart.threshold - restart.window / 2 <= 1, "{restart:?}");
    }
    assert!(
        spaced.1 < gamma.1 && gamma.1 < reno.1,
        "{} {} {}",
        spaced.1,
        gamma.1,
        reno.1
    );
}
