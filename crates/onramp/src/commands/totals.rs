//! Totals of registered start-ups, for `onramp status` and `onramp ss`.

use onramp_cli::failure::Failure;
use onramp_cli::text;
use onramp_kernel::{Governor, Loaded, Status, Totals};
use onramp_service::counts::exit_in_words;
use serde::Serialize;

/// Destinations that a text names.
const MAX_NAMED: usize = 3;

/// A registered start-up with its totals: an element of `status --json`.
#[derive(Serialize)]
pub struct Counted {
    #[serde(flatten)]
    pub status: Status,
    pub totals: Totals,
    pub governor: Option<Governor>,
}

impl Counted {
    pub fn read(loaded: Loaded) -> Result<Counted, Failure> {
        Ok(Counted {
            totals: loaded.totals()?,
            governor: loaded.governor()?,
            status: Status::of(loaded)?,
        })
    }
}

/// All registered start-ups with their totals.
pub fn all() -> Result<Vec<Counted>, Failure> {
    let loaded = onramp_kernel::loaded()?.into_iter();
    loaded.map(Counted::read).collect()
}

/// The cell of a table: the bound of the governor, and whom it holds back.
pub fn governor_cell(governor: Option<&Governor>) -> String {
    let Some(governor) = governor else {
        return "off".to_owned();
    };
    let bound = percent(governor.bound);
    match (governor.host.holds, governor.held_destinations()) {
        (true, _) => format!("{bound}, holds all back"),
        (false, 0) => bound,
        (false, held) => format!("{bound}, holds {} back", text::count(held, "destination")),
    }
}

/// One line: how many connections there were, and what they retransmitted.
pub fn line(counted: &Counted) -> String {
    let Totals {
        started,
        live,
        governed,
        ..
    } = counted.totals;
    let mut line = format!(
        "{}: {} so far, {live} controlled now; start-ups retransmitted {}",
        counted.status.loaded.name,
        text::count(started as usize, "connection"),
        share_of(
            counted.totals.startup_retransmitted_share(),
            counted.totals.startup_sent_segments
        ),
    );
    if governed > 0 {
        line += &format!("; {governed} held back by the governor");
    }
    line
}

/// Everything that was counted, in some lines.
pub fn paragraph(counted: &Counted) -> String {
    let totals = &counted.totals;
    let mut lines = vec![line(counted)];
    if totals.started > 0 {
        lines.push(format!("start-ups that ended: {}", exits(totals)));
        lines.push(format!(
            "{}; {}{}",
            text::count(totals.estimates as usize, "start-up") + " with an estimate",
            text::count(totals.paced_flights_lost as usize, "loss") + " while pacing",
            times(totals)
        ));
        lines.push(format!(
            "connections that ended or were handed over: {} delivered, {} retransmitted",
            text::bytes(totals.delivered_bytes),
            share_of(totals.retransmitted_share(), totals.sent_segments),
        ));
    }
    if let Some(governor) = &counted.governor {
        lines.push(governor_line(governor));
    }
    // Nobody takes the events of a registration that `load` made.
    if totals.events_lost > 0 && counted.status.loaded.owner_pid.is_some() {
        lines.push(text::lost_events(totals.events_lost));
    }
    lines.join("\n  ") + "\n"
}

fn share_of(share: Option<f64>, segments: u64) -> String {
    let share = percent(share.unwrap_or(0.0));
    format!("{share} of {}", text::count(segments as usize, "segment"))
}

fn percent(share: f64) -> String {
    let digits = match share {
        0.0 => 0,
        share if share < 0.1 => 2,
        share if share < 1.0 => 1,
        _ => 0,
    };
    let text = format!("{:.digits$}", share * 100.0);
    let text = match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.'),
        false => &text,
    };
    format!("{text} %")
}

/// The exits that happened, the most frequent first.
fn exits(totals: &Totals) -> String {
    let mut exits: Vec<_> = totals.exits.iter().filter(|(_, n)| **n > 0).collect();
    exits.sort_by_key(|(_, startups)| std::cmp::Reverse(**startups));
    if exits.is_empty() {
        return "none".to_owned();
    }
    let words = exits
        .into_iter()
        .map(|(name, startups)| format!("{startups} {name} ({})", exit_in_words(name)));
    words.collect::<Vec<_>>().join(", ")
}

/// How long start-ups took, as the end of a sentence: the mean was measured; of the median only its
/// class is known.
fn times(totals: &Totals) -> String {
    let startups: u64 = totals
        .startup_times
        .iter()
        .map(|class| class.startups)
        .sum();
    let mut counted = 0;
    let class = totals.startup_times.iter().find(|class| {
        counted += class.startups;
        counted * 2 >= startups
    });
    let Some(class) = class else {
        return String::new();
    };
    let ms = |s: f64| format!("{:.0} ms", s * 1e3);
    let median = match class.below_s {
        Some(below_s) => format!("between {} and {}", ms(class.from_s), ms(below_s)),
        None => format!("above {}", ms(class.from_s)),
    };
    format!(
        "; start-ups took {:.1} ms on average, the median is {median}",
        totals.startup_time_s / startups as f64 * 1e3
    )
}

fn governor_line(governor: &Governor) -> String {
    let mut line = format!("governor: bound {}", percent(governor.bound));
    if let Some(average) = governor.host.average {
        line += &format!(
            ", average {} of {}",
            percent(average),
            text::count(governor.host.startups as usize, "start-up")
        );
    }
    if governor.host.holds {
        line += "; holds 15 of 16 new connections back";
    }
    let held: Vec<String> = governor
        .destinations
        .iter()
        .filter(|destination| destination.governed.holds)
        .map(|destination| {
            let average = percent(destination.governed.average.unwrap_or(0.0));
            format!("{} ({average})", destination.address)
        })
        .collect();
    if !held.is_empty() {
        let more = match held.len().saturating_sub(MAX_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let named = held[..held.len().min(MAX_NAMED)].join(", ");
        line += &format!("; holds 15 of 16 new connections to {named}{more} back");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_kernel::{Destination, Governed, TimeClass};

    fn governed(average: f64, holds: bool) -> Governed {
        Governed {
            average: Some(average),
            startups: 16,
            holds,
        }
    }

    #[test]
    fn a_governor_names_whom_it_holds_back() {
        let destination = |last: u8, average, holds| Destination {
            address: format!("192.0.2.{last}"),
            network_namespace: 1,
            governed: governed(average, holds),
        };
        let mut governor = Governor {
            bound: 0.25,
            host: governed(0.031, false),
            destinations: vec![destination(1, 0.4, true), destination(2, 0.1, false)],
        };
        assert_eq!(governor_cell(None), "off");
        assert_eq!(
            governor_cell(Some(&governor)),
            "25 %, holds 1 destination back"
        );
        assert_eq!(
            governor_line(&governor),
            "governor: bound 25 %, average 3.1 % of 16 start-ups; \
             holds 15 of 16 new connections to 192.0.2.1 (40 %) back"
        );
        governor.destinations = (1..=5).map(|last| destination(last, 0.5, true)).collect();
        assert!(governor_line(&governor).ends_with("192.0.2.3 (50 %) and 2 more back"));
        governor.host.holds = true;
        assert_eq!(governor_cell(Some(&governor)), "25 %, holds all back");
    }

    #[test]
    fn exits_are_listed_by_their_number() {
        let class = |below_s, startups| TimeClass {
            from_s: below_s / 2.0,
            below_s: Some(below_s),
            startups,
        };
        let totals = Totals {
            exits: [("none", 3), ("loss", 0), ("delay", 20)].into(),
            startup_times: vec![
                class(0.001_024, 2),
                class(0.131_072, 20),
                class(0.262_144, 1),
            ],
            startup_time_s: 2.3,
            ..Totals::default()
        };
        assert_eq!(
            exits(&totals),
            "20 delay (the delay rose and stayed: the pipe is full), 3 none (the connection ended \
             first)"
        );
        assert_eq!(
            times(&totals),
            "; start-ups took 100.0 ms on average, the median is between 66 ms and 131 ms"
        );
        assert_eq!(exits(&Totals::default()), "none");
        assert_eq!(times(&Totals::default()), "");
    }

    #[test]
    fn shares_have_few_digits() {
        assert_eq!(
            [0.0, 0.25, 0.0031, 0.333, 1.0].map(percent),
            ["0 %", "25 %", "0.31 %", "33.3 %", "100 %"]
        );
    }
}
