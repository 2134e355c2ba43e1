//! The `pipe` congestion avoidance (Aron & Druschel 1998, appendix B) beside Reno: how much rate it
//! takes from a Reno flow.

use onramp_scenario::Case;
use onramp_sim::{run, Options};

fn case(text: &str) -> Case {
    let text = format!("name = \"test\"\n{text}");
    onramp_scenario::parse("test.toml", &text)
        .expect("the scenario is right")
        .cases
        .remove(0)
}

/// Goodput in Mbit/s of the new flow and of the Reno flow, which started 20 s before, over the 100
/// s that they share.
fn shares(avoidance: &str, queue: &str) -> (f64, f64) {
    let path = format!(
        "[path]\nrate = \"20 Mbit/s\"\nrtt = \"60 ms\"\nqueue = \"{queue}\"\n[path.reverse]\n\
            jitter = \"100 us\"\n"
    );
    let hosts = "[run]\nduration = \"120 s\"\n[receiver]\nbuffer = \"4 MiB\"\n";
    let competing =
        "[[traffic]]\navoidance = \"reno\"\nstart = \"0 s\"\nmeasured = true\nsize = \"1 GB\"\n";
    let transfer = format!(
        "[[transfer]]\nsize = \"1 GB\"\nstartup = \"none\"\navoidance = \"{avoidance}\"\n\
            start = \"20 s\"\n"
    );
    let text = format!("{path}{hosts}{competing}{transfer}");
    let both = run(&case(&text), &Options::default()).unwrap().records;
    let alone = run(&case(&text.replace("120 s", "20 s")), &Options::default())
        .unwrap()
        .records;
    let mbit_per_s = |bytes: u64| bytes as f64 * 8.0 / 100e6;
    let find = |records: &[onramp_results::Record], role: &str| {
        records
            .iter()
            .find(|r| r.role == role)
            .map_or(0, |r| r.delivered_bytes)
    };
    (
        mbit_per_s(find(&both, "transfer")),
        mbit_per_s(find(&both, "traffic") - find(&alone, "traffic")),
    )
}

/// The Reno flow's goodput beside a new flow with `pipe`, relative to its goodput beside a new flow
/// with `reno`.
fn relative_goodput(queue: &str) -> f64 {
    shares("pipe", queue).1 / shares("reno", queue).1
}

/// The table is in `docs/simulator.md`. In a short queue, `pipe` detects congestion two steps late:
/// it takes the room that a loss leaves before Reno has grown into it.
#[test]
fn in_a_short_queue_a_reno_flow_loses_a_third() {
    let goodput = relative_goodput("0.2 bdp");
    assert!((0.55..0.8).contains(&goodput), "{goodput}");
}

/// The queue of the Reno flow signals that the pipe is full.
#[test]
fn in_a_long_queue_a_reno_flow_loses_nothing() {
    let goodput = relative_goodput("2 bdp");
    assert!((0.95..1.05).contains(&goodput), "{goodput}");
}
