//! What each start-up costs: the instructions that the verifier processed, and the time of its
//! programs for an ACK of transfers over an emulated path. docs/benchmarks.md has the table.
//!
//!     make bench-costs
//!     cargo bench -p onramp --bench costs -- [TRANSFERS]

#[path = "../tests/governed.rs"]
#[allow(dead_code)] // The tests use more of it.
mod governed;

use governed::Governed;
use onramp_kernel::{count_calls, ProgramCost};
use std::collections::BTreeMap;
use std::io;
use std::process::ExitCode;

/// Transfers of each start-up, after one that fills the caches.
const TRANSFERS: u32 = 10;

/// A long path: a start-up has most of the transfer's ACKs for itself.
const PATH: &str = "rate = \"50 Mbit/s\"\nrtt = \"100 ms\"\nqueue = \"1 bdp\"";

/// The program that the kernel calls for each ACK of new data, and for nothing else.
const ACK_PROGRAM: &str = "acked";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let Ok(transfers) = words.next_back().map_or(Ok(TRANSFERS), |word| word.parse()) else {
        eprintln!("costs: the only argument is the number of transfers");
        return ExitCode::from(2);
    };
    if let Err(error) = onramp_kernel::probe::check_permission() {
        eprintln!("costs: {error}");
        return ExitCode::from(3);
    }
    println!("| start-up | instructions: all programs | the largest | ACKs | calls | ns |");
    println!("|---|---|---|---|---|---|");
    for startup in onramp_bpf::STARTUPS
        .iter()
        .filter(|startup| !startup.with_pairs)
    {
        match measure(startup.name, transfers) {
            Ok(programs) => print(startup.name, transfers, &programs),
            Err(error) => {
                eprintln!("costs: {}: {error}", startup.name);
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}

/// The calls of a start-up's programs during transfers of 1 MB.
fn measure(startup: &str, transfers: u32) -> io::Result<BTreeMap<String, ProgramCost>> {
    let mut startups = Governed::new(startup);
    startups.run(PATH, "");
    let (programs, ()) = count_calls(|| {
        for _ in 0..transfers {
            startups.run(PATH, "");
        }
    })?;
    Ok(programs)
}

/// A row of the table: ACKs of a transfer with the start-up's programs, their calls and their time
/// for such an ACK.
fn print(startup: &str, transfers: u32, programs: &BTreeMap<String, ProgramCost>) {
    let instructions = |cost: &ProgramCost| cost.verified_instructions;
    let acks = programs
        .get(ACK_PROGRAM)
        .map_or(0, |cost| cost.calls)
        .max(1) as f64;
    let calls: u64 = programs.values().map(|cost| cost.calls).sum();
    let ns: u64 = programs.values().map(|cost| cost.ns).sum();
    println!(
        "| {startup} | {} | {} | {:.0} | {} |",
        programs.values().map(instructions).sum::<u64>(),
        programs.values().map(instructions).max().unwrap_or(0),
        acks / f64::from(transfers),
        if acks < f64::from(10 * transfers) {
            "over at once | –".to_owned()
        } else {
            format!("{:.1} | {:.0}", calls as f64 / acks, ns as f64 / acks)
        },
    );
}
