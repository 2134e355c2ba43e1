//! The top level of a file, with `[run]`.

use super::hosts::{RECEIVER, SENDER};
use super::kinds::{HostsName, ScenarioName};
use super::network::{LINK, NODE, PATH};
use super::traffic::TRAFFIC;
use super::transfer::TRANSFER;
use onramp_config::key::Fallback::{Other, Required, Text};
use onramp_config::key::{keys, AnyText, Integer, Table, Time};

/// The top level, from which all tables can be reached.
pub(crate) static TOP: Table = Table {
    is_required: true,
    keys: KEYS,
    tables: &[
        &PATH, &NODE, &LINK, &RUN, &RECEIVER, &SENDER, &TRANSFER, &TRAFFIC,
    ],
    ..Table::one("", "the scenario's name, description and seed")
};

pub(crate) static RUN: Table = Table {
    keys: RUN_KEYS,
    ..Table::one("run", "the end of the run, and its hosts")
};

keys! { KEYS:
    NAME: ScenarioName = "name", Required,
        "Name of the scenario in tables and files: 1 to 64 characters of `a-z`, `0-9` and `-`, \
         not beginning with `-`.";
    DESCRIPTION: AnyText = "description", Text(""), "One sentence for the report.";
    SEED: Integer<u64> = "seed", Text("1"), ranges &[("0", "9223372036854775807")],
        "The seed from which the seed of each case is derived.";
}

keys! { RUN_KEYS:
    DURATION: Time = "duration", Other("until all is finished"), ranges &[("1 ms", "1000000 s")],
        "The run ends at this time, even if transfers are unfinished.";
    HOSTS: HostsName = "hosts",
        Other("`noisy` if a case repeats and nothing else is random, else `exact`"),
        "How long hosts take to process a packet: {names}. `exact` hosts take no time. Those of \
         the lab are real, and always noisy.";
}
