//! Hosts that take time to process packets.

use onramp_sim::{run, Options};

/// The payload that each of two flows has carried in 20 s, in each of four repeats.
fn shares(hosts: &str) -> Vec<[u64; 2]> {
    let text = format!(
        "name = \"x\"\n[path]\nrate = \"20 Mbit/s\"\nrtt = \"40 ms\"\nqueue = \"1 bdp\"\n\
         [receiver]\nbuffer = \"4 MiB\"\n[run]\nduration = \"20 s\"\n{hosts}\n\
         [[transfer]]\nsize = \"1 GB\"\ncount = 2\nspacing = \"100 ms\"\nrepeat = 4\n"
    );
    let scenario = onramp_scenario::parse("x.toml", &text).expect("the scenario is right");
    let delivered = |case| {
        let outcome = run(case, &Options::default()).expect("the simulator supports it");
        [0, 1].map(|flow: usize| outcome.records[flow].delivered_bytes)
    };
    scenario.cases.iter().map(delivered).collect()
}

#[test]
fn repeats_with_noisy_hosts_differ_and_those_with_exact_hosts_do_not() {
    let mut exact = shares("hosts = \"exact\"");
    exact.dedup();
    assert_eq!(exact.len(), 1, "{exact:?}");
    let mut noisy = shares("");
    assert_eq!(
        noisy,
        shares("hosts = \"noisy\""),
        "repeats without chance have noisy hosts"
    );
    noisy.sort_unstable();
    noisy.dedup();
    assert_eq!(noisy.len(), 4, "{noisy:?}");
    // The kernel gives the first flow more (docs/simulator.md). Exact hosts give it less.
    let first_is_ahead = |share: &&[u64; 2]| share[0] > share[1];
    assert!(
        noisy.iter().filter(first_is_ahead).count() >= 3,
        "{noisy:?}"
    );
    assert!(
        exact.iter().all(|share| !first_is_ahead(&share)),
        "{exact:?}"
    );
}
