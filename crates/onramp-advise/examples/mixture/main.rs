//! How exact the advice is: transfers of CUBIC over emulated paths are watched and judged, then
//! the same transfers are measured with `onramp`, at the initial rate that the host would have
//! learned. docs/advise.md has the result.
//!
//! Needs root and about ten minutes. On a machine with other work, give it real-time priority:
//! `chrt -r 1` before the program.
//!
//!     cargo run --release -p onramp-advise --example mixture -- tuned|drawn [FOLDER [PATH...]]
//!
//! With FOLDER the observations are kept there: `cubic.jsonl` and `onramp.jsonl`. If they are there
//! already, nothing runs, and they are judged. With numbers of paths, only these run.

mod paths;
mod sets;

use onramp_advise::{judge, Advice, Candidate, Judged, Options, Part};
use onramp_core::InitialRate;
use onramp_kernel::{own_cgroup, Observation, Observations, Observer, Registration};
use onramp_report::statistics::geometric_mean;
use onramp_scenario::Case;
use sets::Mixed;
use std::error::Error;
use std::fs::{self, File};
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1);
    let set = match arguments.next().as_deref().and_then(|set| set.to_str()) {
        Some("tuned") => sets::tuned()?,
        Some("drawn") => sets::drawn()?,
        _ => return Err("expected `tuned` or `drawn`".into()),
    };
    let folder = arguments.next().map(PathBuf::from);
    let wanted = arguments
        .map(|number| number.to_str().and_then(|number| number.parse().ok()))
        .collect::<Option<Vec<usize>>>()
        .ok_or("expected numbers of paths")?;
    let set: Vec<(usize, Mixed)> = (1..)
        .zip(set)
        .filter(|(number, _)| wanted.is_empty() || wanted.contains(number))
        .collect();
    let file = |name: &str| folder.as_deref().map(|folder| folder.join(name));
    let watched = match file("cubic.jsonl").as_deref().and_then(kept) {
        Some(watched) => watched,
        None => watch(&set, &Control::Cubic, file("cubic.jsonl").as_deref())?,
    };
    let advice = judge(&watched, &Options::default())?;
    let measured = match file("onramp.jsonl").as_deref().and_then(kept) {
        Some(measured) => measured,
        None => watch(
            &set,
            &Control::Onramp(&advice),
            file("onramp.jsonl").as_deref(),
        )?,
    };
    report(&advice.classes, &watched, &measured);
    Ok(())
}

fn kept(path: &Path) -> Option<Observations> {
    Some(Observations::read(BufReader::new(File::open(path).ok()?)).expect("it was written here"))
}

/// What the connections use.
enum Control<'a> {
    Cubic,
    /// The start-up, at the initial rate that was advised for each path.
    Onramp(&'a Advice),
}

impl Control<'_> {
    /// Registers the start-up for a path, if one is wanted.
    fn registration(&self, path: &str) -> onramp_kernel::Result<Option<Registration>> {
        let Control::Onramp(advice) = self else {
            return Ok(None);
        };
        let options = onramp_kernel::Options {
            governor_bound_ppm: 0,
            initial_rate: InitialRate::BitsPerS(advice.initial_bits_per_s_to(path)),
            ..onramp_kernel::Options::new("onramp")
        };
        Registration::new(&options).map(Some)
    }
}

/// Watches each connection over each path. The path stands for the destination.
fn watch(
    set: &[(usize, Mixed)],
    control: &Control,
    save: Option<&Path>,
) -> Result<Observations, Box<dyn Error>> {
    let observer = Observer::of_cgroup(&own_cgroup()?, 1000)?;
    let (mut connections, mut kernel) = (Vec::new(), Vec::new());
    for (number, mixed) in set {
        let path = format!("path {number:02}");
        let registration = control.registration(&path)?;
        let name = registration.as_ref().map_or("cubic", Registration::name);
        for (seed, requests) in (1..).zip(&mixed.connections) {
            // No two connections meet the same losses and the same jitter.
            let case = Case {
                seed,
                ..mixed.case.clone()
            };
            let (mut seen, is_disturbed) = paths::download(&case, requests, name, &observer)?;
            let mark = if is_disturbed { DISTURBED } else { "" };
            seen.destination.clone_from(&path);
            kernel.push(mark);
            let times: Vec<f64> = seen.transfers.iter().map(|one| one.time_s).collect();
            eprintln!("{}: {requests:?}, {times:.3?} s", seen.destination);
            connections.push(seen);
        }
    }
    let watched = Observations {
        // The only text of the file about all connections.
        kernel: kernel.join(","),
        connections,
        ..Observations::default()
    };
    if let Some(path) = save {
        fs::create_dir_all(path.parent().expect("it is in a folder"))?;
        watched.write(BufWriter::new(File::create(path)?))?;
    }
    Ok(watched)
}

/// The measured time of a class with the start-up, of CUBIC's: the geometric mean over its
/// connections in runs that were not disturbed.
fn measured_time(one: &Judged, was: &Observations, with: &Observations) -> f64 {
    let time_s = |seen: &Observation| -> f64 {
        let transfers = match one.class.part {
            Part::First => &seen.transfers[..1],
            Part::Later => &seen.transfers[1..],
        };
        transfers.iter().map(|transfer| transfer.time_s).sum()
    };
    let disturbed = |all: &Observations| -> Vec<bool> {
        let marks = all.kernel.split(',').map(|mark| mark == DISTURBED);
        marks
            .chain(std::iter::repeat(false))
            .take(all.connections.len())
            .collect()
    };
    let calm = disturbed(was)
        .into_iter()
        .zip(disturbed(with))
        .map(|(a, b)| !a && !b);
    let members = was.connections.iter().zip(&with.connections).zip(calm);
    let members = members.filter(|((was, _), calm)| *calm && one.class.connections.contains(was));
    let ratios = members.map(|((was, with), _)| {
        let bytes = |seen: &Observation| seen.transfers.iter().map(|one| one.bytes).collect();
        let (was_bytes, with_bytes): (Vec<u64>, Vec<u64>) = (bytes(was), bytes(with));
        // A pause within a transfer makes two of it.
        if was_bytes == with_bytes {
            time_s(with) / time_s(was)
        } else {
            f64::NAN
        }
    });
    geometric_mean(ratios).unwrap_or(f64::NAN)
}

/// Marks a connection whose runs were all disturbed.
const DISTURBED: &str = "disturbed";

/// Counts over classes.
#[derive(Default)]
struct Counts {
    all: u32,
    understood: u32,
    compared: u32,
    near: u32,
    wrong: u32,
}

fn report(classes: &[Judged], was: &Observations, with: &Observations) {
    println!(
        "| path | initial Mbit/s | transfer | bytes | CUBIC s | simulated | predicted | measured | \
         points |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut counts = [Counts::default(), Counts::default()];
    let mut sorted: Vec<&Judged> = classes.iter().collect();
    sorted.sort_by(|a, b| {
        let key = |one: &Judged| {
            (
                one.class.destination.clone(),
                one.class.part,
                one.bytes as u64,
            )
        };
        key(a).cmp(&key(b))
    });
    for one in &sorted {
        let counts = &mut counts[one.class.part as usize];
        let real = measured_time(one, was, with);
        let predicted = one.outlook(Candidate::Onramp).map(|outlook| outlook.time);
        let points = predicted.map(|predicted| 100.0 * (predicted - real));
        counts.all += 1;
        counts.understood += u32::from(predicted.is_some());
        if let (Some(predicted), Some(points)) = (predicted, points.filter(|one| !one.is_nan())) {
            counts.compared += 1;
            counts.near += u32::from(points.abs() <= 5.0);
            counts.wrong +=
                u32::from((predicted < 0.97 && real > 1.03) || (predicted > 1.03 && real < 0.97));
        }
        let cell = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.2}"));
        println!(
            "| {} | {:.1} | {:?} | {:.0} | {:.3} | {} | {} | {real:.2} | {} |",
            one.class.destination,
            one.initial_bits_per_s as f64 / 1e6,
            one.class.part,
            one.bytes,
            one.time_s,
            cell(one.simulated),
            cell(predicted),
            points.map_or("-".to_owned(), |points| format!("{points:+.0}"))
        );
    }
    for (part, counts) in ["first", "later"].into_iter().zip(counts) {
        println!(
            "\n{part} transfers: {} of {} classes are understood; {} of these are compared: {} are \
             within 5 points, and {} have the wrong sign.",
            counts.understood, counts.all, counts.compared, counts.near, counts.wrong
        );
    }
}
