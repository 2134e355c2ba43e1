//! How exact the advice is: transfers of CUBIC over emulated paths are watched and judged, then
//! the same transfers are measured with `onramp`, at the initial rate that the host would have
//! learned. docs/advise.md has the result.
//!
//! Needs root, a quiet machine and about ten minutes:
//!
//!     cargo run --release -p onramp-advise --example mixture [-- FOLDER]
//!
//! With FOLDER the observations are kept there: `cubic.jsonl` and `onramp.jsonl`. If they are there
//! already, nothing runs, and they are judged.

mod paths;

use onramp_advise::{judge, Candidate, Judged, Options};
use onramp_core::InitialRate;
use onramp_kernel::{own_cgroup, Observation, Observations, Observer, Registration};
use onramp_scenario::Case;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

/// The sizes of the transfers over each path.
const SIZES: [&str; 4] = ["30 kB", "150 kB", "1 MB", "5 MB"];

/// Rate, RTT, queue, other keys of the path, receive buffer.
const PATHS: [(&str, &str, &str, &str, &str); 24] = [
    ("5 Mbit/s", "30 ms", "1 bdp", "", "64 MiB"),
    ("10 Mbit/s", "40 ms", "1 bdp", "", "64 MiB"),
    ("10 Mbit/s", "40 ms", "4 bdp", "", "linux-default"),
    ("10 Mbit/s", "120 ms", "0.5 bdp", "", "64 MiB"),
    ("20 Mbit/s", "60 ms", "1 bdp", "", "linux-default"),
    ("20 Mbit/s", "150 ms", "1 bdp", "loss = \"0.1 %\"", "64 MiB"),
    ("20 Mbit/s", "250 ms", "0.3 bdp", "", "64 MiB"),
    ("50 Mbit/s", "20 ms", "1 bdp", "", "64 MiB"),
    ("50 Mbit/s", "50 ms", "1 bdp", "", "linux-default"),
    ("50 Mbit/s", "100 ms", "1 bdp", "", "64 MiB"),
    ("50 Mbit/s", "100 ms", "1 bdp", "", "linux-default"),
    (
        "50 Mbit/s",
        "100 ms",
        "0.3 bdp",
        "loss = \"0.2 %\"",
        "64 MiB",
    ),
    (
        "50 Mbit/s",
        "100 ms",
        "1 bdp",
        "[path.reverse]\naggregate = \"4 ms\"",
        "64 MiB",
    ),
    ("50 Mbit/s", "200 ms", "1 bdp", "", "64 MiB"),
    ("50 Mbit/s", "600 ms", "0.4 bdp", "", "64 MiB"),
    ("50 Mbit/s", "300 ms", "1 bdp", "", "256 KiB"),
    ("100 Mbit/s", "30 ms", "1 bdp", "", "64 MiB"),
    ("100 Mbit/s", "80 ms", "1 bdp", "", "linux-default"),
    (
        "100 Mbit/s",
        "80 ms",
        "1 bdp",
        "[path.reverse]\naggregate = \"1 ms\"",
        "64 MiB",
    ),
    ("100 Mbit/s", "150 ms", "0.5 bdp", "", "64 MiB"),
    (
        "100 Mbit/s",
        "150 ms",
        "1 bdp",
        "jitter = \"1 ms\"",
        "64 MiB",
    ),
    ("200 Mbit/s", "40 ms", "1 bdp", "", "64 MiB"),
    ("200 Mbit/s", "100 ms", "1 bdp", "", "64 MiB"),
    ("200 Mbit/s", "100 ms", "1 bdp", "", "512 KiB"),
];

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let file = |name: &str| folder.as_deref().map(|folder| folder.join(name));
    let watched = match file("cubic.jsonl").as_deref().and_then(kept) {
        Some(watched) => watched,
        None => watch("cubic", file("cubic.jsonl").as_deref())?,
    };
    let advice = judge(&watched, &Options::default())?;
    let measured = match file("onramp.jsonl").as_deref().and_then(kept) {
        Some(measured) => measured,
        None => {
            let registration = Registration::new(&onramp_kernel::Options {
                governor_bound_ppm: 0,
                initial_rate: InitialRate::BitsPerS(advice.initial_bits_per_s),
                ..onramp_kernel::Options::new("onramp")
            })?;
            watch(registration.name(), file("onramp.jsonl").as_deref())?
        }
    };
    println!("initial rate: {} bit/s\n", advice.initial_bits_per_s);
    report(&advice.classes, &measured.connections);
    Ok(())
}

fn kept(path: &Path) -> Option<Observations> {
    Some(Observations::read(BufReader::new(File::open(path).ok()?)).expect("it was written here"))
}

/// Watches a transfer of each size over each path. The path stands for the destination.
fn watch(control: &str, save: Option<&Path>) -> Result<Observations, Box<dyn Error>> {
    let observer = Observer::of_cgroup(&own_cgroup()?, 1000)?;
    let mut connections = Vec::new();
    for (path, keys) in PATHS.iter().enumerate() {
        for case in cases(keys)? {
            let mut seen = paths::download(&case, control, &observer)?;
            seen.destination = format!("path {:02}", path + 1);
            eprintln!(
                "{}: {} B, {:.3} s",
                seen.destination, seen.transfers[0].bytes, seen.transfers[0].time_s
            );
            connections.push(seen);
        }
    }
    let watched = Observations {
        connections,
        ..Observations::default()
    };
    if let Some(path) = save {
        fs::create_dir_all(path.parent().expect("it is in a folder"))?;
        watched.write(BufWriter::new(File::create(path)?))?;
    }
    Ok(watched)
}

fn cases(
    (rate, rtt, queue, keys, buffer): &(&str, &str, &str, &str, &str),
) -> Result<Vec<Case>, onramp_scenario::Error> {
    let scenario = format!(
        "name = \"mixture\"\n[path]\nrate = \"{rate}\"\nrtt = \"{rtt}\"\nqueue = \"{queue}\"\n\
         {keys}\n[receiver]\nbuffer = \"{buffer}\"\n[[transfer]]\nsize = {SIZES:?}\nstartup = \
         \"none\"\navoidance = \"cubic\"\n"
    );
    Ok(onramp_scenario::parse("mixture", &scenario)?.cases)
}

fn report(classes: &[Judged], measured: &[Observation]) {
    println!("| path | bytes | CUBIC s | simulated | predicted | measured | points |");
    println!("|---|---|---|---|---|---|---|");
    let (mut near, mut wrong, mut understood) = (0, 0, 0);
    let mut sorted: Vec<&Judged> = classes.iter().collect();
    sorted.sort_by(|a, b| {
        let key = |one: &Judged| (one.class.destination.clone(), one.bytes as u64);
        key(a).cmp(&key(b))
    });
    for one in &sorted {
        let same = |seen: &&Observation| {
            let first = seen.transfers[0];
            seen.destination == one.class.destination && first.bytes == one.bytes as u64
        };
        let with = measured
            .iter()
            .find(same)
            .map(|seen| seen.transfers[0].time_s);
        let real = with.map_or(f64::NAN, |with_s| with_s / one.time_s);
        let predicted = one.outlook(Candidate::Onramp).map(|outlook| outlook.time);
        let points = predicted.map(|predicted| 100.0 * (predicted - real));
        if let (Some(predicted), Some(points)) = (predicted, points) {
            understood += 1;
            near += u32::from(points.abs() <= 5.0);
            wrong +=
                u32::from((predicted < 0.97 && real > 1.03) || (predicted > 1.03 && real < 0.97));
        }
        let cell = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
        println!(
            "| {} | {} | {:.3} | {} | {} | {real:.2} | {} |",
            one.class.destination,
            one.bytes,
            one.time_s,
            cell(one.simulated),
            cell(predicted),
            points.map_or("-".to_owned(), |points| format!("{points:+.0}"))
        );
    }
    println!(
        "\n{understood} of {} classes are understood; of these {near} are within 5 points, and \
         {wrong} have the wrong sign.",
        sorted.len()
    );
}
