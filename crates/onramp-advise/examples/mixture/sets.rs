//! The two sets of paths: one on which the estimates were tuned, and one that is drawn.

use crate::paths::Request;
use onramp_scenario::random::Stream;
use onramp_scenario::Case;
use std::time::Duration;

/// A path, and the connections over it.
pub struct Mixed {
    /// The path and its receiver.
    pub case: Case,
    /// Each connection's downloads.
    pub connections: Vec<Vec<Request>>,
}

/// Paths of the drawn set.
const DRAWN_PATHS: usize = 24;
/// The seed of the drawn set. The estimates were never tuned on its paths.
const SEED: u64 = 20_261_126;

/// Later downloads of a connection that is kept alive.
const LATER: usize = 3;

/// The sizes of the transfers over each path.
const SIZES: [u64; 4] = [30_000, 150_000, 1_000_000, 5_000_000];

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

fn case(
    (rate, rtt, queue): (&str, &str, &str),
    keys: &str,
    buffer: &str,
) -> Result<Case, onramp_scenario::Error> {
    let scenario = format!(
        "name = \"mixture\"\n[path]\nrate = \"{rate}\"\nrtt = \"{rtt}\"\nqueue = \"{queue}\"\n\
         {keys}\n[receiver]\nbuffer = \"{buffer}\"\n[[transfer]]\nsize = \"1 MB\"\nstartup = \
         \"none\"\navoidance = \"cubic\"\n"
    );
    Ok(onramp_scenario::parse("mixture", &scenario)?
        .cases
        .remove(0))
}

/// The paths on which the estimates were tuned.
pub fn tuned() -> Result<Vec<Mixed>, onramp_scenario::Error> {
    let of = |(rate, rtt, queue, keys, buffer): &(&str, &str, &str, &str, &str)| {
        Ok(Mixed {
            case: case((rate, rtt, queue), keys, buffer)?,
            connections: SIZES.map(|bytes| vec![(bytes, Duration::ZERO)]).into(),
        })
    };
    PATHS.iter().map(of).collect()
}

/// A number between these, evenly distributed by its logarithm.
fn between(draw: &mut Stream, low: f64, high: f64) -> f64 {
    low * (high / low).powf(draw.unit())
}

fn one_of<'a>(draw: &mut Stream, list: &[&'a str]) -> &'a str {
    list[draw.below(list.len() as u32) as usize]
}

/// Paths that were drawn: rates, RTTs, queues, receivers, ACK aggregation, jitter, losses, four
/// sizes, and a connection that is kept alive.
pub fn drawn() -> Result<Vec<Mixed>, onramp_scenario::Error> {
    let mut draw = Stream::new(SEED);
    (0..DRAWN_PATHS).map(|_| drawn_path(&mut draw)).collect()
}

fn drawn_path(draw: &mut Stream) -> Result<Mixed, onramp_scenario::Error> {
    let rate = format!("{:.0} kbit/s", between(draw, 4e3, 200e3));
    let rtt = format!("{:.0} us", between(draw, 20e3, 500e3));
    let queue = format!("{:.2} bdp", between(draw, 0.3, 4.0));
    let buffer = one_of(
        draw,
        &[
            "64 MiB",
            "64 MiB",
            "linux-default",
            "linux-default",
            "256 KiB",
            "1 MiB",
        ],
    );
    let loss = one_of(draw, &["0", "0", "0", "0.05", "0.1", "0.3"]);
    let jitter = one_of(
        draw,
        &["", "", "jitter = \"500 us\"\n", "jitter = \"2 ms\"\n"],
    );
    let reverse = match draw.below(3) {
        0 => format!(
            "[path.reverse]\naggregate = \"{:.0} us\"\n",
            between(draw, 500.0, 8e3)
        ),
        _ => String::new(),
    };
    let keys = format!("loss = \"{loss} %\"\n{jitter}{reverse}");
    let sizes = [(20e3, 60e3), (80e3, 300e3), (0.5e6, 1.5e6), (3e6, 8e6)];
    let mut connections: Vec<Vec<Request>> = sizes
        .iter()
        .map(|(low, high)| vec![(between(draw, *low, *high) as u64, Duration::ZERO)])
        .collect();
    let mut kept_alive = vec![(between(draw, 20e3, 300e3) as u64, Duration::ZERO)];
    for _ in 0..LATER {
        let pause = Duration::from_secs_f64(between(draw, 0.05, 3.0));
        kept_alive.push((between(draw, 20e3, 1.5e6) as u64, pause));
    }
    connections.push(kept_alive);
    Ok(Mixed {
        case: case((&rate, &rtt, &queue), &keys, buffer)?,
        connections,
    })
}
