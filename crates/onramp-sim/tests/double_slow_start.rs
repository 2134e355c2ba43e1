//! The double slow start of Chaher et al. (1998), which `scenarios/double-slow-start.toml` shows.

use onramp_results::Trace;
use onramp_sim::{run, Options};
use std::path::Path;

const MSS: u64 = 1448;
/// When the outages end.
const OUTAGES_S: [f64; 2] = [32.0, 72.0];

/// What became of a transfer after an outage.
#[derive(Debug)]
struct Restart {
    /// In segments: before the outage, the threshold of the slow start after it, and the one with
    /// which congestion avoidance went on.
    window: u64,
    threshold: u64,
    avoidance: u64,
    /// Segments that the buffer had no room for.
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
fn two_slow_starts_in_a_row_for_reno_and_one_for_gamma_and_spaced() {
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

    // A threshold of a half, a buffer that overflows before it, and congestion avoidance that
    // begins at a quarter.
    for restart in &reno.2 {
        assert_eq!(
            (restart.threshold, restart.avoidance),
            (restart.window / 2, restart.window / 4),
            "{restart:?}"
        );
        assert!(restart.drops > 0, "{restart:?}");
    }
    // The first of these teaches gamma; the second slow start overflows nothing.
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
        second.threshold > second.window / 3 && second.threshold < second.window / 2,
        "{second:?}"
    );
    // Spaced, none overflows it, with half of the window as threshold.
    for restart in &spaced.2 {
        assert_eq!(
            (restart.drops, restart.avoidance),
            (0, restart.threshold),
            "{restart:?}"
        );
        // Acknowledgements that are on their way when the outage begins may raise the window by a
        // segment.
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
