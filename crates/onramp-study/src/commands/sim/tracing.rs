//! `onramp sim --trace`: packet traces of the cases.

use crate::cli::SimArguments;
use onramp_cli::failure::{Failure, BAD_INPUT};
use onramp_cli::text::count;
use onramp_scenario::{Case, Transport};
use onramp_sim::{run, run_observed, Error, Options, Outcome};
use onramp_trace::{Kept, Traces};

/// The traces of a command; `None` if none are wanted.
pub struct Tracing(Option<Traces>);

/// The trace files of a case. An error does not end the other cases.
pub type KeptTraces = Result<Kept, onramp_trace::Error>;

impl Tracing {
    pub fn begin(arguments: &SimArguments, cases: &[&Case]) -> Result<Tracing, Failure> {
        let Some(out) = arguments
            .out
            .as_ref()
            .filter(|_| !arguments.trace.is_empty())
        else {
            return Ok(Tracing(None));
        };
        if cases
            .iter()
            .any(|case| case.transfer.transport == Transport::Quic)
        {
            let message = "`transfer.transport` asks for `quic`: --trace writes the segments of \
                           TCP alone; leave it out";
            return Err(Failure::new(BAD_INPUT, message.to_owned()));
        }
        let most = arguments.trace_packets.get();
        let traces = Traces::begin(out, &arguments.trace, most, cases).map_err(failure)?;
        Ok(Tracing(Some(traces)))
    }

    /// Runs a case and traces it.
    pub fn run(
        &self,
        index: usize,
        case: &Case,
        options: &Options,
    ) -> Result<(Outcome, KeptTraces), Error> {
        let Some(traces) = &self.0 else {
            return Ok((run(case, options)?, Ok(Kept::default())));
        };
        let (outcome, trace) = run_observed(case, options, traces.case(index, case))?;
        Ok((outcome, traces.keep(index, case, trace)))
    }

    /// Writes the list of the trace files, and notes what is missing. Returns a line for standard
    /// output.
    pub fn finish(self, kept: Vec<KeptTraces>) -> Result<Option<String>, Failure> {
        let Some(traces) = self.0 else {
            return Ok(None);
        };
        let (kept, errors): (Vec<KeptTraces>, Vec<KeptTraces>) =
            kept.into_iter().partition(Result::is_ok);
        let kept: Vec<Kept> = kept.into_iter().flatten().collect();
        for Kept {
            files,
            flows_left_out,
        } in &kept
        {
            for file in files.iter().filter(|file| file.limited) {
                eprintln!(
                    "note: {} ends at its limit (--trace-packets {})",
                    file.file, file.entries
                );
            }
            if let (Some(file), 1..) = (files.first(), *flows_left_out) {
                let flows = count(*flows_left_out as usize, "flow");
                eprintln!(
                    "note: case {}: too many flows for a file each, {flows} left out",
                    file.case
                );
            }
        }
        let files: Vec<_> = kept.into_iter().flat_map(|kept| kept.files).collect();
        let listed = traces.finish(&files);
        // The first error explains the others.
        if let Some(error) = errors.into_iter().find_map(Result::err) {
            return Err(failure(error));
        }
        let list = listed.map_err(failure)?;
        Ok(Some(format!(
            "Traces: {}, listed in {}",
            count(files.len(), "file"),
            list.display()
        )))
    }
}

fn failure(error: onramp_trace::Error) -> Failure {
    Failure::new(BAD_INPUT, error.to_string())
}
