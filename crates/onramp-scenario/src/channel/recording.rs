//! A recorded link: a file with the moments or the rates at which it carries bytes.

use crate::mistake::Mistake;
use onramp_config::key::{KeyPlace, Kind, Known};
use onramp_config::{shown, AnyMistake};
use onramp_net::{Opportunities, RecordedRates, MAX_TRACE_BYTES};
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
    /// The rate of the link, as comma-separated values.
    Rates(Arc<RecordedRates>),
}

impl Recording {
    /// The mean rate of the recording.
    pub fn mean_bits_per_s(&self) -> u64 {
        match self {
            Recording::Opportunities(opportunities) => opportunities.mean_bits_per_s(),
            Recording::Rates(rates) => rates.mean_bits_per_s(),
        }
    }

    /// Reads the text of a file with this name.
    fn parse(file: &str, text: &str) -> Result<Recording, String> {
        let extension = Path::new(file).extension().unwrap_or_default();
        if extension.eq_ignore_ascii_case("csv") {
            let rates = RecordedRates::parse(text).map_err(|error| error.to_string())?;
            return Ok(Recording::Rates(Arc::new(rates)));
        }
        let opportunities = Opportunities::parse(text).map_err(|error| error.to_string())?;
        Ok(Recording::Opportunities(Arc::new(opportunities)))
    }
}

/// A file with a recording.
#[derive(Debug)]
pub(crate) struct TraceFile;

impl Kind for TraceFile {
    type Value = Trace;
    const NAME: &'static str = "file";
    const EXPECTED: &'static str = "the name of a file in quotes, for example \"lte.down\"";

    fn parse(text: &str, known: &Known, place: &KeyPlace) -> Result<Trace, AnyMistake> {
        let wrong = |why: String| {
            let (key, file) = (place.path(), shown(text));
            AnyMistake::from(Mistake::Trace { key, file, why })
        };
        let Some(folder) = &known.folder else {
            let why = "a scenario that is no file cannot name one".to_owned();
            return Err(wrong(why));
        };
        let text_of_trace = text_of(&folder.join(text)).map_err(wrong)?;
        Ok(Trace {
            file: text.to_owned(),
            recording: Recording::parse(text, &text_of_trace).map_err(wrong)?,
        })
    }
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
