//! What `onramp judge` prints.

use onramp_advise::{
    Advice, Candidate, Compared, Comparison, Judged, Limit, Part, Path, Receiver, Spread,
};
use onramp_cli::text::{bytes, columns, count, rate};
use onramp_report::head;
use std::fmt::Write;

/// Classes that the table shows. `--json` has all.
const SHOWN: usize = 30;

pub fn text(advice: &Advice, comparison: Option<&Option<Comparison>>) -> String {
    let mut text = verdict(advice);
    if let Some(comparison) = comparison {
        write!(text, "\n{}", compared_text(comparison.as_ref())).expect("a string takes text");
    }
    if advice.judged > 0 {
        write!(text, "\n{}", columns(&candidates(advice))).expect("a string takes text");
        write!(text, "\n{BY_SIZE}:\n{}", columns(&sizes(advice))).expect("a string takes text");
    }
    if !advice.classes.is_empty() {
        write!(text, "\n{}", columns(&classes(advice))).expect("a string takes text");
        if let Some(line) = not_shown(advice) {
            writeln!(text, "{line}").expect("a string takes text");
        }
    }
    format!("{text}\n{}\n", notes(advice))
}

/// Says how many classes the table leaves out; `None`: it has all.
pub fn not_shown(advice: &Advice) -> Option<String> {
    let more = advice.classes.len().saturating_sub(SHOWN);
    (more > 0).then(|| format!("{} not shown: --json has all", count(more, "further class")))
}

/// The heading of the table of sizes.
pub const BY_SIZE: &str = "Start-up onramp by the size of a transfer";

fn compared_text(comparison: Option<&Comparison>) -> String {
    match comparison {
        Some(comparison) => format!(
            "{}\n{}",
            compared_verdict(comparison),
            columns(&compared(comparison))
        ),
        None => format!("{NOT_COMPARED}\n"),
    }
}

/// What stands in place of a comparison without a class.
pub const NOT_COMPARED: &str =
    "The canary has no class of the prediction: no connection with start-up onramp is like one \
     that is understood.";

/// The prediction beside the measurement.
pub fn compared_verdict(comparison: &Comparison) -> String {
    format!(
        "Start-up onramp was predicted to change the time of these classes by {:+.0} %, and has \
         changed it by {:+.0} %.",
        100.0 * (comparison.predicted - 1.0),
        100.0 * (comparison.measured - 1.0)
    )
}

/// A row for each class with a prediction and a measurement.
pub fn compared(comparison: &Comparison) -> Vec<Vec<String>> {
    let row = |one: &Compared| {
        let [without, with] = one.connections;
        let mark = if one.has_control_group { "" } else { " before" };
        vec![
            one.destination.clone(),
            one.port.to_string(),
            part(one.part).to_owned(),
            bytes(one.bytes as u64),
            format!("{without}{mark}"),
            with.to_string(),
            format!("{:.2}", one.predicted),
            format!("{:.2}", one.measured),
            one.interval.map_or("-".to_owned(), |[low, high]| {
                format!("{low:.2} to {high:.2}")
            }),
        ]
    };
    let mut rows = vec![head(
        "DESTINATION | PORT | TRANSFER | SIZE | WITHOUT | WITH | PREDICTED | MEASURED | 95 %",
    )];
    rows.extend(comparison.classes.iter().map(row));
    rows
}

fn part(part: Part) -> &'static str {
    match part {
        Part::First => "first",
        Part::Later => "later",
    }
}

/// The answer first.
pub fn verdict(advice: &Advice) -> String {
    let connections = count(advice.judged, "connection");
    let onramp = advice.candidates.first();
    match (advice.gain(), onramp) {
        (Some(gain), _) => format!(
            "Start-up onramp is predicted to save {:.0} % of the time of {connections}; {} of them \
             would be slower.\n",
            100.0 * (1.0 - gain.time),
            percent(gain.slower)
        ),
        (None, Some(onramp)) => format!(
            "Do nothing: start-up onramp is predicted to change the time of {connections} by \
             {:+.0} %.\n",
            100.0 * (onramp.time - 1.0)
        ),
        (None, None) => "Do nothing yet: no class of connections is understood.\n".to_owned(),
    }
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn spread(all: &Spread) -> Vec<String> {
    let [low, middle, high] = all.quantiles;
    vec![
        format!("{:.2}", all.time),
        format!("{low:.2}"),
        format!("{middle:.2}"),
        format!("{high:.2}"),
        percent(all.faster),
        percent(all.slower),
        format!("{:.2}", all.retransmitted_segments),
    ]
}

const SPREAD: &str = "TIME | 5 % | 50 % | 95 % | FASTER | SLOWER | RETRANS";

fn heading(first: &str) -> Vec<String> {
    [head(first), head(SPREAD)].concat()
}

/// A row for each candidate.
pub fn candidates(advice: &Advice) -> Vec<Vec<String>> {
    let mut rows = vec![heading("CANDIDATE")];
    for all in &advice.candidates {
        rows.push([vec![all.candidate.name().to_owned()], spread(all)].concat());
    }
    rows
}

/// A row for each range of sizes.
pub fn sizes(advice: &Advice) -> Vec<Vec<String>> {
    let mut rows = vec![heading("SIZE | CONNECTIONS")];
    for (limit, connections, all) in &advice.sizes {
        let size = limit.map_or("larger".to_owned(), |limit| format!("to {}", bytes(limit)));
        rows.push([vec![size, connections.to_string()], spread(all)].concat());
    }
    rows
}

/// A row for each class, those with the most time first.
pub fn classes(advice: &Advice) -> Vec<Vec<String>> {
    let mut rows = vec![head(
        "CLASS | DESTINATION | PORT | CONTROL | N | TRANSFER | SIZE | TIME | RTT | RATE | LIMIT \
         | SIMULATED | ONRAMP",
    )];
    let shown = (1..).zip(&advice.classes).take(SHOWN);
    rows.extend(shown.map(|(number, one)| row(number, one)));
    rows
}

fn row(number: usize, one: &Judged) -> Vec<String> {
    let class = &one.class;
    let outlook = one.outlook(Candidate::Onramp);
    vec![
        number.to_string(),
        class.destination.clone(),
        class.port.to_string(),
        class.congestion_control.clone(),
        one.connections.to_string(),
        part(class.part).to_owned(),
        bytes(one.bytes as u64),
        format!("{:.3} s", one.time_s),
        format!("{:.1} ms", 1e3 * class.path.rtt_s),
        path_rate(&class.path),
        limit(one),
        one.simulated
            .map_or("-".to_owned(), |ratio| format!("{ratio:.2}")),
        match outlook {
            Some(outlook) => format!("{:.2}", outlook.time),
            None => not_understood(one).to_owned(),
        },
    ]
}

/// What the simulator does not reproduce.
fn not_understood(one: &Judged) -> &'static str {
    match one.simulated {
        Some(_) if one.reproduces_time() => "not understood: losses",
        Some(_) => "not understood: time",
        None => "not understood",
    }
}

fn path_rate(path: &Path) -> String {
    let sign = if path.rate_is_lower_bound { ">= " } else { "" };
    format!("{sign}{}", rate(path.rate_bytes_per_s as u64))
}

fn limit(one: &Judged) -> String {
    match (one.limit, one.class.path.receiver) {
        (Limit::Small, _) => "fits the first window".to_owned(),
        (Limit::Receiver, Receiver::Window(window)) => {
            format!("receiver: {}", bytes(window.into()))
        }
        (Limit::Receiver, _) => "receiver".to_owned(),
        (Limit::SendBuffer, _) => "send buffer".to_owned(),
        (Limit::Loss, _) => format!("loss: {:.1} %", 100.0 * one.class.path.loss),
        (Limit::Rate, _) => "rate".to_owned(),
        (Limit::VaryingRate, _) => "rate, which varies".to_owned(),
        (Limit::Start, _) => "start".to_owned(),
    }
}

/// What the numbers mean, and what is not in them.
pub fn notes(advice: &Advice) -> String {
    let Advice {
        judged,
        not_understood,
        unused,
        judged_later_transfers: judged_later,
        later_transfers: later,
        observed,
        ..
    } = advice;
    format!(
        "TRANSFER: the first one of a connection, or the mean of those after it. TIME: of the \
         time as it is, 1 is the same; 5 %, 50 %, 95 % of the connections have at most this. \
         FASTER, SLOWER: by more than 3 %. RETRANS: segments of a connection. SIMULATED: the \
         simulator's time of the real one; a class is not understood, and in no sum, if it differs \
         by more than 15 %, or if the simulator retransmits another share of the segments, by more \
         than 5 points, or if the path loses more than 1 % at random. LIMIT: a start-up shortens \
         `start`. RATE: >= is a lower bound, and so is the gain.\n\
         Judged: {}, by their first transfers. Not understood: {not_understood}. Not rebuilt \
         (cut off, or RTT or rate unknown): {unused}. Without payload: {}. Lost: {}. Later \
         transfers of the same connections: {later}, of them judged: {judged_later}.",
        count(*judged, "connection"),
        observed.idle,
        observed.lost,
    )
}
