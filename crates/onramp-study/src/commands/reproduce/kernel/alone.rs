//! `onramp reproduce --only-kernel`: the transfers on this machine's kernel, without the papers'
//! rows.

use super::super::{interrupted, unwritten};
use super::{Lab, Stopped};
use crate::cli::ReproduceArguments;
use crate::commands::runs;
use onramp_cli::failure::{DONE, MISSED};
use onramp_cli::text::{out, Look};
use onramp_cli::{print_json, Answer};
use onramp_papers::Paper;

/// Prints the results of each paper, and with `--out DIR` writes them as Markdown:
/// `DIR/PAPER/kernel.md`.
pub fn run(papers: &[Paper], arguments: &ReproduceArguments, json: bool) -> Answer {
    let Some(lab) = Lab::find(papers) else {
        return Ok(MISSED);
    };
    let progress = runs::progress(lab.steps());
    let mut all = Vec::new();
    for paper in papers {
        match lab.run(paper, &progress) {
            Ok(results) => all.extend(results.map(|results| (paper, results))),
            Err(Stopped) => return Ok(interrupted(&progress)),
        }
    }
    progress.finish_and_clear();
    let date = runs::date();
    let table = |(paper, results): &(&Paper, super::OnKernel)| {
        let name = format!("{}/kernel.md", paper.ledger.id);
        (name, results.markdown(&date))
    };
    let files: Vec<_> = all.iter().map(table).collect();
    let written = arguments.out.as_deref();
    let written = written.map(|dir| onramp_report::write_files(dir, &files));
    if json {
        let records = all.iter().flat_map(|(_, results)| results.records());
        print_json(&records.collect::<Vec<_>>());
    } else {
        let width = Look::of_stdout().width;
        for (paper, results) in &all {
            let (ledger, text) = (&paper.ledger, results.text(&paper.ledger.kernel, width));
            out(format_args!("{}\n\n{text}\n", ledger.title));
        }
    }
    written.transpose().map_err(unwritten)?;
    Ok(DONE)
}
