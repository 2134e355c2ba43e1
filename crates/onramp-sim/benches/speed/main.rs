//! Measures the speed of the simulator: the wan topology, compared with ns-3 if its program is
//! built, many flows at 10 Gbit/s, and small cells one after the other.
//!
//! `cargo bench -p onramp-sim` prints a table. With `-- wan`, `-- "10 Gbit/s 10000"` or `-- cells`
//! it runs only these, for a profiler.

mod memory;
mod networks;

use networks::{cells, fast, wan, Dumbbell};
use onramp_scenario::Case;
use onramp_sim::{run, Options, Outcome};
use std::process::Command;

#[global_allocator]
static ALLOCATOR: memory::Counting = memory::Counting;

/// User CPU time of this process so far, in seconds.
fn cpu_s() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Count the fields after the name in parentheses. User time is field 14 of all, in ticks of 10
    // ms.
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    after_name
        .split_whitespace()
        .nth(11)
        .and_then(|ticks| ticks.parse::<f64>().ok())
        .unwrap_or(0.0)
        / 100.0
}

struct Timed {
    outcome: Outcome,
    cpu_s: f64,
    peak_bytes: u64,
    allocations: u64,
}

fn timed(network: &Dumbbell) -> Timed {
    let case = network.case();
    memory::take();
    let started_s = cpu_s();
    let outcome = run(&case, &Options::default()).expect("the case can be simulated");
    let cpu_s = (cpu_s() - started_s).max(0.005);
    let (peak_bytes, allocations) = memory::take();
    Timed {
        outcome,
        cpu_s,
        peak_bytes,
        allocations,
    }
}

fn print(name: &str, network: &Dumbbell, timed: &Timed) {
    let counters = &timed.outcome.counters;
    let carried = timed.outcome.links[0].delivered;
    println!(
        "{name:<14} {:>7} {:>6} {:>7.2} {:>8.2} {:>9.2} {:>9.2} {:>8.1} {:>8} {:>10}",
        network.flows,
        network.seconds,
        timed.cpu_s,
        counters.events as f64 / timed.cpu_s / 1e6,
        counters.packets as f64 / timed.cpu_s / 1e6,
        carried.bytes as f64 * 8e-6 / network.seconds as f64,
        timed.outcome.records[0].dropped_packets as f64,
        timed.peak_bytes / network.flows as u64,
        timed.allocations,
    );
}

/// Runs small cells on one thread.
fn print_cells(cases: &[Case]) {
    let started_s = cpu_s();
    for case in cases {
        run(case, &Options::default()).expect("the case can be simulated");
    }
    let cpu_s = (cpu_s() - started_s).max(0.005);
    let (number, per_s) = (cases.len(), cases.len() as f64 / cpu_s);
    println!("{number} small cells take {cpu_s:.2} s of CPU: {per_s:.0} cells/s");
}

/// The CPU time of ns-3 for wan, if `benches/ns3/build.sh` has built its program.
fn ns3_cpu_s() -> Option<f64> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let output = Command::new(format!("{root}/target/ns3/wan"))
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.split("\"cpu_s\":")
        .nth(1)?
        .split([',', '}'])
        .next()?
        .trim()
        .parse()
        .ok()
}

fn main() {
    let only = std::env::args()
        .nth(1)
        .filter(|argument| !argument.starts_with("--"));
    let wanted = |name: &str| only.as_deref().is_none_or(|only| name.contains(only));
    println!(
        "{:<14} {:>7} {:>6} {:>7} {:>8} {:>9} {:>9} {:>8} {:>8} {:>10}",
        "network",
        "flows",
        "sim s",
        "CPU s",
        "Mevent/s",
        "Mpacket/s",
        "Mbit/s",
        "drops",
        "B/flow",
        "allocations"
    );
    if wanted("wan") {
        let network = wan();
        let timed = timed(&network);
        print("wan", &network, &timed);
        if let Some(ns3_s) = only.is_none().then(ns3_cpu_s).flatten() {
            println!(
                "               ns-3 takes {ns3_s:.2} s of CPU: {:.1} times as long",
                ns3_s / timed.cpu_s
            );
        }
    }
    for (flows, seconds) in [(10, 3), (100, 3), (1000, 3), (10_000, 3)] {
        if wanted(&format!("10 Gbit/s {flows}")) {
            let network = fast(flows, seconds);
            print("10 Gbit/s", &network, &timed(&network));
        }
    }
    if wanted("cells") {
        print_cells(&cells());
    }
}
