//! Simulates each class, first as it really was, then with each candidate.

use crate::class::{classes, Class, Part};
use crate::first_round::InitialRates;
use crate::path::Path;
use crate::simulate::{simulate, Chosen, Error, Options, Simulated};
use onramp_kernel::{Observations, Observed};
use onramp_report::statistics::{
    geometric_mean, interval_of_geometric_mean, median, quantile, Stratum,
};
use onramp_scenario::{Avoidance, Buffer, Case, InitialRate, InitialWindow, NO_STARTUP};
use serde::Serialize;

/// The simulator has understood a class if its median time is within this share of the real one.
pub const UNDERSTOOD_WITHIN: f64 = 0.15;

/// ... and if it retransmits the share of the segments that was retransmitted, give or take this.
const LOSSES_WITHIN: f64 = 0.05;

/// Times that differ by this share are the same.
pub const SAME_WITHIN: f64 = 0.03;

/// Where no connection has filled the path, these multiples of the highest rate are tried too.
const RAISED: [f64; 6] = [1.0, 1.5, 2.0, 3.0, 5.0, 10.0];

/// The receive buffer that is no limit.
const LARGE_BUFFER_BYTES: u64 = 64 << 20;

/// The queues, in BDPs, of a path whose queue overflowed between two looks at the RTT.
const UNSEEN_QUEUES_BDP: [f64; 2] = [0.1, 0.3];

/// Another idea of the path is better if its distance is smaller by this.
const CLEARLY: f64 = 0.07;

/// A path that loses more than this without a queue is not rebuilt: random losses and the bursts of
/// a policer are as many, and differ in what they do.
const MAX_LOSS: f64 = 0.01;

/// A busy time of which the receiver or the send buffer held up this share is limited by it.
const LIMITED_SHARE: f64 = 0.2;

/// What a host could do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Candidate {
    /// Start-up `onramp`, before the congestion control of the class.
    Onramp,
    /// CUBIC with an initial window of 32 segments.
    Iw32,
    /// CUBIC with an initial window of 100 segments.
    Iw100,
    /// BBR.
    Bbr,
    /// A receiver with a large buffer.
    Window,
    /// Both `onramp` and a receiver with a large buffer.
    OnrampAndWindow,
}

impl Candidate {
    /// All of them.
    pub const ALL: [Candidate; 6] = [
        Candidate::Onramp,
        Candidate::Iw32,
        Candidate::Iw100,
        Candidate::Bbr,
        Candidate::Window,
        Candidate::OnrampAndWindow,
    ];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Candidate::Onramp => "onramp",
            Candidate::Iw32 => "CUBIC, initial window 32",
            Candidate::Iw100 => "CUBIC, initial window 100",
            Candidate::Bbr => "BBR",
            Candidate::Window => "a larger receive buffer",
            Candidate::OnrampAndWindow => "onramp and a larger receive buffer",
        }
    }

    /// The same transfer with it. `initial_bits_per_s` is what the host has learned.
    fn applied_to(self, case: Case, initial_bits_per_s: u64) -> Case {
        let mut case = match self {
            Candidate::Onramp | Candidate::OnrampAndWindow => {
                let mut case = case.with_startup("onramp");
                case.transfer.given.initial_rate = InitialRate::BitsPerS(initial_bits_per_s);
                case
            }
            Candidate::Iw32 | Candidate::Iw100 | Candidate::Bbr => case.with_startup(NO_STARTUP),
            Candidate::Window => case,
        };
        match self {
            Candidate::Iw32 | Candidate::Iw100 => {
                let segments = if self == Candidate::Iw32 { 32 } else { 100 };
                case.transfer.avoidance = Avoidance::Cubic;
                case.transfer.initial_window = InitialWindow::Segments(segments);
            }
            Candidate::Bbr => case.transfer.avoidance = Avoidance::Bbr,
            Candidate::Window | Candidate::OnrampAndWindow => {
                case.receiver.buffer = Buffer::Bytes(LARGE_BUFFER_BYTES);
            }
            Candidate::Onramp => {}
        }
        case
    }
}

/// Why a class has nothing to gain, or little.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// The transfers fit into the initial window.
    Small,
    /// The receiver's window.
    Receiver,
    /// The send buffer of the application.
    SendBuffer,
    /// Losses without a queue.
    Loss,
    /// The rate of the path.
    Rate,
    /// The rate of the path, which is lower most of the time than its maximum: it varies, or others
    /// share it.
    VaryingRate,
    /// Nothing of these: the start.
    Start,
}

impl Limit {
    fn of(class: &Class) -> Limit {
        let mean = |of: fn(&onramp_kernel::Observation) -> f64| {
            class.connections.iter().map(of).sum::<f64>() / class.connections.len() as f64
        };
        let window = class.path.mss_bytes * class.initial_cwnd_segments;
        let (bytes, time_s) = (median(class.bytes_of()), median(class.times_of()));
        let at_rate_s = bytes / class.path.rate_bytes_per_s;
        // Slow start doubles the window each round trip.
        let start_s = class.path.rtt_s * ((bytes / f64::from(window.max(1))).log2().max(0.0) + 1.0);
        if bytes <= f64::from(window) {
            Limit::Small
        } else if mean(|seen| seen.receiver_limited) > LIMITED_SHARE {
            Limit::Receiver
        } else if mean(|seen| seen.buffer_limited) > LIMITED_SHARE {
            Limit::SendBuffer
        } else if class.path.loss > 0.001 {
            Limit::Loss
        } else if time_s < 2.0 * at_rate_s {
            Limit::Rate
        } else if time_s > 2.0 * (at_rate_s + start_s) {
            Limit::VaryingRate
        } else {
            Limit::Start
        }
    }
}

/// What the simulator predicts for a candidate, of the time that the simulator needs without it.
#[derive(Clone, Debug, Serialize)]
pub struct Outlook {
    /// The candidate.
    pub candidate: Candidate,
    /// Geometric mean over the simulated connections of the class.
    pub time: f64,
    /// Its 95 % interval, if the connections of the class differ.
    pub interval: Option<[f64; 2]>,
    /// Retransmitted segments of a connection, on average.
    pub retransmitted_segments: f64,
}

/// A class, judged.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// What was observed.
    #[serde(flatten)]
    pub class: Class,
    /// Connections.
    pub connections: usize,
    /// Median payload of a transfer.
    pub bytes: f64,
    /// Median time of a transfer, from its first segment to its last ACK.
    pub time_s: f64,
    /// The simulator's time as the connections really were, of their real time: the median. `None`:
    /// the simulator does not have the congestion control.
    pub simulated: Option<f64>,
    /// Retransmitted segments of a connection as it really was in the simulator, on average.
    pub retransmitted_segments: f64,
    /// What limits the transfers.
    pub limit: Limit,
    /// The rate at which `onramp` would send behind the initial window, on the line.
    pub initial_bits_per_s: u64,
    /// The candidates; empty for a class that is not understood.
    pub outlooks: Vec<Outlook>,
}

impl Judged {
    /// Whether the simulation of the class as it was has its times and its losses.
    fn reproduces(&self, simulated: &[Simulated]) -> bool {
        let lost = resent_share(&self.class);
        let simulated = mean_of(simulated.iter().map(|one| one.resent_share));
        self.reproduces_time()
            && self.class.path.loss <= MAX_LOSS
            && (lost - simulated).abs() <= LOSSES_WITHIN
    }

    /// Whether the simulation of the class as it was has its times.
    pub fn reproduces_time(&self) -> bool {
        let is_near = |ratio: f64| (ratio - 1.0).abs() <= UNDERSTOOD_WITHIN;
        self.simulated.is_some_and(is_near)
    }

    /// Whether the simulator reproduces the class.
    pub fn is_understood(&self) -> bool {
        !self.outlooks.is_empty()
    }

    /// The prediction for a candidate.
    pub fn outlook(&self, candidate: Candidate) -> Option<&Outlook> {
        let mut outlooks = self.outlooks.iter();
        outlooks.find(|outlook| outlook.candidate == candidate)
    }
}

/// A candidate over all connections of the classes that are understood.
#[derive(Clone, Debug, Serialize)]
pub struct Spread {
    /// The candidate.
    pub candidate: Candidate,
    /// The sum of all times with it, of the sum without it.
    pub time: f64,
    /// 5th, 50th and 95th percentile over the connections of the time with it, of the time without.
    pub quantiles: [f64; 3],
    /// Share of the connections that are faster by more than 3 %.
    pub faster: f64,
    /// Share of the connections that are slower by more than 3 %.
    pub slower: f64,
    /// Retransmitted segments of a connection, on average.
    pub retransmitted_segments: f64,
}

/// The advice.
#[derive(Clone, Debug, Serialize)]
pub struct Advice {
    /// How long the host was observed.
    pub for_s: f64,
    /// How many connections there were.
    pub observed: Observed,
    /// Connections that are judged by their first transfers: those of the classes that are
    /// understood.
    pub judged: usize,
    /// Connections of classes that are not understood.
    pub not_understood: usize,
    /// Connections that cannot be rebuilt: they were cut off, or their RTT or rate is not known.
    pub unused: usize,
    /// Transfers after the first one of their connection that are judged.
    pub judged_later_transfers: u64,
    /// All transfers after the first one of their connection.
    pub later_transfers: u64,
    /// The rate at which `onramp` would send behind the initial window, on the line, to a network
    /// that this host knows nothing of: what the host would have learned.
    pub initial_bits_per_s: u64,
    /// The candidates over all judged connections.
    pub candidates: Vec<Spread>,
    /// The same for the sizes up to 16 kB, 128 kB, 1 MB and above, of start-up `onramp`: the limit,
    /// the number of connections, and the prediction.
    pub sizes: Vec<(Option<u64>, usize, Spread)>,
    /// The classes, those with the most time first.
    pub classes: Vec<Judged>,
}

impl Advice {
    /// The rate at which `onramp` would send behind the initial window to this network, on the
    /// line.
    pub fn initial_bits_per_s_to(&self, destination: &str) -> u64 {
        let mut classes = self.classes.iter();
        let class = classes.find(|one| one.class.destination == destination);
        class.map_or(self.initial_bits_per_s, |one| one.initial_bits_per_s)
    }
}

/// Judges what was observed.
///
/// # Errors
/// [`Error`]
pub fn judge(observations: &Observations, options: &Options) -> Result<Advice, Error> {
    let (classes, unused) = classes(&observations.connections);
    let rates = InitialRates::learned_from(&classes);
    let judged = classes
        .into_iter()
        .map(|class| judge_class(class, &rates, options))
        .collect::<Result<Vec<_>, _>>()?;
    let of_part = |part: Part, understood: bool| {
        let of_part = judged.iter().filter(move |one| one.class.part == part);
        of_part.filter(move |one| one.is_understood() == understood)
    };
    let connections = |understood| {
        let of = of_part(Part::First, understood);
        of.map(|one| one.connections).sum()
    };
    let later = observations.connections.iter();
    let judged_later = of_part(Part::Later, true)
        .flat_map(|one| &one.class.connections)
        .map(|seen| Part::Later.of(seen).len() as u64)
        .sum();
    Ok(Advice {
        for_s: observations.for_s,
        observed: observations.observed,
        judged: connections(true),
        not_understood: connections(false),
        unused,
        judged_later_transfers: judged_later,
        later_transfers: later
            .map(|seen| u64::from(seen.transfer_count.saturating_sub(1)))
            .sum(),
        initial_bits_per_s: rates.host_bits_per_s,
        candidates: Candidate::ALL
            .into_iter()
            .filter_map(|candidate| spread(candidate, &judged, |_| true))
            .collect(),
        sizes: sizes(&judged),
        classes: judged,
    })
}

/// What the path may be: the estimate; a faster one where the rate is a lower bound; one that loses
/// nothing where losses seem to be random; and one with a longer queue where nobody saw the queue
/// that overflowed.
fn hypotheses(path: &Path) -> Vec<Path> {
    let factors = match path.rate_is_lower_bound {
        true => RAISED.as_slice(),
        false => &RAISED[..1],
    };
    let losses = match path.loss > 0.0 {
        true => vec![path.loss, 0.0],
        false => vec![0.0],
    };
    let mut all = Vec::new();
    for loss in losses {
        for factor in factors {
            let rate_bytes_per_s = factor * path.rate_bytes_per_s;
            let estimate = Path {
                loss,
                rate_bytes_per_s,
                ..path.clone()
            };
            all.push(estimate.clone());
            if path.has_unseen_queue() {
                let bdp = rate_bytes_per_s * path.rtt_s;
                all.extend(UNSEEN_QUEUES_BDP.map(|share| Path {
                    queue_bytes: path.queue_bytes.map(|least| least.max(share * bdp)),
                    ..estimate.clone()
                }));
            }
        }
    }
    all
}

/// How far the simulation of a class is from what it was: 1 for each limit of what is understood.
fn distance(time_ratio: f64, resent_share: f64, real_share: f64) -> f64 {
    time_ratio.ln().abs() / UNDERSTOOD_WITHIN + (resent_share - real_share).abs() / LOSSES_WITHIN
}

fn judge_class(mut class: Class, rates: &InitialRates, options: &Options) -> Result<Judged, Error> {
    let initial_bits_per_s = rates.to(&class.destination);
    let chosen = Chosen::of(&class);
    let (mut simulated, mut as_it_was, mut likely) = (None, Vec::new(), class.path.clone());
    let (mut nearest, real_share) = (f64::INFINITY, resent_share(&class));
    for path in hypotheses(&class.path) {
        class.path = path;
        if class.control().is_none() {
            break;
        }
        let results = simulate(&class, &chosen, |case| case, options)?;
        let ratios = results.iter().zip(&chosen.times_s);
        let ratio = median(ratios.map(|(one, real_s)| one.time_s / real_s));
        let share = mean_of(results.iter().map(|one| one.resent_share));
        let distance = distance(ratio, share, real_share);
        if distance < nearest - CLEARLY || simulated.is_none() {
            nearest = distance;
            (simulated, as_it_was, likely) = (Some(ratio), results, class.path.clone());
        }
    }
    class.path = likely;
    let mut judged = Judged {
        connections: class.connections.len(),
        bytes: median(class.bytes_of()),
        time_s: median(class.times_of()),
        simulated,
        retransmitted_segments: mean_of(as_it_was.iter().map(|one| one.resent)),
        limit: Limit::of(&class),
        initial_bits_per_s,
        outlooks: Vec::new(),
        class,
    };
    if judged.reproduces(&as_it_was) {
        let was = judged
            .class
            .case(&[(1, 0.0)])
            .expect("its control is known")?;
        for candidate in Candidate::ALL {
            let with = |case| candidate.applied_to(case, initial_bits_per_s);
            let results = match with(was.clone()) == was {
                true => as_it_was.clone(),
                false => simulate(&judged.class, &chosen, with, options)?,
            };
            let outlook = Outlook::of(candidate, &results, &as_it_was);
            judged.outlooks.push(outlook);
        }
    }
    Ok(judged)
}

/// The share of the segments of the connections that were retransmitted.
fn resent_share(class: &Class) -> f64 {
    let sum = |of: fn(&onramp_kernel::Observation) -> u32| -> f64 {
        class
            .connections
            .iter()
            .map(|seen| f64::from(of(seen)))
            .sum()
    };
    sum(|seen| seen.retransmitted_segments) / sum(|seen| seen.sent_segments).max(1.0)
}

fn mean_of(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1);
    values.sum::<f64>() / count as f64
}

impl Outlook {
    /// From the times and retransmissions of the same transfers with the candidate and without.
    fn of(candidate: Candidate, with: &[Simulated], without: &[Simulated]) -> Outlook {
        let both = with.iter().zip(without);
        let logs: Vec<f64> = both
            .map(|(with, was)| (with.time_s / was.time_s).ln())
            .collect();
        Outlook {
            candidate,
            time: geometric_mean(logs.iter().map(|log| log.exp())).unwrap_or(f64::NAN),
            interval: interval_of_geometric_mean(&[Stratum { weight: 1.0, logs }]),
            retransmitted_segments: mean_of(with.iter().map(|one| one.resent)),
        }
    }
}

/// A candidate over the understood classes that `is_wanted` selects. `None` if there are none.
fn spread(
    candidate: Candidate,
    judged: &[Judged],
    is_wanted: impl Fn(&Judged) -> bool,
) -> Option<Spread> {
    let (mut was_s, mut with_s, mut resent) = (0.0, 0.0, 0.0);
    let mut times = Vec::new();
    for one in judged.iter().filter(|one| is_wanted(one)) {
        let Some(outlook) = one.outlook(candidate) else {
            continue;
        };
        let class_s = one.class.time_s();
        was_s += class_s;
        with_s += class_s * outlook.time;
        resent += outlook.retransmitted_segments * one.connections as f64;
        times.extend(std::iter::repeat_n(outlook.time, one.connections));
    }
    if times.is_empty() {
        return None;
    }
    let count = times.len() as f64;
    let share =
        |is: &dyn Fn(f64) -> bool| times.iter().filter(|time| is(**time)).count() as f64 / count;
    Some(Spread {
        candidate,
        time: with_s / was_s,
        faster: share(&|time| time < 1.0 - SAME_WITHIN),
        slower: share(&|time| time > 1.0 + SAME_WITHIN),
        quantiles: [0.05, 0.5, 0.95].map(|share| quantile(times.clone(), share)),
        retransmitted_segments: resent / count,
    })
}

fn sizes(judged: &[Judged]) -> Vec<(Option<u64>, usize, Spread)> {
    const LIMITS: [Option<u64>; 4] = [Some(16_000), Some(128_000), Some(1_000_000), None];
    let mut from = 0.0;
    let mut sizes = Vec::new();
    for limit in LIMITS {
        let to = limit.map_or(f64::INFINITY, |bytes| bytes as f64);
        let is_wanted = |one: &Judged| from < one.bytes && one.bytes <= to;
        let wanted = judged
            .iter()
            .filter(|one| one.is_understood() && is_wanted(one));
        let connections = wanted.map(|one| one.connections).sum();
        sizes.extend(
            spread(Candidate::Onramp, judged, is_wanted).map(|all| (limit, connections, all)),
        );
        from = to;
    }
    sizes
}
