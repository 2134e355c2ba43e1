//! The share of segments that start-ups retransmit on some paths of this kernel: CUBIC's own
//! start-up and `onramp`, each with transfers of 1 MB. docs/kernel.md has the table.
//!
//!     make bench-shares
//!     cargo bench -p onramp --bench shares -- [TRANSFERS]

#[path = "../tests/governed.rs"]
#[allow(dead_code)] // The tests use more of it.
mod governed;

use governed::{Governed, ORDINARY, POLICER};
use std::process::ExitCode;

/// Transfers of each start-up over each path.
const TRANSFERS: u32 = 5;

const FAST: &str = "rate = \"100 Mbit/s\"\nrtt = \"20 ms\"\nqueue = \"0.5 bdp\"";
const SMALL_QUEUE: &str = "rate = \"50 Mbit/s\"\nrtt = \"100 ms\"\nqueue = \"0.25 bdp\"";
const TINY_QUEUE: &str = "rate = \"10 Mbit/s\"\nrtt = \"60 ms\"\nqueue = \"10 packets\"";

fn main() -> ExitCode {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let Ok(transfers) = words.next_back().map_or(Ok(TRANSFERS), |word| word.parse()) else {
        eprintln!("shares: the only argument is the number of transfers");
        return ExitCode::from(2);
    };
    if let Err(error) = onramp_kernel::probe::check_permission() {
        eprintln!("shares: {error}");
        return ExitCode::from(3);
    }
    let lossy = format!("{ORDINARY}\nloss = \"1 %\"");
    let paths = [
        ("20 Mbit/s, 40 ms, queue 1 BDP", ORDINARY),
        ("100 Mbit/s, 20 ms, queue 0.5 BDP", FAST),
        ("50 Mbit/s, 100 ms, queue 0.25 BDP", SMALL_QUEUE),
        ("10 Mbit/s, 60 ms, queue 10 packets", TINY_QUEUE),
        ("20 Mbit/s, 40 ms, 1 % random loss", &lossy),
        ("policer of 10 Mbit/s, 100 Mbit/s, 60 ms", POLICER),
    ];
    for (what, path) in paths {
        for startup in ["standard", "onramp"] {
            let mut startups = Governed::new(startup);
            for _ in 0..transfers {
                startups.run(path, "");
            }
            let (totals, governor) = (startups.totals(), startups.governor());
            println!(
                "{what:<40} {startup:<9} {:5.1} % of {} start-ups; {} of {} segments",
                governor.host.average.unwrap_or(0.0) * 100.0,
                governor.host.startups,
                totals.startup_retransmitted_segments,
                totals.startup_sent_segments,
            );
        }
    }
    ExitCode::SUCCESS
}
