//! The cost of Onramp in the kernel: bulk transfers over loopback side by side with the kernel's
//! own CUBIC, and the time of each BPF program. docs/benchmarks.md describes the method and has the
//! figures.
//!
//!     make bench
//!     cargo bench -p onramp-kernel --bench loopback -- \
//!         [--rounds N] [--seconds S] [--with NAME]... [--json]

mod figures;
mod namespace;
mod programs;
mod transfer;

use figures::{CpuTime, Report, Throughput};
use namespace::LOOPBACKS;
use nix::sched::{sched_getaffinity, CpuSet};
use nix::unistd::Pid;
use onramp_kernel::{Options, Registration};
use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;
use transfer::{bulk, Bulk};

/// The start-ups that are measured, each followed by CUBIC.
const STARTUPS: [&str; 2] = ["standard", "paced"];

/// The share of a transfer's time that its threads may wait for a CPU. If they wait longer, other
/// processes disturbed the round, and it is not used.
const MAX_WAITING_SHARE: f64 = 0.05;
/// How long to leave the CPUs to the other processes after a disturbed round.
const PAUSE: Duration = Duration::from_millis(500);
/// Disturbed rounds after which the benchmark gives up, for each round that was requested.
const MAX_DISTURBED: usize = 2;
/// The minimum of rounds for a median.
const MIN_ROUNDS: usize = 5;

type Result<T, E = Box<dyn Error + Send + Sync>> = std::result::Result<T, E>;

struct Arguments {
    rounds: usize,
    round: Duration,
    /// Further congestion controls of this kernel to compare, for example one that another build
    /// has registered.
    with: Vec<String>,
    json: bool,
}

impl Arguments {
    fn parse(mut words: impl Iterator<Item = String>) -> Result<Arguments, String> {
        let mut arguments = Arguments {
            rounds: 40,
            round: Duration::from_millis(200),
            with: Vec::new(),
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
                "--with" => arguments.with.push(value("a congestion control's name")?),
                "--json" => arguments.json = true,
                "--bench" => {} // from cargo
                other => {
                    return Err(format!(
                        "`{other}` is not one of --rounds, --seconds, --with and --json"
                    ))
                }
            }
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
    let mut throughput = Vec::new();
    {
        let registrations = STARTUPS
            .iter()
            .map(|&startup| Registration::new(&Options::new(startup)))
            .collect::<Result<Vec<_>, _>>()?;
        // The second CUBIC shows the method's error: it is compared with itself.
        let mut names = vec!["cubic", "cubic"];
        names.extend(registrations.iter().map(Registration::name));
        names.extend(arguments.with.iter().map(String::as_str));
        for loopback in &LOOPBACKS {
            let Rounds {
                transfers,
                disturbed,
            } = loopback.run(|| play(&names, arguments, cpus))??;
            if transfers[0].len() < arguments.rounds.min(MIN_ROUNDS) {
                eprintln!(
                    "loopback: {}: no figures: other processes disturbed {disturbed} rounds, \
                     and only {} are left",
                    loopback.label,
                    transfers[0].len()
                );
                continue;
            }
            for (name, own) in names.iter().zip(&transfers).skip(1) {
                throughput.push(Throughput::compare(
                    loopback,
                    name,
                    own,
                    &transfers[0],
                    disturbed,
                ));
            }
        }
    }
    let stolen_cpu = CpuTime::stolen_since(before);

    // BPF's statistics cost time themselves, so the programs are measured separately.
    let mut programs = Vec::new();
    for startup in STARTUPS {
        programs.extend(programs::measure(startup, arguments.round, cpus)?);
    }
    Ok(Report {
        kernel: onramp_kernel::probe::kernel_release(),
        cpus: std::thread::available_parallelism()?.get(),
        round_s: arguments.round.as_secs_f64(),
        stolen_cpu,
        throughput,
        programs,
    })
}

/// The transfers of every congestion control, by round.
struct Rounds {
    /// In the order of the congestion controls.
    transfers: Vec<Vec<Bulk>>,
    /// Rounds that other processes disturbed. They are not among the transfers.
    disturbed: usize,
}

/// In each round every congestion control has one transfer.
fn play(names: &[&str], arguments: &Arguments, cpus: [usize; 2]) -> std::io::Result<Rounds> {
    let mut rounds = Rounds {
        transfers: vec![Vec::with_capacity(arguments.rounds); names.len()],
        disturbed: 0,
    };
    bulk(names[0], arguments.round, cpus)?; // The first one warms caches and clocks.
    while rounds.transfers[0].len() < arguments.rounds
        && rounds.disturbed < MAX_DISTURBED * arguments.rounds
    {
        let mut round = vec![None; names.len()];
        for index in order(names.len(), rounds.transfers[0].len()) {
            let transfer = bulk(names[index], arguments.round, cpus)?;
            if cpus[0] != cpus[1] && transfer.waiting_share() > MAX_WAITING_SHARE {
                break;
            }
            round[index] = Some(transfer);
        }
        if let Some(round) = round.into_iter().collect::<Option<Vec<Bulk>>>() {
            rounds
                .transfers
                .iter_mut()
                .zip(round)
                .for_each(|(all, transfer)| all.push(transfer));
        } else {
            rounds.disturbed += 1;
            std::thread::sleep(PAUSE);
        }
    }
    Ok(rounds)
}

/// The order of the congestion controls in a round. Each round starts with the next one; when each
/// has been first, the order is reversed. So each has every place equally often.
fn order(count: usize, round: usize) -> impl Iterator<Item = usize> {
    let backwards = round / count % 2 == 1;
    (0..count).map(move |place| (if backwards { count - 1 - place } else { place } + round) % count)
}

/// The CPUs for the sender and the receiver: the first two that this process may use. If it may use
/// one only, both are that one.
fn two_cpus() -> Result<[usize; 2]> {
    let allowed = sched_getaffinity(Pid::from_raw(0))?;
    let mut usable = (0..CpuSet::count()).filter(|&cpu| allowed.is_set(cpu).unwrap_or(false));
    let sender = usable.next().ok_or("this process may use no CPU")?;
    Ok([sender, usable.next().unwrap_or(sender)])
}
