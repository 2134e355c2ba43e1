//! Return paths that thin ACKs.

use onramp_scenario::Case;
use onramp_sim::{run, Options, Outcome};

fn case(reverse: &str, transfer: &str) -> Case {
    let text = format!(
        "name = \"test\"\n[path]\nrate = \"50 Mbit/s\"\nrtt = \"60 ms\"\nloss = \"0 %\"\n\
         [path.reverse]\nrate = \"500 kbit/s\"\nqueue = \"64 KiB\"\n{reverse}[receiver]\n\
         buffer = \"16 MiB\"\n\
         [[transfer]]\nsize = \"3 MB\"\n{transfer}"
    );
    onramp_scenario::parse("test.toml", &text)
        .expect("the scenario is right")
        .cases
        .remove(0)
}

fn simulate(case: &Case) -> Outcome {
    run(case, &Options::default()).expect("the case can be simulated")
}

#[test]
fn thinned_acks_arrive_in_time_and_do_not_count_as_drops() {
    let [plain, thinned] = ["", "ack_filter = true\n"].map(|reverse| simulate(&case(reverse, "")));
    let completion_s = |outcome: &Outcome| outcome.records[0].completion_s.unwrap();
    // Half as many ACKs as the 2072 segments, of 52 bytes each, take 0.86 s at 500 kbit/s.
    assert!(completion_s(&plain) > 1.0 && completion_s(&thinned) < 0.65 * completion_s(&plain));
    assert_eq!(
        (
            plain.links[1].thinned.packets,
            plain.links[0].thinned.packets
        ),
        (0, 0)
    );
    assert!(
        thinned.links[1].thinned.packets > 300,
        "{:?}",
        thinned.links[1]
    );
    assert_eq!(
        (
            thinned.records[0].dropped_packets,
            thinned.links[1].evicted.packets
        ),
        (0, 0)
    );
    assert_eq!(
        (
            thinned.counters.active_flows,
            thinned.records[0].path.as_str()
        ),
        (1, "back: 500 kbit/s, queue 64 KiB, ACK filter")
    );
}

/// Duplicate ACKs and SACK blocks signal losses. If the filter dropped them, only timeouts would
/// repair the losses.
#[test]
fn losses_are_repaired_without_timeouts() {
    let recoveries = ["reno", "newreno", "sack", "prr", "rack"];
    for recovery in recoveries {
        let transfer = format!("recovery = \"{recovery}\"\nstartup = \"none\"\n");
        let mut case = case("ack_filter = true\n", &transfer);
        let mut network = (*case.network).clone();
        // Five of 2072 segments are lost, far from each other.
        network.links[0].forward.loss_every = std::num::NonZeroU32::new(400);
        case.network = network.into();
        let outcome = simulate(&case);
        let record = &outcome.records[0];
        assert!(
            record.finished && record.lost_packets >= 5,
            "{recovery}: {record:?}"
        );
        assert_eq!(record.timeouts, Some(0), "{recovery}");
        assert!(
            outcome.links[1].thinned.packets > 50,
            "{recovery}: {:?}",
            outcome.links[1]
        );
    }
}
