//! The families of paths that are compared where a user names no files.

use onramp_scenario::Scenario;

/// Paths of one kind.
#[derive(Clone, Debug)]
pub struct Family {
    /// Its short name, in tables and on the command line.
    pub name: String,
    /// What its paths have in common.
    pub what: String,
    /// Its scenarios. Their start-ups are replaced.
    pub scenarios: Vec<Scenario>,
}

/// A scenario file of this repository, and texts of it that are replaced.
struct File(
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

macro_rules! file {
    ($name:literal) => {
        file!($name, &[])
    };
    ($name:literal, $replaced:expr) => {
        File(
            $name,
            include_str!(concat!("../scenarios/", $name)),
            $replaced,
        )
    };
}

/// Name, description and files of a family.
type Draft = (&'static str, &'static str, &'static [File]);

/// Transfers of 20 MB, which `start-up.toml` does not have.
const LARGER: &[(&str, &str)] = &[("\"5 MB\"]", "\"5 MB\", \"20 MB\"]")];

const FAMILIES: &[Draft] = &[
    (
        "clean",
        "18 exact paths: 10 to 250 Mbit/s, 20 to 600 ms, 100 kB to 20 MB",
        &[file!("start-up.toml", LARGER)],
    ),
    (
        "aggregated",
        "aggregated data and ACKs: hosts, receivers, cable, WiFi, LTE and 5G grants",
        &[
            file!("real/ack-aggregation.toml"),
            file!("real/ack-aggregation-from-first.toml"),
            file!("real/data-and-ack-aggregation.toml"),
            file!("real/docsis.toml"),
            file!("real/wifi-ampdu.toml"),
            file!("real/lte-grants.toml"),
            file!("real/nr-grants.toml"),
            file!("real/receiver-acks-2.toml"),
            file!("real/receiver-acks-4.toml"),
            file!("real/receiver-acks-16.toml"),
            file!("real/late-link.toml"),
            file!("real/late-link-always.toml"),
            file!("real/late-sender.toml"),
        ],
    ),
    (
        "jitter",
        "jitter of 1 to 20 ms both ways, in order and reordering",
        &[
            file!("real/ordered-jitter-1.toml"),
            file!("real/ordered-jitter-5.toml"),
            file!("real/ordered-jitter-10.toml"),
            file!("real/ordered-jitter-20.toml"),
            file!("real/reordering-jitter-1.toml"),
            file!("real/reordering-jitter-5.toml"),
            file!("real/reordering-jitter-10.toml"),
            file!("real/reordering-jitter-20.toml"),
        ],
    ),
    (
        "fading",
        "synthetic radio: rates that fade, and a low orbit with outages",
        &[
            file!("real/fading.toml"),
            file!("real/fading-fast.toml"),
            file!("real/low-orbit.toml"),
        ],
    ),
    (
        "pantheon",
        "emulators that Pantheon fitted to seven paths of the Internet",
        &[
            file!("real/pantheon-1.toml"),
            file!("real/pantheon-2.toml"),
            file!("real/pantheon-3.toml"),
            file!("real/pantheon-4.toml"),
            file!("real/pantheon-5.toml"),
            file!("real/pantheon-6.toml"),
            file!("real/pantheon-7.toml"),
        ],
    ),
    (
        "fast",
        "0.5 to 2.5 Gbit/s, 20 to 200 ms",
        &[file!("real/fast.toml")],
    ),
    (
        "policed",
        "policers of 10 to 50 Mbit/s behind lines of 0.1 and 1 Gbit/s",
        &[
            file!("real/policers-100.toml"),
            file!("real/policers-1000.toml"),
        ],
    ),
    (
        "shaped",
        "shapers behind lines of 0.1 and 1 Gbit/s",
        &[
            file!("real/shapers-100.toml"),
            file!("real/shapers-1000.toml"),
        ],
    ),
    (
        "buffers",
        "the paths of `clean` where the receiver has Linux's default buffer, 1 and 5 MB",
        &[file!("real/default-buffers.toml")],
    ),
    (
        "beside",
        "20 MB beside a long CUBIC flow, 50 Mbit/s, 100 ms, queues of 0.5 to 2 BDP",
        &[file!("real/long-cubic.toml")],
    ),
    (
        "ten",
        "ten downloads at once and 2 ms apart, to one host and to ten, for 22 round trips",
        &[
            file!("others/ten-at-once.toml"),
            file!("real/together.toml"),
            file!("real/together-apart.toml"),
        ],
    ),
];

/// The clean paths that the lab carries exactly, with one size, so that all start-ups take minutes
/// of real time.
const KERNEL: Draft = (
    "kernel",
    "the 12 exact paths of up to 50 Mbit/s, 1 MB",
    &[file!(
        "start-up.toml",
        &[
            ("\"50 Mbit/s\", \"250 Mbit/s\"]", "\"50 Mbit/s\"]"),
            ("[\"100 kB\", \"1 MB\", \"5 MB\"]", "\"1 MB\""),
        ]
    )],
);

/// The text of a file of `scenarios/` that this crate uses as a template.
pub(crate) fn embedded(name: &str) -> &'static str {
    const TEMPLATES: [File; 1] = [file!("real/synthetic-lte.toml")];
    let found = TEMPLATES.iter().find(|File(file, ..)| *file == name);
    found.expect("a file that is embedded").1
}

/// All families, in the order of tables. Recordings are a family of their own:
/// [`recorded_families`](crate::recorded_families).
pub fn families() -> Vec<Family> {
    FAMILIES.iter().map(family).collect()
}

/// The paths that are run on the kernel too.
pub fn kernel_family() -> Family {
    family(&KERNEL)
}

fn family((name, what, files): &Draft) -> Family {
    let scenario = |File(file, text, replaced): &File| {
        let mut text = (*text).to_owned();
        for (from, to) in *replaced {
            assert!(text.contains(from), "{file} has no `{from}`");
            text = text.replace(from, to);
        }
        onramp_scenario::parse(file, &text).unwrap_or_else(|error| panic!("{error}"))
    };
    Family {
        name: (*name).to_owned(),
        what: (*what).to_owned(),
        scenarios: files.iter().map(scenario).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn all_files_are_scenarios_and_all_names_differ() {
        let families = families();
        let names: BTreeSet<_> = families.iter().map(|family| &family.name).collect();
        assert_eq!(names.len(), families.len());
        assert!(families
            .iter()
            .flat_map(|family| &family.scenarios)
            .all(|scenario| !scenario.cases.is_empty()));
    }

    #[test]
    fn the_kernel_runs_what_the_lab_carries_exactly() {
        let family = kernel_family();
        let cases = &family.scenarios[0].cases;
        assert!(cases
            .iter()
            .all(|case| case.path.forward.rate_bits_per_s <= 50_000_000));
        assert_eq!(cases.len(), 2 * 12, "two start-ups of the file");
    }
}
