//! Explicit congestion notification (RFC 3168) between real sockets: the link marks packets of the
//! kernel, and the kernel responds as the simulator does.

use crate::common;

use common::lab_runs_here;
use onramp_lab::{run, supports, BuiltIn, RunOptions};
use onramp_results::Record;
use onramp_scenario::Case;
use onramp_testing::undisturbed;

/// A transfer of CUBIC over a path with this queue.
fn case(queue: &str, tables: &str) -> Case {
    let text = format!(
        "name = \"test\"\n[path]\nrate = \"20 Mbit/s\"\nrtt = \"40 ms\"\n\
         queue = \"400 packets\"\n{queue}\n[receiver]\nbuffer = \"16 MiB\"\n\
         [[transfer]]\nsize = \"6 MB\"\nstartup = \"none\"\navoidance = \"cubic\"\n{tables}"
    );
    onramp_scenario::parse("test", &text)
        .expect("the test's scenario is right")
        .cases
        .remove(0)
}

fn record(case: &Case) -> Record {
    run(case, &mut BuiltIn, &RunOptions::default())
        .unwrap_or_else(|error| panic!("{error}"))
        .record
}

#[test]
fn marks_take_the_place_of_losses() {
    if !lab_runs_here() {
        return;
    }
    for discipline in ["red", "codel", "fq-codel"] {
        let queue = format!("discipline = \"{discipline}\"\necn = true");
        let case = case(&queue, "ecn = true\n");
        let is_marked = |record: &Record| {
            record.marked_packets > 0
                && (record.dropped_packets, record.retransmitted_segments) == (0, 0)
        };
        let marked = undisturbed(|| record(&case), is_marked);
        assert!(is_marked(&marked), "{marked:?}");
        assert_eq!(marked.sender_tcp, "ECN");
    }
}

#[test]
fn a_connection_without_ecn_is_not_marked() {
    if !lab_runs_here() {
        return;
    }
    let dropped = record(&case("discipline = \"codel\"\necn = true", ""));
    assert!(
        dropped.marked_packets == 0 && dropped.dropped_packets > 0,
        "{dropped:?}"
    );
}

/// `net.ipv4.tcp_ecn` is a setting of a host.
#[test]
fn one_setting_holds_for_all_connections() {
    let refused = |tables: &str| supports(&case("", tables)).map_err(|refused| refused.key);
    assert_eq!(refused("ecn = true\n[[traffic]]\necn = true\n"), Ok(()));
    assert_eq!(refused("ecn = true\n[[traffic]]\n"), Err("traffic.ecn"));
    assert_eq!(refused("[[traffic]]\necn = true\n"), Err("traffic.ecn"));
}
