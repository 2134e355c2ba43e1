//! The advice as a configuration of `onramp serve`.

use crate::class::Part;
use crate::judge::{Advice, Candidate, Judged, Spread, SAME_WITHIN};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The share of connections of a canary (docs/service.md).
const CANARY_PERCENT: u32 = 5;

/// The file, with the reason of each policy. Without a gain it changes no connection.
pub fn configuration(advice: &Advice) -> String {
    let mut text = format!(
        "# Written by `onramp advise` from {} connections. Check it: onramp serve --check --config \
         FILE\n\n[[policy]]\n# Connections within this host have nothing to gain.\nname = \
         \"local\"\ndestination = [\"127.0.0.0/8\", \"::1\"]\nstartup = \"none\"\n",
        advice.judged
    );
    let slower: BTreeSet<&str> = advice
        .classes
        .iter()
        .filter_map(slower_destination)
        .collect();
    if !slower.is_empty() {
        let list: Vec<String> = slower
            .iter()
            .map(|prefix| format!("\"{prefix}\""))
            .collect();
        write!(
            text,
            "\n[[policy]]\n# Predicted to be slower by more than {:.0} %.\nname = \"slower\"\n\
             destination = [\n    {},\n]\nstartup = \"none\"\n",
            100.0 * SAME_WITHIN,
            list.join(",\n    ")
        )
        .expect("a string takes text");
    }
    let mut ports: BTreeMap<u16, Vec<&Judged>> = BTreeMap::new();
    for one in advice.classes.iter().filter(|one| one.class.accepted) {
        ports.entry(one.class.port).or_default().push(one);
    }
    for (port, judged) in ports {
        let Some(reason) = reason(&judged) else {
            continue;
        };
        write!(
            text,
            "\n[[policy]]\n# {reason}\nname = \"port-{port}\"\nlocal_port = [{port}]\nstartup = \
             \"onramp\"\npercent = {CANARY_PERCENT} # a canary: raise it when `onramp top` \
             confirms the gain\n"
        )
        .expect("a string takes text");
    }
    text
}

/// The destination of a class that `onramp` would make slower.
fn slower_destination(one: &Judged) -> Option<&str> {
    let outlook = one.outlook(Candidate::Onramp)?;
    (outlook.time > 1.0 + SAME_WITHIN).then_some(one.class.destination.as_str())
}

/// Why the connections of a port get the start-up; `None` if they have nothing to gain.
fn reason(judged: &[&Judged]) -> Option<String> {
    let gaining = judged
        .iter()
        .filter(|one| slower_destination(one).is_none());
    let (mut was_s, mut with_s, mut connections) = (0.0, 0.0, 0);
    for one in gaining {
        let Some(outlook) = one.outlook(Candidate::Onramp) else {
            continue;
        };
        was_s += one.class.time_s();
        with_s += one.class.time_s() * outlook.time;
        if one.class.part == Part::First {
            connections += one.connections;
        }
    }
    let gain = 1.0 - with_s / was_s;
    (was_s > 0.0 && gain > SAME_WITHIN).then(|| {
        format!(
            "Predicted: {:.0} % less time. Connections that were judged: {connections}.",
            100.0 * gain
        )
    })
}

impl Advice {
    /// The prediction for start-up `onramp`, if it gains something.
    pub fn gain(&self) -> Option<&Spread> {
        let mut candidates = self.candidates.iter();
        let onramp = candidates.find(|one| one.candidate == Candidate::Onramp)?;
        (onramp.time < 1.0 - SAME_WITHIN).then_some(onramp)
    }
}
