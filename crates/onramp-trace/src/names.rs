//! Names of the files of a case: its number, and the properties that distinguish it from others.

use onramp_results::{connections, Record};
use onramp_scenario::{units, Buffer, Case};

/// The properties in which cases can differ. A name contains those that are not the same in all
/// cases.
fn properties_of(case: &Case) -> Vec<String> {
    let (path, transfer) = (&case.path, &case.transfer);
    let buffer = |buffer| match buffer {
        Buffer::LinuxDefault => "linux-default".to_owned(),
        Buffer::Bytes(bytes) => units::format_size(bytes),
    };
    vec![
        case.scenario.clone(),
        units::format_rate(path.forward.rate_bits_per_s),
        format!("rtt {}", units::format_time(path.rtt_ns)),
        format!("queue {}", path.forward.queue),
        format!("loss {}", units::format_percent(path.forward.loss_ppm)),
        format!("receiver {}", buffer(case.receiver.buffer)),
        format!("sender {}", buffer(case.sender.buffer)),
        units::format_size(transfer.size_bytes),
        transfer
            .segment_bytes
            .map_or("segment mtu".to_owned(), |bytes| format!("segment {bytes}")),
        transfer.transport.name().to_owned(),
        transfer.stack.name().to_owned(),
        format!(
            "scaling {}",
            if transfer.window_scaling { "on" } else { "off" }
        ),
        format!("ecn {}", if transfer.ecn { "on" } else { "off" }),
        transfer.recovery.name().to_owned(),
        transfer.timers.name().to_owned(),
        transfer.startup.clone(),
        format!(
            "counting {}",
            onramp_scenario::format_byte_counting(transfer.byte_counting)
        ),
        transfer.avoidance.name().to_owned(),
        format!("iw {}", transfer.initial_window),
        match connections(case) {
            words if words.is_empty() => "end to end".to_owned(),
            words => words,
        },
        format!("run {}", case.run),
    ]
}

/// The beginning of the file names of each case, such as `case-07-paced-1MB`.
pub(crate) fn stems(cases: &[&Case]) -> Vec<String> {
    let all: Vec<Vec<String>> = cases.iter().map(|case| properties_of(case)).collect();
    let differs: Vec<bool> = match all.first() {
        Some(first) => (0..first.len())
            .map(|at| all.iter().any(|properties| properties[at] != first[at]))
            .collect(),
        None => Vec::new(),
    };
    let width = cases.len().to_string().len();
    let stem = |(number, properties): (usize, &Vec<String>)| {
        let mut name = format!("case-{number:0width$}");
        for (word, _) in properties
            .iter()
            .zip(&differs)
            .filter(|(_, differs)| **differs)
        {
            name.push('-');
            name.push_str(&plain(word));
        }
        // Most file systems allow 255 bytes. The number keeps names distinct.
        name.truncate(150);
        name
    };
    (1..).zip(&all).map(stem).collect()
}

/// A word of letters, digits, dots and dashes.
fn plain(word: &str) -> String {
    let kept = word.chars().filter(|c| *c != ' ');
    kept.map(|c| {
        if c.is_ascii_alphanumeric() || c == '.' {
            c
        } else {
            '-'
        }
    })
    .collect()
}

/// A description of a case in one line.
pub(crate) fn describe(case: &Case) -> String {
    let (path, transfer) = (&case.path, &case.transfer);
    format!(
        "{}: {} by {} over {} and {} round trip, run {}, seed {}",
        case.scenario,
        units::format_size(transfer.size_bytes),
        Record::of_case(case, "").algorithms(),
        units::format_rate(path.forward.rate_bits_per_s),
        units::format_time(path.rtt_ns),
        case.run,
        case.seed,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stems_of(text: &str) -> Vec<String> {
        let text = format!("name = \"x\"\n[path]\nrate = \"50 Mbit/s\"\nrtt = \"20 ms\"\n{text}");
        let scenario = onramp_scenario::parse("x.toml", &text).unwrap();
        stems(&scenario.cases.iter().collect::<Vec<_>>())
    }

    #[test]
    fn a_single_case_has_only_its_number() {
        assert_eq!(stems_of("[[transfer]]\nsize = \"1 MB\"\n"), ["case-1"]);
    }

    #[test]
    fn properties_that_differ_are_in_the_names() {
        let text =
            "[[transfer]]\nsize = [\"1 MB\", \"0.3 MB\"]\nstartup = [\"standard\", \"paced\"]\n";
        assert_eq!(
            stems_of(text),
            [
                "case-1-1MB-standard",
                "case-2-1MB-paced",
                "case-3-300kB-standard",
                "case-4-300kB-paced"
            ]
        );
    }

    #[test]
    fn properties_of_the_tcp_are_in_the_names() {
        let text = "[[transfer]]\nsize = \"1 MB\"\nsegment = [\"1500 B\", \"512 B\"]\n\
                    window_scaling = false\n\
                    [[transfer]]\nsize = \"1 MB\"\nbyte_counting = \"2 segments\"\n";
        let wanted = [
            "case-1-segmentmtu-scalingoff-countingunlimited",
            "case-2-segment512-scalingoff-countingunlimited",
            "case-3-segmentmtu-scalingon-counting2segments",
        ];
        assert_eq!(stems_of(text), wanted);
    }

    #[test]
    fn names_sort_by_number() {
        let stems = stems_of("[[transfer]]\nsize = \"1 MB\"\nrepeat = 10\n");
        assert_eq!(
            (stems[0].as_str(), stems[9].as_str()),
            ("case-01-run1", "case-10-run10")
        );
    }
}
