//! From a file's text to a [`Scenario`].

mod channel;
mod topology;
mod traffic;
mod transfer;
mod values;
mod ways;

#[cfg(test)]
pub(crate) use channel::DISCIPLINES;
#[cfg(test)]
pub(crate) use traffic::KINDS_OF_TRAFFIC;

use crate::cases::{self, Draft};
use crate::document::{integer, quantity, Reader, Section};
use crate::keys;
use crate::units::{format_size, parse_time, shown};
use crate::{Error, Fault, Invalid, Mistake, Scenario, Stack, MAX_FILE_BYTES};
use std::collections::HashMap;
use std::ops::Range;
use toml::de::DeTable;
use topology::read_topology;
use traffic::read_traffic;
use transfer::{read_receiver, read_sender, read_transfer};
use values::{any_text, file_name};
use ways::Ways;

/// More mistakes than this are not listed: the rest follows from them, or the file is no scenario.
const MOST_FAULTS: usize = 20;

/// Checks the text of a scenario file and multiplies its lists out. The name is for the messages.
///
/// # Errors
/// [`Error::Invalid`] with all mistakes that were found, or [`Error::TooLarge`].
pub fn parse(file_name: &str, text: &str) -> Result<Scenario, Error> {
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(Error::TooLarge {
            file: file_name.to_owned(),
        });
    }
    parse_with(onramp_core::startup_names(), text).map_err(|mut faults| {
        faults.sort_by_key(|fault| fault.span.as_ref().map(|span| span.start));
        // A parser that recovers stumbles over the end of a file once for each thing that is open
        // there.
        faults.dedup_by_key(|fault| (fault.span.clone(), fault.to_string()));
        faults.truncate(MOST_FAULTS);
        Error::Invalid(Box::new(Invalid::new(file_name, text, faults)))
    })
}

/// [`parse`] with these start-ups beside [`NO_STARTUP`].
fn parse_with(startups: &[&str], text: &str) -> Result<Scenario, Vec<Fault>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(errors
            .iter()
            .map(|error| syntax_fault(text, error))
            .collect());
    }
    if document.get_ref().is_empty() {
        return Err(vec![Mistake::Empty.nowhere()]);
    }
    let mut reader = Reader::default();
    let draft = read_draft(&mut reader, startups, document.get_ref());
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
    span.map_or(mistake.clone().nowhere(), |span| mistake.at(span))
}

fn read_draft(reader: &mut Reader, startups: &[&str], document: &DeTable) -> Option<Draft> {
    let top = Section::top(document);
    reader.refuse_unknown_keys(&top);
    let name = reader.one(&top, &keys::NAME, &file_name("scenario"));
    let description = reader.one(&top, &keys::DESCRIPTION, &any_text);
    let seed = reader.one(&top, &keys::SEED, &integer::<u64>);
    let run = reader.table(&top, &keys::RUN);
    let duration_ns = reader.one(&run, &keys::RUN_DURATION, &quantity(parse_time));
    let described = read_topology(reader, &top);
    let ways = Ways::of(&described);
    let receiver = read_receiver(reader, &top);
    let sender = read_sender(reader, &top);

    let mut transfers = Vec::new();
    let mut headers = Vec::new();
    for section in reader.tables(&top, &keys::TRANSFER) {
        transfers.extend(read_transfer(reader, startups, &ways, &section));
        headers.push(section.header);
    }
    let sections = reader.tables(&top, &keys::TRAFFIC);
    let of_section = |section| {
        read_traffic(
            reader,
            startups,
            &ways,
            (receiver.as_ref(), sender.as_ref()),
            duration_ns.is_some(),
            section,
        )
    };
    let traffic = sections.iter().filter_map(of_section).collect();

    let draft = Draft {
        name: name?,
        description: description?,
        seed: seed?,
        duration_ns,
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

/// A label is of one row, and of one table.
fn check_labels(reader: &mut Reader, draft: &Draft, headers: &[Range<usize>]) -> Option<()> {
    let mut seen = HashMap::new();
    for (transfer, header) in draft
        .transfers
        .iter()
        .zip(headers)
        .filter(|(transfer, _)| !transfer.label.is_empty())
    {
        let label = transfer.label.to_string();
        let rows = transfer.product().len() / transfer.sizes.len();
        let mistake = match seen.insert(label.clone(), header.clone()) {
            Some(first) => Mistake::SameLabel { label, first },
            None if rows > 1 => Mistake::LabelOfSeveral { label, rows },
            None => continue,
        };
        reader.faults.push(mistake.at(header.clone()));
        return None;
    }
    Some(())
}

/// What only the whole file shows: how many cases it makes, and whether two of them are the same.
fn check_product(reader: &mut Reader, draft: &Draft, headers: &[Range<usize>]) -> Option<()> {
    let cases = draft.case_count();
    if cases > u128::from(cases::MOST_CASES) {
        reader.faults.push(
            Mistake::TooManyCases {
                cases,
                most: cases::MOST_CASES,
            }
            .nowhere(),
        );
        return None;
    }
    check_labels(reader, draft, headers)?;
    let mut seen = HashMap::new();
    for (transfer, header) in draft.transfers.iter().zip(headers) {
        for one in transfer.product() {
            let tcp = (
                one.stack,
                one.recovery,
                one.timers,
                one.clocks,
                one.given,
                one.initial_window,
                one.connect,
            );
            let toolbox = (
                one.segment_bytes,
                one.window_scaling,
                one.byte_counting,
                one.split.clone(),
                one.connections,
                one.dscp,
                one.memory,
            );
            let case = (
                one.size_bytes,
                one.startup.clone(),
                one.avoidance,
                tcp,
                toolbox,
                one.application,
            );
            if let Some(first) = seen.insert(case, header.clone()) {
                let (size, avoidance) = (format_size(one.size_bytes), one.avoidance.name());
                let tcp = match one.stack {
                    Stack::Linux => String::new(),
                    stack => format!(", stack {}", stack.name()),
                };
                let case = format!(
                    "{size}, {} with {avoidance}, initial window {}{tcp}",
                    one.startup, one.initial_window
                );
                reader
                    .faults
                    .push(Mistake::RepeatedCase { case, first }.at(header.clone()));
                return None;
            }
        }
    }
    Some(())
}
