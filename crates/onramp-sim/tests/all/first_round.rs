//! The first round: the host learns its rate from its connections.

use onramp_sim::observe::Observer;
use onramp_sim::{run_observed, Options};
use onramp_tcp::Connection;
use std::collections::BTreeMap;

/// The pacing rate of each flow in its first decision.
#[derive(Default)]
struct Witness {
    rates: BTreeMap<u32, u64>,
}

impl Observer for Witness {
    fn sender_acted(&mut self, _: u64, flow: u32, sender: &Connection) {
        if let Some(decision) = sender.startup() {
            self.rates
                .entry(flow)
                .or_insert(decision.pacing_bytes_per_s);
        }
    }
}

/// The initial rates of transfers that follow each other on a path.
fn rates(path: &str, transfer: &str) -> Vec<u64> {
    rates_over(&format!("[path]\n{path}"), transfer)
}

/// The same over a path or a network.
fn rates_over(network: &str, transfer: &str) -> Vec<u64> {
    let text = format!(
        "name = \"test\"\n{network}[receiver]\nbuffer = \"64 MiB\"\n\
         [[transfer]]\nsize = \"100 kB\"\nstartup = \"onramp\"\nspacing = \"9 s\"\n{transfer}"
    );
    let case = onramp_scenario::parse("test.toml", &text)
        .unwrap_or_else(|error| panic!("{error:?}"))
        .cases
        .remove(0);
    let (_, witness) = run_observed(&case, &Options::default(), Witness::default())
        .expect("the case can be simulated");
    witness.rates.into_values().collect()
}

#[test]
fn clean_starts_double_the_rate() {
    let rates = rates(
        "rate = \"50 Mbit/s\"\nrtt = \"100 ms\"\nqueue = \"1 bdp\"\n",
        "count = 6\n",
    );
    assert_eq!(rates[..3], [600_000, 1_200_000, 2_400_000]);
    assert_eq!(rates[3..], [4_800_000; 3]);
}

#[test]
fn a_slow_line_lowers_it() {
    let rates = rates(
        "rate = \"1 Mbit/s\"\nrtt = \"100 ms\"\nqueue = \"20 packets\"\n",
        "count = 4\n",
    );
    assert_eq!(rates, [600_000, 300_000, 150_000, 159_375]);
}

/// Transfers go to `slow` and `fast` in turn. What each tells counts for its own destination, and
/// the first to each for the host.
#[test]
fn each_destination_has_its_own_rate() {
    let link = |to: &str, rate: &str| {
        format!(
            "[[node]]\nname = \"{to}\"\n[[link]]\nfrom = \"server\"\nto = \"{to}\"\n\
             rate = \"{rate}\"\ndelay = \"50 ms\"\nqueue = \"20 packets\"\n"
        )
    };
    let rates = rates_over(
        &format!(
            "[[node]]\nname = \"server\"\n{}{}",
            link("slow", "1 Mbit/s"),
            link("fast", "50 Mbit/s")
        ),
        "from = \"server\"\nto = [\"slow\", \"fast\"]\ncount = 8\n",
    );
    let of = |first: usize| rates.iter().skip(first).step_by(2).copied();
    assert!(of(0).eq([600_000, 300_000, 150_000, 159_375]));
    assert!(of(1).eq([300_000, 600_000, 1_200_000, 2_400_000]));
}

#[test]
fn a_rate_of_the_user_stays() {
    let rates = rates(
        "rate = \"50 Mbit/s\"\nrtt = \"100 ms\"\nqueue = \"1 bdp\"\n",
        "count = 3\ninitial_rate = \"10 Mbit/s\"\n",
    );
    assert_eq!(rates, [1_195_508; 3]);
}
