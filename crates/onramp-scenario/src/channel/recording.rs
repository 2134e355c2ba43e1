//! A recorded link: a file with the moments at which it carries bytes, or with its rates, delays
//! and losses.

use crate::mistake::Mistake;
use crate::seed::case_seed;
use onramp_config::key::{KeyPlace, Kind, Known};
use onramp_config::{shown, AnyMistake};
use onramp_net::{Opportunities, Recorded, RecordedTable, RecordedValues, MAX_TRACE_BYTES};
use std::io::Read;
use std::path::Path;
use std::sync::Arc;

/// A recorded link.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    /// The file as the scenario names it.
    pub file: String,
    /// What the link carries at which time.
    pub recording: Recording,
}

/// The content of a recording.
#[derive(Clone, Debug, PartialEq)]
pub enum Recording {
    /// The moments at which the link carries 1500 bytes, in mahimahi's format.
    Opportunities(Arc<Opportunities>),
    /// The rate, the delay and the loss of the link, as far as the file has them.
    Table(RecordedTable),
}

impl Recording {
    /// The mean rate of the recording, at least 1; `None` if it has no rates.
    pub fn mean_bits_per_s(&self) -> Option<u64> {
        match self {
            Recording::Opportunities(opportunities) => Some(opportunities.mean_bits_per_s()),
            Recording::Table(table) => Some(table.rates.as_ref()?.mean().max(1)),
        }
    }

    /// Length of the recording, after which it begins again.
    pub(super) fn length_ns(&self) -> u64 {
        match self {
            Recording::Opportunities(opportunities) => opportunities.length_ns(),
            Recording::Table(table) => {
                let columns = [&table.rates, &table.delays, &table.losses];
                let first = columns.into_iter().flatten().next();
                first.map_or(1, |values| values.length_ns())
            }
        }
    }

    pub(super) fn table(&self) -> Option<&RecordedTable> {
        match self {
            Recording::Opportunities(_) => None,
            Recording::Table(table) => Some(table),
        }
    }

    /// Reads the text of a `trace` with this name.
    fn parse(file: &str, text: &str) -> Result<Recording, String> {
        if is_table(file) {
            let table = RecordedTable::parse(text).map_err(|error| error.to_string())?;
            return Ok(Recording::Table(table));
        }
        let opportunities = Opportunities::parse(text).map_err(|error| error.to_string())?;
        Ok(Recording::Opportunities(Arc::new(opportunities)))
    }

    /// Reads the text of a `delay_trace` with this name.
    fn parse_delays(file: &str, text: &str) -> Result<Recording, String> {
        let table = match is_table(file) {
            true => RecordedTable::parse(text),
            false => RecordedTable::parse_delays(text),
        };
        let table = table.map_err(|error| error.to_string())?;
        if table.delays.is_none() && table.losses.is_none() {
            return Err("its first line names no column of delays or losses".to_owned());
        }
        Ok(Recording::Table(table))
    }
}

fn is_table(file: &str) -> bool {
    let extension = Path::new(file).extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("csv")
}

/// The delay or the loss of a recorded link.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedQuantity {
    /// The key that names the file.
    pub key: &'static str,
    /// The file as the scenario names it.
    pub file: String,
    /// Nanoseconds one way, or probabilities in millionths.
    pub values: Arc<RecordedValues>,
    /// Length of the recording of which [`TraceOffset::Random`] draws a time: that of `trace`, if
    /// there is one, so that rate, delay and loss begin at the same time.
    pub span_ns: u64,
}

impl RecordedQuantity {
    /// The quantity as a run sees it that begins at this time of the recording.
    pub(super) fn in_run(&self, start: RecordingStart) -> Recorded {
        Recorded {
            values: self.values.clone(),
            offset_ns: start.offset_ns(self.span_ns),
        }
    }

    /// The mean over time.
    pub fn mean(&self) -> u64 {
        self.values.mean()
    }

    /// The name of the file without its folder.
    pub(super) fn file_name(&self) -> String {
        let name = Path::new(&self.file).file_name();
        name.unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// The time of a recording at which a run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceOffset {
    /// This time, in nanoseconds.
    At(u64),
    /// Another time in each repeat. In both directions it is the same share of the recording.
    Random,
}

/// Where the recordings of a run begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct RecordingStart {
    pub offset: TraceOffset,
    pub run_seed: u64,
}

/// The number of the random stream of a run from which offsets are drawn. (Numbers of links and of
/// [`crate::random::Element`] are lower.)
const OFFSETS: u64 = 3;

impl RecordingStart {
    /// The time of a recording of this length.
    pub fn offset_ns(self, length_ns: u64) -> u64 {
        match self.offset {
            TraceOffset::At(ns) => ns,
            TraceOffset::Random => {
                let drawn = u128::from(case_seed(self.run_seed, OFFSETS));
                ((drawn * u128::from(length_ns)) >> 64) as u64
            }
        }
    }
}

/// A file with a recording.
#[derive(Debug)]
pub(crate) struct TraceFile;

impl Kind for TraceFile {
    type Value = Trace;
    const NAME: &'static str = "file";
    const EXPECTED: &'static str = "the name of a file in quotes, for example \"lte.down\"";

    fn parse(file: &str, known: &Known, place: &KeyPlace) -> Result<Trace, AnyMistake> {
        read(file, known, place, Recording::parse)
    }
}

/// A file with recorded delays or losses.
#[derive(Debug)]
pub(crate) struct DelayFile;

impl Kind for DelayFile {
    type Value = Trace;
    const NAME: &'static str = TraceFile::NAME;
    const EXPECTED: &'static str = "the name of a file in quotes, for example \"delays.csv\"";

    fn parse(file: &str, known: &Known, place: &KeyPlace) -> Result<Trace, AnyMistake> {
        read(file, known, place, Recording::parse_delays)
    }
}

fn read(
    file: &str,
    known: &Known,
    place: &KeyPlace,
    parse: fn(&str, &str) -> Result<Recording, String>,
) -> Result<Trace, AnyMistake> {
    let wrong = |why: String| {
        let (key, file) = (place.path(), shown(file));
        AnyMistake::from(Mistake::Trace { key, file, why })
    };
    let Some(folder) = &known.folder else {
        let why = "a scenario that is no file cannot name one".to_owned();
        return Err(wrong(why));
    };
    let text = text_of(&folder.join(file)).map_err(wrong)?;
    Ok(Trace {
        file: file.to_owned(),
        recording: parse(file, &text).map_err(wrong)?,
    })
}

/// The text of a regular file that is not too large, or what is wrong with it.
fn text_of(path: &Path) -> Result<String, String> {
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    // Opening a pipe without a writer would wait for ever.
    if !metadata.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)
        .and_then(|file| file.take(MAX_TRACE_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        format!("byte {offset} is not text")
    })
}
