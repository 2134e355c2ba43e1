//! Ensembles: connections of one node to another count each other while they are starting up.

use crate::network;

use network::fork;
use onramp_scenario::Case;
use onramp_sim::observe::Observer;
use onramp_sim::{run_observed, Options};
use onramp_tcp::Connection;
use std::collections::BTreeMap;

const PATH: &str = "[path]\nrate = \"50 Mbit/s\"\nrtt = \"100 ms\"\nqueue = \"1 bdp\"\n";

/// What each sender knew: time, flow, siblings.
#[derive(Default)]
struct Witness {
    seen: Vec<(u64, u32, u64)>,
}

impl Observer for Witness {
    fn sender_acted(&mut self, time_ns: u64, flow: u32, sender: &Connection) {
        self.seen.push((time_ns, flow, sender.siblings()));
    }
}

impl Witness {
    /// The most siblings of each flow.
    fn most(&self) -> Vec<u64> {
        let mut most = BTreeMap::new();
        for &(_, flow, siblings) in &self.seen {
            let most = most.entry(flow).or_insert(0);
            *most = siblings.max(*most);
        }
        most.into_values().collect()
    }

    /// The siblings of each flow at its last ACK as an input of the algorithm.
    fn last(&self) -> Vec<u64> {
        let last: BTreeMap<u32, u64> = self.seen.iter().map(|seen| (seen.1, seen.2)).collect();
        last.into_values().collect()
    }
}

fn case(network: &str, transfer: &str) -> Case {
    let text = format!(
        "name = \"test\"\n{network}[receiver]\nbuffer = \"64 MiB\"\n\
         [[transfer]]\nstartup = \"onramp\"\n{transfer}"
    );
    onramp_scenario::parse("test.toml", &text)
        .unwrap_or_else(|error| panic!("{error:?}"))
        .cases
        .remove(0)
}

fn simulate(network: &str, transfer: &str) -> Witness {
    let case = case(network, transfer);
    let (_, witness) = run_observed(&case, &Options::default(), Witness::default())
        .expect("the case can be simulated");
    witness
}

#[test]
fn ten_transfers_that_start_together_see_nine_others() {
    assert_eq!(
        simulate(PATH, "size = \"1 MB\"\ncount = 10\n").most(),
        [9; 10]
    );
}

#[test]
fn a_transfer_that_is_alone_sees_no_other() {
    assert_eq!(simulate(PATH, "size = \"1 MB\"\n").most(), [0]);
    // Each of them has ended when the next one starts.
    let spaced = "size = \"1 MB\"\ncount = 3\nspacing = \"9 s\"\n";
    assert_eq!(simulate(PATH, spaced).most(), [0; 3]);
}

#[test]
fn transfers_that_start_later_are_seen_when_they_have_started() {
    let witness = simulate(PATH, "size = \"5 MB\"\ncount = 3\nspacing = \"150 ms\"\n");
    let first: Vec<u64> = witness
        .seen
        .iter()
        .filter(|seen| seen.1 == 0)
        .map(|s| s.2)
        .collect();
    // The first round trip after the handshake is over before the second transfer starts.
    assert_eq!(first[0], 0, "{first:?}");
    assert!(first.contains(&1), "{first:?}");
    assert!(witness.most()[2] >= 1, "{:?}", witness.most());
}

#[test]
fn a_start_up_that_has_ended_is_no_longer_counted() {
    let witness = simulate(PATH, "size = \"20 MB\"\ncount = 6\n");
    assert_eq!(witness.most(), [5; 6]);
    assert!(
        witness.last().contains(&0),
        "the last one: {:?}",
        witness.last()
    );
}

#[test]
fn the_connections_of_one_transfer_see_each_other() {
    let witness = simulate(PATH, "size = \"8 MB\"\nconnections = 4\n");
    assert_eq!(witness.most(), [3; 4]);
}

#[test]
fn traffic_between_the_same_nodes_is_counted_if_its_start_up_shares() {
    let traffic = |startup| {
        format!(
            "[[traffic]]\nstartup = \"{startup}\"\nsize = \"2 MB\"\ncount = 2\nstart = \"0 s\"\n"
        )
    };
    let transfer = "size = \"2 MB\"\n";
    for (startup, expected) in [("onramp", 2), ("none", 0), ("paced", 0)] {
        let witness = simulate(&format!("{PATH}{}", traffic(startup)), transfer);
        let most = witness.most();
        assert_eq!(most.iter().max(), Some(&expected), "{startup}: {most:?}");
    }
}

#[test]
fn each_pair_of_nodes_has_its_own_count() {
    let transfer = "size = \"1 MB\"\nfrom = \"a\"\nto = [\"b\", \"c\"]\ncount = 6\n";
    assert_eq!(simulate(&fork(), transfer).most(), [2; 6]);
}

#[test]
fn a_run_is_deterministic_and_does_not_count_those_of_other_runs() {
    let transfer = "size = \"1 MB\"\ncount = 7\nspacing = \"3 ms\"\n";
    let alone = simulate(PATH, transfer).seen;
    let case = case(PATH, transfer);
    // The runs of the same case share its configuration, and run at the same time.
    std::thread::scope(|scope| {
        let runs = [(); 3].map(|()| {
            scope.spawn(|| {
                run_observed(&case, &Options::default(), Witness::default())
                    .expect("the case can be simulated")
                    .1
                    .seen
            })
        });
        for run in runs {
            assert_eq!(run.join().unwrap(), alone);
        }
    });
}
