//! The cost of TCP_QOS for programs that do not use it: setsockopt() and getsockopt() of another
//! option, with the programs of TCP_QOS attached and without. docs/benchmarks.md describes the
//! method and has the figures.
//!
//!     cargo bench -p onramp-kernel --bench options -- [--rounds N]

use nix::sys::socket::sockopt::TcpNoDelay;
use nix::sys::socket::{getsockopt, setsockopt};
use onramp_kernel::{own_cgroup, Options, QosOption, Registration, Reservations};
use std::error::Error;
use std::hint::black_box;
use std::net::TcpListener;
use std::time::Instant;

const CALLS: u32 = 20_000;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// Nanoseconds per setsockopt() and per getsockopt().
fn measure() -> Result<[f64; 2]> {
    // As good as any socket of TCP
    let socket = TcpListener::bind("127.0.0.1:0")?;
    let time = |mut call: Box<dyn FnMut() -> nix::Result<()> + '_>| {
        let start = Instant::now();
        for _ in 0..CALLS {
            call()?;
        }
        Ok::<_, nix::Error>(start.elapsed().as_nanos() as f64 / f64::from(CALLS))
    };
    let set = time(Box::new(|| {
        setsockopt(&socket, TcpNoDelay, black_box(&true))
    }))?;
    let get = time(Box::new(|| {
        getsockopt(&socket, TcpNoDelay).map(|value| {
            black_box(value);
        })
    }))?;
    Ok([set, get])
}

fn measure_with(reservations: &Reservations) -> Result<[f64; 2]> {
    let _option = QosOption::new(&own_cgroup()?, reservations, None)?;
    measure()
}

fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * share).round() as usize]
}

fn run(rounds: usize) -> Result<()> {
    let registration = Registration::new(&Options::new("qos"))?;
    let reservations = registration.reservations()?.ok_or("qos reserves")?;
    let mut all: [Vec<[f64; 3]>; 2] = Default::default();
    for round in 0..rounds {
        // The order alternates. `without` is measured twice, to show the method's error.
        let (without, with, again) = match round % 2 {
            0 => (measure()?, measure_with(&reservations)?, measure()?),
            _ => {
                let with = measure_with(&reservations)?;
                (measure()?, with, measure()?)
            }
        };
        all.iter_mut()
            .enumerate()
            .for_each(|(call, rounds)| rounds.push([without[call], with[call], again[call]]));
    }
    println!(
        "{:<12} {:>12} {:>12} {:>22} {:>22}",
        "", "without, ns", "with, ns", "with / without", "without / without"
    );
    for (name, rounds) in ["setsockopt", "getsockopt"].into_iter().zip(all) {
        let median = |column: usize| sorted(rounds.iter().map(|round| round[column]));
        let ratio = |of: usize| {
            let ratios = sorted(rounds.iter().map(|round| round[of] / round[0]));
            format!(
                "{:.2} ({:.2}-{:.2})",
                quantile(&ratios, 0.5),
                quantile(&ratios, 0.05),
                quantile(&ratios, 0.95)
            )
        };
        let (without, with) = (quantile(&median(0), 0.5), quantile(&median(1), 0.5));
        println!(
            "{name:<12} {without:>12.0} {with:>12.0} {:>22} {:>22}",
            ratio(1),
            ratio(2)
        );
    }
    Ok(())
}

fn sorted(values: impl Iterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values
}

fn main() -> Result<()> {
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    let rounds = match (words.next().as_deref(), words.next()) {
        (None, _) => 40,
        (Some("--rounds"), Some(number)) => number
            .parse()
            .ok()
            .filter(|n| (1..=1000).contains(n))
            .ok_or_else(|| format!("--rounds is a number from 1 to 1000, not `{number}`"))?,
        (Some(word), _) => {
            return Err(format!("unknown option `{word}`; there is --rounds N").into())
        }
    };
    run(rounds)
}
