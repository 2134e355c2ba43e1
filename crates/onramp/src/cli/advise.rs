//! The options of `advise`.

use clap::{ArgGroup, Args};
use onramp_config::units;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

#[derive(Args)]
#[command(group = ArgGroup::new("saved").args(["files", "from"]))]
pub struct AdviseArguments {
    /// Observe this host for this long, for example `90s`, `10m` or `2h`. Ctrl-C ends it earlier
    #[arg(long = "for", value_name = "TIME", default_value = "10m", value_parser = time)]
    pub duration: Duration,
    /// Keep the observations in this file too, as JSON lines, for `onramp judge`, here or on
    /// another host
    #[arg(long, value_name = "FILE", value_parser = json_lines)]
    pub save: Option<PathBuf>,
    /// Keep at most this many connections: a random sample of all. Each takes 470 bytes of memory
    #[arg(long, value_name = "N", default_value = "50000")]
    pub most: NonZeroUsize,
    /// Observe nothing, and judge these files as `onramp judge` does: observations of --save,
    /// results of M-Lab's ndt7, archives of its tcp-info, or captures (pcap) of the sender
    #[arg(value_name = "FILE", conflicts_with_all = ["duration", "save", "most"])]
    pub files: Vec<PathBuf>,
    /// The same as FILE; may be given several times
    #[arg(long, value_name = "FILE", conflicts_with_all = ["duration", "save", "most"])]
    pub from: Vec<PathBuf>,
    /// Write a configuration of `onramp serve` with the reason of each line into this file
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Write the answer as one page of HTML into this file
    #[arg(long, value_name = "FILE")]
    pub page: Option<PathBuf>,
    /// Put beside the prediction of FILE what this file has: observations of a canary, in which
    /// some connections had start-up onramp
    #[arg(long, value_name = "FILE", requires = "saved")]
    pub compare: Vec<PathBuf>,
}

impl AdviseArguments {
    /// The files to judge; empty: this host is observed.
    pub fn saved(&self) -> &[PathBuf] {
        if self.files.is_empty() {
            &self.from
        } else {
            &self.files
        }
    }
}

/// A file that is not named like one of Parquet, whose readers would refuse it.
fn json_lines(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(extension) if extension == "parquet" => Err(
            "observations are saved as JSON lines, such as seen.jsonl; in Python, \
             `onramp.observations(\"seen.jsonl\").to_parquet(\"seen.parquet\")` converts them"
                .to_owned(),
        ),
        _ => Ok(path),
    }
}

/// A time in minutes or hours too.
fn time(text: &str) -> Result<Duration, String> {
    const MOST: Duration = Duration::from_secs(7 * 86_400);
    let text = text.trim();
    let minutes = |number: &str, minutes: u64| {
        let number: u64 = number.trim().parse().ok()?;
        number.checked_mul(minutes * 60)
    };
    let seconds = match text.strip_suffix('m') {
        Some(number) => minutes(number, 1),
        None => text
            .strip_suffix('h')
            .and_then(|number| minutes(number, 60)),
    };
    let time = match seconds {
        Some(seconds) => Duration::from_secs(seconds),
        None => Duration::from_nanos(units::parse_time(text).map_err(|error| error.to_string())?),
    };
    match (Duration::from_secs(1)..=MOST).contains(&time) {
        true => Ok(time),
        false => Err("from 1 s to 7 days".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_of_parquet_is_refused_with_the_way_to_it() {
        assert_eq!(json_lines("seen.jsonl"), Ok(PathBuf::from("seen.jsonl")));
        assert!(json_lines("seen.parquet")
            .unwrap_err()
            .contains("to_parquet"));
    }

    #[test]
    fn a_time_may_be_in_minutes_and_hours() {
        let seconds = |text| time(text).map(|time| time.as_secs());
        assert_eq!(seconds("90s"), Ok(90));
        assert_eq!(seconds("10m"), Ok(600));
        assert_eq!(seconds("2 h"), Ok(7200));
        for wrong in [
            "",
            "m",
            "10",
            "0s",
            "200h",
            "99999999999999999999m",
            "1 week",
        ] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
