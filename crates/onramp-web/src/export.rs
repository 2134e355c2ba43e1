//! Files that the user saves. The scenario is simulated again: the same case gives the same
//! packets.

use crate::play::{observed, read};
use crate::refusal::Refusal;
use crate::watch::Progress;
use onramp_report::Run;
use onramp_results::Record;
use onramp_scenario::Scenario;
use onramp_sim::observe::Observer;
use onramp_trace::{CaseTrace, Format};

/// Entries of an exported trace, at most: packets, events or lines.
const MAX_ENTRIES: u64 = 500_000;

/// What is written into a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// The records of all cases, as JSON.
    Json,
    /// The records of all cases, as CSV.
    Csv,
    /// A CSV line for each ACK of one case.
    Acks,
    /// The packets of one case.
    Pcapng,
    /// The events of the first measured connection of one case.
    Qlog,
    /// The figures over time of all cases.
    Svg,
}

/// A file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedFile {
    /// Its name.
    pub name: String,
    /// Its media type.
    pub media_type: &'static str,
    /// Its contents.
    pub bytes: Vec<u8>,
}

impl ExportFormat {
    /// The format with this name, as in `ExportFormat` of `page/src/engine/types.ts`.
    pub fn named(name: &str) -> Option<ExportFormat> {
        Some(match name {
            "json" => ExportFormat::Json,
            "csv" => ExportFormat::Csv,
            "acks" => ExportFormat::Acks,
            "pcapng" => ExportFormat::Pcapng,
            "qlog" => ExportFormat::Qlog,
            "svg" => ExportFormat::Svg,
            _ => return None,
        })
    }
}

/// Writes a file of a scenario. `case` counts from 1; formats of all cases ignore it.
///
/// # Errors
/// Those of [`play`](crate::play()), and a scenario without this case or without figures.
pub fn export(
    text: &str,
    format: ExportFormat,
    case: usize,
    report: &mut dyn FnMut(Progress) -> bool,
) -> Result<ExportedFile, Refusal> {
    let scenario = read(text)?;
    let name = file_name(&scenario.name);
    match format {
        ExportFormat::Json => {
            let records = records(&scenario, report)?;
            let bytes = onramp_report::to_json(&records).into_bytes();
            Ok(file(format!("{name}.json"), "application/json", bytes))
        }
        ExportFormat::Csv => {
            let records = records(&scenario, report)?;
            let bytes = onramp_report::to_csv(&records).into_bytes();
            Ok(file(format!("{name}.csv"), "text/csv", bytes))
        }
        ExportFormat::Acks => trace(&scenario, case, Format::Csv, "text/csv", report),
        ExportFormat::Pcapng => trace(
            &scenario,
            case,
            Format::Pcapng,
            "application/x-pcapng",
            report,
        ),
        ExportFormat::Qlog => trace(
            &scenario,
            case,
            Format::Qlog,
            "application/qlog+json-seq",
            report,
        ),
        ExportFormat::Svg => {
            let runs = traced(&scenario, report)?;
            let figures = onramp_report::figures_file(&runs);
            let figures = figures.ok_or_else(|| Refusal::new("there is nothing to draw", None))?;
            Ok(file(
                format!("{name}.svg"),
                "image/svg+xml",
                figures.into_bytes(),
            ))
        }
    }
}

fn file(name: String, media_type: &'static str, bytes: Vec<u8>) -> ExportedFile {
    ExportedFile {
        name,
        media_type,
        bytes,
    }
}

/// The scenario's name with letters, digits and dashes only.
fn file_name(scenario: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
    scenario.chars().map(plain).take(100).collect()
}

fn records(
    scenario: &Scenario,
    report: &mut dyn FnMut(Progress) -> bool,
) -> Result<Vec<Record>, Refusal> {
    let runs = runs(scenario, false, report)?;
    Ok(runs.into_iter().map(|run| run.record).collect())
}

fn traced(
    scenario: &Scenario,
    report: &mut dyn FnMut(Progress) -> bool,
) -> Result<Vec<Run>, Refusal> {
    runs(scenario, true, report)
}

fn runs(
    scenario: &Scenario,
    with_traces: bool,
    report: &mut dyn FnMut(Progress) -> bool,
) -> Result<Vec<Run>, Refusal> {
    let mut runs = Vec::new();
    for (place, case) in scenario.cases.iter().enumerate() {
        let of = (place, scenario.cases.len());
        let nobody = onramp_sim::observe::NoObserver;
        let (outcome, _) = observed(case, of, with_traces, nobody, report)?;
        let traces = outcome.traces.into_iter().map(Some);
        let traces = traces.chain(std::iter::repeat(None));
        let own = outcome.records.into_iter().zip(traces);
        runs.extend(own.map(|(record, trace)| Run { record, trace }));
    }
    Ok(runs)
}

/// The trace of one case, in the file of its first measured flow where each flow has a file.
fn trace(
    scenario: &Scenario,
    number: usize,
    format: Format,
    media_type: &'static str,
    report: &mut dyn FnMut(Progress) -> bool,
) -> Result<ExportedFile, Refusal> {
    let Some(case) = number
        .checked_sub(1)
        .and_then(|place| scenario.cases.get(place))
    else {
        let cases = scenario.cases.len();
        let message = format!("the scenario has no case {number}: it has {cases}");
        return Err(Refusal::new(message, None));
    };
    let observer = (
        CaseTrace::in_memory(&[format], case, MAX_ENTRIES),
        FirstMeasured(None),
    );
    let (_, (trace, first)) = observed(case, (0, 1), false, observer, report)?;
    let files = trace.into_files();
    let is_wanted = |flow: Option<u32>| flow.is_none() || flow == first.0;
    let Some(file) = files.into_iter().find(|file| is_wanted(file.flow)) else {
        return Err(Refusal::new(
            "no measured transfer started, so there is no file",
            None,
        ));
    };
    let stem = file_name(&scenario.name);
    Ok(ExportedFile {
        name: format!("{stem}-case-{number}.{}", format.extension()),
        media_type,
        bytes: file.bytes,
    })
}

/// Number of the first measured flow.
struct FirstMeasured(Option<u32>);

impl Observer for FirstMeasured {
    fn flow_started(&mut self, flow: &onramp_sim::observe::FlowStart) {
        if flow.measured && self.0.is_none() {
            self.0 = Some(flow.flow);
        }
    }
}
