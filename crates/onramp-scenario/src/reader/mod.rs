//! From the text of a file to a [`Scenario`].

mod flows;
mod hosts;
mod product;
mod startup_keys;
mod topology;
mod traffic;
mod transfer;

use crate::cases::{self, Draft};
use crate::error::{Error, MAX_FILE_BYTES};
use crate::keys::top::{DESCRIPTION, DURATION, HOSTS, NAME, RUN, SEED, TOP};
use crate::keys::{traffic::TRAFFIC, transfer::TRANSFER};
use crate::mistake::Mistake;
use crate::model::Scenario;
use flows::Routes;
use hosts::{read_receiver, read_sender};
use onramp_config::document::{Format, Reader, Section};
use onramp_config::key::Known;
use onramp_config::shown;
use onramp_config::{Fault, Invalid, Unreadable};
use product::check_product;
use std::num::NonZeroU32;
use std::path::Path;
use toml::de::DeTable;
use topology::read_topology;
use traffic::{read_traffic, Surroundings};
use transfer::read_transfer;

/// The maximum number of mistakes that an error lists. Where there are more, they follow from
/// these, or the file is no scenario.
const MAX_FAULTS: usize = 20;

/// Checks the text of a scenario file and multiplies its lists out. The name is for messages.
/// Such a scenario cannot name other files.
///
/// # Errors
/// [`Error::Invalid`] with the mistakes that were found, or [`Unreadable::TooLarge`].
pub fn parse(file_name: &str, text: &str) -> Result<Scenario, Error> {
    parse_in(None, file_name, text)
}

/// [`parse`], for a scenario that names other files from this folder on.
///
/// # Errors
/// Those of [`parse`].
pub fn parse_in(folder: Option<&Path>, file_name: &str, text: &str) -> Result<Scenario, Error> {
    parse_with(Overrides::default(), folder, file_name, text)
}

/// The format of scenario files.
static FORMAT: Format = Format {
    root: &TOP,
    max_entries: 1000,
    translate: Mistake::of_a_file,
};

/// Values that stand instead of a scenario's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overrides {
    /// How often each case runs, 1 to 1000, instead of `transfer.repeat` of every table.
    pub repeat: Option<NonZeroU32>,
}

/// [`parse_in`] with other values than those of the text.
///
/// # Errors
/// Those of [`parse`].
pub fn parse_with(
    overrides: Overrides,
    folder: Option<&Path>,
    file_name: &str,
    text: &str,
) -> Result<Scenario, Error> {
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(Error::Unreadable {
            file: file_name.to_owned(),
            cause: Unreadable::TooLarge(MAX_FILE_BYTES),
        });
    }
    let startups = onramp_core::startup_names();
    cases_of(startups, overrides, folder, text).map_err(|mut faults| {
        faults.sort_by_key(|fault| fault.span.as_ref().map(|span| span.start));
        // At the end of a file the recovering parser reports the same mistake once for each open
        // bracket.
        faults.dedup_by_key(|fault| (fault.span.clone(), fault.to_string()));
        faults.truncate(MAX_FAULTS);
        Error::Invalid(Box::new(Invalid::new(file_name, text, faults)))
    })
}

/// [`parse_with`], with these start-ups and `none`.
fn cases_of(
    startups: &[&str],
    overrides: Overrides,
    folder: Option<&Path>,
    text: &str,
) -> Result<Scenario, Vec<Fault>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        let fault = |error| syntax_fault(text, error);
        return Err(errors.iter().map(fault).collect());
    }
    if document.get_ref().is_empty() {
        return Err(vec![Fault::of_the_file(Mistake::Empty)]);
    }
    let known = Known {
        startups: startups.iter().map(|name| (*name).to_owned()).collect(),
        nodes: Vec::new(),
        folder: folder.map(Path::to_owned),
    };
    let mut reader = Reader::new(&FORMAT, known);
    let draft = read_draft(&mut reader, overrides, document.get_ref());
    match draft {
        Some(draft) if reader.faults.is_empty() => Ok(cases::multiply_out(&draft)),
        _ => Err(reader.faults),
    }
}

fn syntax_fault(text: &str, error: &toml::de::Error) -> Fault {
    let message = error.message().trim_end_matches(", expected nothing");
    // Errors at the end of the file point behind it.
    let span = error
        .span()
        .map(|span| span.start.min(text.len())..span.end.min(text.len()));
    let message = match span.clone().and_then(|span| text.get(span)) {
        Some("") if message.starts_with("string values must be quoted") => {
            "there is no value".to_owned()
        }
        Some(key) if message == "duplicate key" => {
            format!("the key `{}` is given twice", shown(key))
        }
        _ => message.to_owned(),
    };
    let mistake = Mistake::Syntax { message };
    match span {
        Some(span) => Fault::at(mistake, span),
        None => Fault::of_the_file(mistake),
    }
}

fn read_draft(reader: &mut Reader, overrides: Overrides, document: &DeTable) -> Option<Draft> {
    let top = Section::top(&TOP, document);
    reader.refuse_unknown_keys(&top);
    let name = reader.one(&top, &NAME);
    let description = reader.one(&top, &DESCRIPTION);
    let seed = reader.one(&top, &SEED);
    let run = reader.table(&top, &RUN);
    let duration_ns = reader.one(&run, &DURATION);
    let hosts = reader.one(&run, &HOSTS);
    let described = read_topology(reader, &top);
    let routes = Routes::of(&described, &reader.known.nodes);
    let receiver = read_receiver(reader, &top);
    let sender = read_sender(reader, &top);

    let mut transfers = Vec::new();
    let mut headers = Vec::new();
    for section in reader.tables(&top, &TRANSFER) {
        let transfer = read_transfer(reader, &routes, &section);
        transfers.extend(transfer.map(|mut transfer| {
            if let Some(repeat) = overrides.repeat {
                transfer.repeat = repeat.get();
            }
            transfer
        }));
        headers.push(section.header);
    }
    let around = Surroundings {
        routes: &routes,
        receiver: receiver.as_ref(),
        sender: sender.as_ref(),
        has_duration: duration_ns.is_some(),
    };
    let sections = reader.tables(&top, &TRAFFIC);
    let traffic = sections
        .iter()
        .filter_map(|section| read_traffic(reader, &around, section))
        .collect();

    let draft = Draft {
        name: name?,
        description: description?,
        seed: seed?,
        duration_ns,
        hosts,
        topology: described.topology?,
        receiver: receiver?,
        sender: sender?,
        transfers,
        traffic,
    };
    if !reader.faults.is_empty() {
        return None;
    }
    check_product(reader, &draft, &headers)?;
    Some(draft)
}
