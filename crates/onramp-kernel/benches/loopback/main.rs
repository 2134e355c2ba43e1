//! The cost of Onramp in the kernel: bulk transfers and small exchanges over loopback side by side
//! with the kernel's own CUBIC, and the time of each BPF program. docs/benchmarks.md describes the
//! method and has the figures.
//!
//!     make bench
//!     cargo bench -p onramp-kernel --bench loopback -- \
//!         [--rounds N] [--seconds S] [--startup NAME]... [--with NAME]... [--busy] [--json]

mod exchanges;
mod figures;
mod namespace;
mod programs;
mod rounds;
mod transfer;

use exchanges::Exchanges;
use figures::{CpuTime, Report, SmallExchanges, Throughput};
use namespace::{DEFAULT, LOOPBACKS};
use nix::sched::{sched_getaffinity, CpuSet};
use nix::unistd::Pid;
use onramp_kernel::{Options, Registration};
use rounds::Rounds;
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;
use transfer::bulk;

/// The start-ups that are measured if none is named, each followed by CUBIC.
const STARTUPS: [&str; 3] = ["standard", "paced", "onramp"];

/// The share of a transfer's time that its threads may wait for a CPU. If they wait longer, other
/// processes disturbed the round, and it is not used.
const MAX_WAITING_SHARE: f64 = 0.05;
/// The same for small exchanges, whose two ends share a CPU.
const MAX_DISTURBED_SHARE: f64 = 0.05;
/// Exchanges in a turn, some 0.1 s, and before it.
const EXCHANGES: usize = 5000;
const WARM_UP_EXCHANGES: usize = 500;

type Result<T, E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

struct Arguments {
    rounds: usize,
    round: Duration,
    /// The start-ups to measure.
    startups: Vec<String>,
    /// Further congestion controls of this kernel to compare, for example one that another build
    /// has registered.
    with: Vec<String>,
    /// Use disturbed rounds too.
    busy: bool,
    json: bool,
}

impl Arguments {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let mut arguments = Arguments {
            rounds: 40,
            round: Duration::from_millis(200),
            startups: Vec::new(),
            with: Vec::new(),
            busy: false,
            json: false,
        };
        while let Some(word) = words.next() {
            let mut value = |what: &str| words.next().ok_or(format!("{word} needs {what}"));
            match word.as_str() {
                "--rounds" => {
                    let text = value("a number")?;
                    arguments.rounds = text
                        .parse()
                        .ok()
                        .filter(|rounds| (1..=1000).contains(rounds))
                        .ok_or(format!("--rounds is a number from 1 to 1000, not `{text}`"))?;
                }
                "--seconds" => {
                    let text = value("the length of a transfer")?;
                    arguments.round = text
                        .parse()
                        .ok()
                        .filter(|seconds| (0.05..=60.0).contains(seconds))
                        .map(Duration::from_secs_f64)
                        .ok_or(format!(
                            "--seconds is a number from 0.05 to 60, not `{text}`"
                        ))?;
                }
                "--startup" => {
                    let name = value("a start-up's name")?;
                    let known = onramp_core::startup_names();
                    if !known.contains(&name.as_str()) {
                        let known = known.join(", ");
                        return Err(format!("--startup is one of {known}, not `{name}`"));
                    }
                    arguments.startups.push(name);
                }
                "--with" => arguments.with.push(value("a congestion control's name")?),
                "--busy" => arguments.busy = true,
                "--json" => arguments.json = true,
                "--bench" => {} // from cargo
                other => {
                    return Err(format!(
                        "`{other}` is not one of --rounds, --seconds, --startup, --with, --busy \
                         and --json"
                    ))
                }
            }
        }
        if arguments.startups.is_empty() {
            arguments.startups = STARTUPS.map(str::to_owned).to_vec();
        }
        Ok(arguments)
    }
}

fn main() -> ExitCode {
    let arguments = match Arguments::parse(std::env::args().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("loopback: {message}");
            return ExitCode::from(2);
        }
    };
    if let Err(error) = onramp_kernel::probe::check_permission() {
        eprintln!("loopback: {error}");
        return ExitCode::from(3);
    }
    let known = onramp_kernel::registered_names().unwrap_or_default();
    if let Some(unknown) = arguments.with.iter().find(|name| !known.contains(name)) {
        eprintln!(
            "loopback: this kernel has no congestion control `{unknown}`; it has: {}",
            known.join(", ")
        );
        return ExitCode::from(2);
    }
    match measure(&arguments) {
        Ok(report) if arguments.json => println!(
            "{}",
            serde_json::to_string_pretty(&report).expect("plain data")
        ),
        Ok(report) => print!("{report}"),
        Err(error) => {
            eprintln!("loopback: {error}");
            return ExitCode::from(3);
        }
    }
    ExitCode::SUCCESS
}

fn measure(arguments: &Arguments) -> Result<Report> {
    let cpus = two_cpus()?;
    let before = CpuTime::now();
    let registrations = arguments
        .startups
        .iter()
        .map(|startup| Registration::new(&Options::new(startup)))
        .collect::<Result<Vec<_>, _>>()?;
    // The second CUBIC shows the method's error: it is compared with itself.
    let mut names = vec!["cubic", "cubic"];
    names.extend(registrations.iter().map(Registration::name));
    names.extend(arguments.with.iter().map(String::as_str));
    let throughput = bulk_transfers(&names, arguments, cpus)?;
    let exchanges = small_exchanges(&names, arguments, cpus[0])?;
    drop(registrations);
    let stolen_cpu = CpuTime::stolen_since(before);

    // BPF's statistics cost time themselves, so the programs are measured separately.
    let mut programs = Vec::new();
    for startup in &arguments.startups {
        programs.extend(programs::measure(startup, arguments.round, cpus)?);
    }
    Ok(Report {
        kernel: onramp_kernel::probe::kernel_release(),
        cpus: std::thread::available_parallelism()?.get(),
        round_s: arguments.round.as_secs_f64(),
        stolen_cpu,
        throughput,
        exchanges,
        programs,
    })
}

/// Bulk transfers with every congestion control over every loopback.
fn bulk_transfers(
    names: &[&str],
    arguments: &Arguments,
    cpus: [usize; 2],
) -> Result<Vec<Throughput>> {
    let mut figures = Vec::new();
    for loopback in &LOOPBACKS {
        let rounds = loopback.run(|| {
            Rounds::play(names.len(), arguments.rounds, |control| {
                let transfer = bulk(names[control], arguments.round, cpus)?;
                let disturbed = cpus[0] != cpus[1] && transfer.waiting_share() > MAX_WAITING_SHARE;
                Ok((transfer, disturbed && !arguments.busy))
            })
        })??;
        if !rounds.are_too_few(arguments.rounds, loopback.label) {
            figures.extend(rounds.compared(names, |name, own, built_in| {
                Throughput::compare(loopback, name, own, built_in, rounds.disturbed)
            }));
        }
    }
    Ok(figures)
}

/// Small exchanges with every congestion control. Each turn has a connection of its own.
fn small_exchanges(
    names: &[&str],
    arguments: &Arguments,
    cpu: usize,
) -> Result<Vec<SmallExchanges>> {
    let rounds = DEFAULT.run(|| {
        Rounds::play(names.len(), arguments.rounds, |control| {
            let mut connection = Exchanges::new(names[control], cpu, WARM_UP_EXCHANGES)?;
            let block = connection.run(EXCHANGES)?;
            let disturbed = block.disturbed_share > MAX_DISTURBED_SHARE;
            Ok((block, disturbed && !arguments.busy))
        })
    })??;
    if rounds.are_too_few(arguments.rounds, "small exchanges") {
        return Ok(Vec::new());
    }
    Ok(rounds.compared(names, |name, own, built_in| {
        SmallExchanges::compare(name, own, built_in, rounds.disturbed)
    }))
}

/// The CPUs for the sender and the receiver: the first two that this process may use. If it may use
/// one only, both are that one.
fn two_cpus() -> Result<[usize; 2]> {
    let allowed = sched_getaffinity(Pid::from_raw(0))?;
    let mut usable = (0..CpuSet::count()).filter(|&cpu| allowed.is_set(cpu).unwrap_or(false));
    let sender = usable.next().ok_or("this process may use no CPU")?;
    Ok([sender, usable.next().unwrap_or(sender)])
}
