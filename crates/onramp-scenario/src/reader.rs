//! From a file's text to a [`Scenario`].

use crate::cases::{self, Draft, Reverse, TransferDraft};
use crate::document::{integer, quantity, Reader, Section};
use crate::fault::{Fault, Mistake};
use crate::keys::{self, Key};
use crate::units::{format_size, format_time, nearest, parse_percent, parse_rate, parse_size, parse_time, shown};
use crate::{
    Avoidance, Error, Invalid, Receiver, Scenario, Traffic, TrafficKind, TrafficStart, Transfers, MAX_FILE_BYTES,
    NO_STARTUP,
};
use onramp_tcp::{Acks, Recovery, Stack, Timers};
use std::collections::HashMap;
use std::ops::Range;
use toml::de::DeTable;

/// More mistakes than this are not listed: the rest follows from them, or the file is no scenario.
const MOST_FAULTS: usize = 20;

/// Checks the text of a scenario file and multiplies its lists out. The name is for the messages.
///
/// # Errors
/// [`Error::Invalid`] with all mistakes that were found, or [`Error::TooLarge`].
pub fn parse(file_name: &str, text: &str) -> Result<Scenario, Error> {
    if text.len() as u64 > MAX_FILE_BYTES {
        return Err(Error::TooLarge { file: file_name.to_owned() });
    }
    parse_with(onramp_core::startup_names(), text).map_err(|mut faults| {
        faults.sort_by_key(|fault| fault.span.as_ref().map(|span| span.start));
        // A parser that recovers stumbles over the end of a file once for each thing that is open there.
        faults.dedup_by_key(|fault| (fault.span.clone(), fault.to_string()));
        faults.truncate(MOST_FAULTS);
        Error::Invalid(Box::new(Invalid::new(file_name, text, faults)))
    })
}

/// [`parse`] with these start-ups beside [`NO_STARTUP`].
fn parse_with(startups: &[&str], text: &str) -> Result<Scenario, Vec<Fault>> {
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Err(errors.iter().map(|error| syntax_fault(text, error)).collect());
    }
    if document.get_ref().is_empty() {
        return Err(vec![Mistake::Empty.nowhere()]);
    }
    let mut reader = Reader::default();
    let draft = read_draft(&mut reader, startups, document.get_ref());
    match draft {
        Some(draft) if reader.faults.is_empty() => Ok(cases::multiply_out(draft)),
        _ => Err(reader.faults),
    }
}

fn syntax_fault(text: &str, error: &toml::de::Error) -> Fault {
    let message = error.message().trim_end_matches(", expected nothing");
    // Errors at the end of the file point behind it.
    let span = error.span().map(|span| span.start.min(text.len())..span.end.min(text.len()));
    let message = match span.clone().and_then(|span| text.get(span)) {
        Some("") if message.starts_with("string values must be quoted") => "there is no value".to_owned(),
        Some(key) if message == "duplicate key" => format!("the key `{}` is given twice", shown(key)),
        _ => message.to_owned(),
    };
    let mistake = Mistake::Syntax { message };
    span.map_or(mistake.clone().nowhere(), |span| mistake.at(span))
}

fn read_draft(reader: &mut Reader, startups: &[&str], document: &DeTable) -> Option<Draft> {
    let top = Section::top(document);
    reader.refuse_unknown_keys(&top);
    let name = reader.one(&top, &keys::NAME, &scenario_name);
    let description = reader.one(&top, &keys::DESCRIPTION, &any_text);
    let seed = reader.one(&top, &keys::SEED, &integer::<u64>);

    let path = reader.table(&top, &keys::PATH);
    let rates = reader.list(&path, &keys::PATH_RATE, &quantity(parse_rate));
    let rtts = reader.list(&path, &keys::PATH_RTT, &quantity(parse_time));
    let queues = reader.list(&path, &keys::PATH_QUEUE, &quantity(str::parse));
    let losses = reader.list(&path, &keys::PATH_LOSS, &quantity(parse_percent));
    let mtu = reader.one(&path, &keys::PATH_MTU, &quantity(parse_size));
    let reverse = read_reverse(reader, &path, rtts.as_deref());

    let receiver = reader.table(&top, &keys::RECEIVER);
    let receiver_buffers = reader.list(&receiver, &keys::RECEIVER_BUFFER, &quantity(str::parse));
    let sender = reader.table(&top, &keys::SENDER);
    let sender_buffers = reader.list(&sender, &keys::SENDER_BUFFER, &quantity(str::parse));

    let mut transfers = Vec::new();
    let mut headers = Vec::new();
    for section in reader.tables(&top, &keys::TRANSFER) {
        transfers.extend(read_transfer(reader, startups, &section));
        headers.push(section.header);
    }
    let sections = reader.tables(&top, &keys::TRAFFIC);
    let traffic = sections.iter().filter_map(|section| read_traffic(reader, startups, section)).collect();

    let draft = Draft {
        name: name?,
        description: description?,
        seed: seed?,
        rates: rates?,
        rtts: rtts?,
        queues: queues?,
        losses: losses?,
        mtu_bytes: u32::try_from(mtu?).ok()?,
        reverse: reverse?,
        receiver_buffers: receiver_buffers?,
        sender_buffers: sender_buffers?,
        transfers,
        traffic,
    };
    if !reader.faults.is_empty() {
        return None;
    }
    check_product(reader, &draft, &headers)?;
    Some(draft)
}

fn read_reverse(reader: &mut Reader, path: &Section, rtts: Option<&[u64]>) -> Option<Reverse> {
    let section = reader.table(path, &keys::REVERSE);
    let rate_bits_per_s = reader.one(&section, &keys::REVERSE_RATE, &quantity(parse_rate));
    let queue = reader.one(&section, &keys::REVERSE_QUEUE, &quantity(str::parse));
    let loss_ppm = reader.one(&section, &keys::REVERSE_LOSS, &quantity(parse_percent));
    let delay_ns = reader.one(&section, &keys::REVERSE_DELAY, &quantity(parse_time));
    if let (Some(delay), Some(rtt)) = (delay_ns, rtts.and_then(|rtts| rtts.iter().min())) {
        if delay > *rtt {
            let span = reader.span(&section, &keys::REVERSE_DELAY).unwrap_or_default();
            let mistake = Mistake::DelayBeyondRtt { delay: format_time(delay), rtt: format_time(*rtt) };
            reader.faults.push(mistake.at(span));
        }
    }
    Some(Reverse { rate_bits_per_s, queue, loss_ppm: loss_ppm?, delay_ns })
}

fn read_transfer(reader: &mut Reader, startups: &[&str], section: &Section) -> Option<TransferDraft> {
    let sizes = reader.list(section, &keys::TRANSFER_SIZE, &quantity(parse_size));
    let names = reader.list(section, &keys::TRANSFER_STARTUP, &|key, text| startup(startups, key, text));
    let avoidances = reader.list(section, &keys::TRANSFER_AVOIDANCE, &avoidance);
    let windows = reader.list(section, &keys::TRANSFER_WINDOW, &quantity(str::parse));
    let repeat = reader.one(section, &keys::TRANSFER_REPEAT, &integer::<u32>);
    Some(TransferDraft { sizes: sizes?, startups: names?, avoidances: avoidances?, windows: windows?, repeat: repeat? })
}

fn read_traffic(reader: &mut Reader, startups: &[&str], section: &Section) -> Option<Traffic> {
    let name = reader.one(section, &keys::TRAFFIC_STARTUP, &|key, text| startup(startups, key, text));
    let avoidance = reader.one(section, &keys::TRAFFIC_AVOIDANCE, &avoidance);
    let lead_ns = reader.one(section, &keys::TRAFFIC_LEAD, &quantity(parse_time));
    let transfers = Transfers {
        startup: name?,
        avoidance: avoidance?,
        stack: Stack::Linux,
        recovery: Recovery::Rack,
        timers: Timers::Linux,
        receiver: Receiver {
            buffer: crate::Buffer::LinuxDefault,
            acks: Acks::Linux,
            timestamps: true,
            sack: true,
            window_scaling: true,
        },
        sizes: Vec::new(),
        count: Some(1),
        arrivals: None,
    };
    Some(Traffic {
        kind: TrafficKind::Transfers(transfers),
        from: 0,
        to: 1,
        measured: false,
        start: TrafficStart::Lead(lead_ns?),
        stop_ns: None,
    })
}

fn scenario_name(_: &Key, text: &str) -> Result<String, Mistake> {
    let is_good = (1..=64).contains(&text.len())
        && !text.starts_with('-')
        && text.bytes().all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'-'));
    is_good.then(|| text.to_owned()).ok_or_else(|| Mistake::BadName { found: shown(text) })
}

fn any_text(_: &Key, text: &str) -> Result<String, Mistake> {
    Ok(text.to_owned())
}

fn startup(startups: &[&str], key: &Key, text: &str) -> Result<String, Mistake> {
    let names = [&[NO_STARTUP], startups].concat();
    names.contains(&text).then(|| text.to_owned()).ok_or_else(|| unknown_name(&names, key, text))
}

fn avoidance(key: &Key, text: &str) -> Result<Avoidance, Mistake> {
    let known = Avoidance::ALL.into_iter().find(|avoidance| avoidance.name() == text);
    known.ok_or_else(|| unknown_name(&Avoidance::ALL.map(Avoidance::name), key, text))
}

fn unknown_name(names: &[&str], key: &Key, text: &str) -> Mistake {
    Mistake::UnknownName {
        key: key.path(),
        found: shown(text),
        nearest: nearest(text, names.iter().copied()).map(str::to_owned),
        accepted: names.iter().map(|name| format!("`{name}`")).collect(),
    }
}

/// What only the whole file shows: how many cases it makes, and whether two of them are the same.
fn check_product(reader: &mut Reader, draft: &Draft, headers: &[Range<usize>]) -> Option<()> {
    let cases = draft.case_count();
    if cases > u128::from(cases::MOST_CASES) {
        reader.faults.push(Mistake::TooManyCases { cases, most: cases::MOST_CASES }.nowhere());
        return None;
    }
    let mut seen = HashMap::new();
    for (transfer, header) in draft.transfers.iter().zip(headers) {
        for one in transfer.product() {
            let case = (one.size_bytes, one.startup.clone(), one.avoidance, one.initial_window);
            if let Some(first) = seen.insert(case, header.clone()) {
                let (size, avoidance) = (format_size(one.size_bytes), one.avoidance.name());
                let case = format!("{size}, {} with {avoidance}, initial window {}", one.startup, one.initial_window);
                reader.faults.push(Mistake::RepeatedCase { case, first }.at(header.clone()));
                return None;
            }
        }
    }
    Some(())
}
