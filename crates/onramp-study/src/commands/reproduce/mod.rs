//! `onramp reproduce`: measures again the results of papers.

mod answer;
mod files;
mod flips;
mod kernel;
#[cfg(test)]
mod test_paper;

use super::runs;
use crate::cli::{PaperName, ReproduceArguments};
use crate::commands::unwritten;
use kernel::OnKernel;
use onramp_cli::failure::{Failure, DONE, INTERRUPTED, MISSED};
use onramp_cli::text::{out, say, Look};
use onramp_cli::{print_json, Answer};
use onramp_papers::{papers, reproduce, Error, Options, OtherSeeds, Paper, Record, Reproduction};

/// A paper and its results.
struct Done {
    paper: Paper,
    reproduction: Reproduction,
    /// The results on today's kernel; `None` if it was left out.
    kernel: Option<OnKernel>,
}

pub fn run(arguments: &ReproduceArguments, json: bool) -> Answer {
    let chosen: Vec<Paper> = papers()
        .into_iter()
        .filter(|paper| is_chosen(&arguments.paper, paper))
        .collect();
    if arguments.only_kernel {
        return kernel::alone::run(&chosen, arguments, json);
    }
    if let Some(out) = &arguments.out {
        onramp_report::prepare_files(out, &files::names(&arguments.paper, &chosen))
            .map_err(unwritten)?;
    }
    if !arguments.flips.is_empty() {
        return flips::run(&chosen, arguments, json);
    }
    // --json prints only the rows. Alternatives and the kernel need not run for it.
    let is_shown = !json || arguments.out.is_some();
    let kernel_wanted = is_shown && !arguments.no_kernel && !arguments.quick;
    let lab = if kernel_wanted {
        kernel::Lab::find(&chosen)
    } else {
        None
    };

    let alternatives = is_shown && !arguments.no_alternatives;
    let steps: usize = chosen
        .iter()
        .map(|paper| paper.steps(arguments.quick, alternatives))
        .sum();
    let progress = runs::progress(steps + lab.as_ref().map_or(0, kernel::Lab::steps));
    let step = || progress.inc(1);
    let options = options(arguments, arguments.seeds, None, &step);
    let mut all = Vec::new();
    for paper in chosen {
        progress.set_message(paper.ledger.id.clone());
        let Some(reproduction) = reproduced(&paper, arguments.quick, alternatives, &options)?
        else {
            return Ok(interrupted(&progress));
        };
        all.push(Done {
            paper,
            reproduction,
            kernel: None,
        });
    }
    if let Some(lab) = lab {
        for done in &mut all {
            match lab.run(&done.paper, &progress) {
                Ok(kernel) => done.kernel = kernel,
                Err(kernel::Stopped) => return Ok(interrupted(&progress)),
            }
        }
    }
    progress.finish_and_clear();
    conclude(&all, arguments, json)
}

fn options<'a>(
    arguments: &ReproduceArguments,
    seeds: u16,
    other_seeds: Option<OtherSeeds<'a>>,
    progress: &'a (dyn Fn() + Sync),
) -> Options<'a> {
    Options {
        seeds: usize::from(seeds),
        other_seeds,
        threads: runs::threads(arguments.threads),
        sim: onramp_sim::Options {
            stop: runs::stop_flag(),
            ..onramp_sim::Options::default()
        },
        progress,
    }
}

/// Reproduces a paper; `None` if the user interrupted it.
fn reproduced(
    paper: &Paper,
    quick: bool,
    alternatives: bool,
    options: &Options<'_>,
) -> Result<Option<Reproduction>, Failure> {
    match reproduce(paper, quick, alternatives, options) {
        Ok(reproduction) => Ok(Some(reproduction)),
        Err(Error::Simulator {
            error: onramp_sim::Error::Stopped,
            ..
        }) => Ok(None),
        Err(error) => Err(Failure::new(MISSED, error.to_string())),
    }
}

fn is_chosen(name: &PaperName, paper: &Paper) -> bool {
    match name {
        PaperName::All => true,
        PaperName::One(name) => *name == paper.ledger.id,
    }
}

fn interrupted(progress: &indicatif::ProgressBar) -> u8 {
    progress.finish_and_clear();
    INTERRUPTED
}

/// Prints and writes the results. They are printed even if they cannot be written.
fn conclude(all: &[Done], arguments: &ReproduceArguments, json: bool) -> Answer {
    let written = arguments
        .out
        .as_deref()
        .map(|out| files::write(out, &arguments.paper, all));
    let records: Vec<&Record> = all
        .iter()
        .flat_map(|done| &done.reproduction.records)
        .collect();
    if json {
        print_json(&records);
    } else {
        out(format_args!("{}", answer::text(all, Look::of_stdout())));
    }
    if let (Some(page), false) = (written.transpose().map_err(unwritten)?, json) {
        say!("Page: {}", page.display());
    }
    Ok(if records.iter().all(|record| record.verdict.is_good()) {
        DONE
    } else {
        MISSED
    })
}
