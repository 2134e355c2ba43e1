//! Appendix B of Aron & Druschel (1998) beside Reno: what an increase by a fraction of the pipe
//! takes, and from whom.

use onramp_scenario::Case;
use onramp_sim::{run, Options};

fn case(text: &str) -> Case {
    let text = format!("name = \"test\"\n{text}");
    onramp_scenario::parse("test.toml", &text)
        .expect("the scenario is right")
        .cases
        .remove(0)
}

/// Goodput of the newcomer and of the Reno flow that was there 20 s before, over the 100 s that
/// they share, in Mbit/s.
fn shares(avoidance: &str, queue: &str) -> (f64, f64) {
    let path = format!(
        "[path]\nrate = \"20 Mbit/s\"\nrtt = \"60 ms\"\nqueue = \"{queue}\"\n[path.reverse]\njitter = \"100 us\"\n"
    );
    let hosts = "[run]\nduration = \"120 s\"\n[receiver]\nbuffer = \"4 MiB\"\n";
    let rival =
        "[[traffic]]\navoidance = \"reno\"\nstart = \"0 s\"\nmeasured = true\nsize = \"1 GB\"\n";
    let transfer =
        format!("[[transfer]]\nsize = \"1 GB\"\nstartup = \"none\"\navoidance = \"{avoidance}\"\nstart = \"20 s\"\n");
    let text = format!("{path}{hosts}{rival}{transfer}");
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

/// What the Reno flow keeps beside a newcomer with `pipe`, of what it keeps beside one with `reno`.
fn kept(queue: &str) -> f64 {
    shares("pipe", queue).1 / shares("reno", queue).1
}

/// `docs/simulator.md` has the table. In a short queue two steps are seen late: the room that a
/// loss leaves is taken before Reno has grown into it.
#[test]
fn in_a_short_queue_a_reno_flow_loses_a_third() {
    let kept = kept("0.2 bdp");
    assert!((0.55..0.8).contains(&kept), "{kept}");
}

/// Reno's own queue says that the path is full.
#[test]
fn in_a_long_queue_a_reno_flow_loses_nothing() {
    let kept = kept("2 bdp");
    assert!((0.95..1.05).contains(&kept), "{kept}");
}
