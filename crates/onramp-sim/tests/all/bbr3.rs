//! BBR version 3 beside version 1 and CUBIC, over whole paths.

use onramp_results::Record;
use onramp_sim::{run, Options};

/// The record of a transfer of 20 MB over 20 Mbit/s and 40 ms, with more lines for `[path]` and
/// more tables.
fn transfer(avoidance: &str, path: &str, more: &str) -> Record {
    let text = format!(
        "name = \"test\"\n[path]\nrate = \"20 Mbit/s\"\nrtt = \"40 ms\"\n{path}\n\
         [receiver]\nbuffer = \"64 MiB\"\n{more}\n\
         [[transfer]]\nsize = \"20 MB\"\nstartup = \"none\"\navoidance = \"{avoidance}\"\n"
    );
    let scenario = onramp_scenario::parse("test.toml", &text).expect("the scenario is right");
    let outcome = run(&scenario.cases[0], &Options::default()).expect("it can be simulated");
    outcome.records[0].clone()
}

/// 20 MB at the link's rate, without headers: 8.3 s.
fn seconds(record: &Record) -> f64 {
    record.completion_s.expect("it is finished")
}

#[test]
fn a_queue_of_a_bdp_is_used_at_the_rate_of_the_link_without_losses() {
    let record = transfer("bbr3", "queue = \"2 bdp\"", "");
    assert!(seconds(&record) < 9.2, "{} s", seconds(&record));
    assert_eq!(record.retransmitted_segments, 0);
}

/// Draft, section "Design Considerations": losses of a probe set a bound, which version 1 has not.
#[test]
fn a_short_queue_loses_less_than_with_version_1() {
    let queue = "queue = \"0.2 bdp\"";
    let (old, new) = (transfer("bbr", queue, ""), transfer("bbr3", queue, ""));
    let resent = (old.retransmitted_segments, new.retransmitted_segments);
    println!(
        "short queue: {} {} s, {resent:?}",
        seconds(&old),
        seconds(&new)
    );
    assert!(resent.1 < resent.0, "{resent:?}");
    assert!(seconds(&new) < 10.0, "{} s", seconds(&new));
}

/// Draft: "tolerating 1% loss per round trip".
#[test]
fn one_percent_of_random_losses_costs_little() {
    let path = "queue = \"2 bdp\"\nloss = \"1 %\"";
    let (cubic, new) = (transfer("cubic", path, ""), transfer("bbr3", path, ""));
    println!("1 %: cubic {} bbr3 {} s", seconds(&cubic), seconds(&new));
    assert!(seconds(&new) < 10.5, "{} s", seconds(&new));
    assert!(
        seconds(&new) < 0.7 * seconds(&cubic),
        "{} s",
        seconds(&cubic)
    );
}

#[test]
fn a_flow_of_cubic_keeps_a_share_beside_it() {
    let more = "[[traffic]]\ncount = 1\nstart = \"0 s\"\navoidance = \"cubic\"\n";
    let alone = transfer("bbr3", "queue = \"1 bdp\"", "");
    let beside = transfer("bbr3", "queue = \"1 bdp\"", more);
    println!("beside cubic: {} {} s", seconds(&alone), seconds(&beside));
    assert!(seconds(&beside) > 1.2 * seconds(&alone));
    assert!(seconds(&beside) < 6.0 * seconds(&alone));
}
