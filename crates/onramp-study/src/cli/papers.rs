//! The options of `reproduce` and `theory`.

use clap::Args;
use onramp_config::{did_you_mean, nearest};
use std::num::NonZeroUsize;
use std::path::PathBuf;

#[derive(Args)]
pub struct TheoryArguments {
    /// Run only the rows that take seconds
    #[arg(long)]
    pub quick: bool,
    /// Run this many rows at a time. The results do not depend on it [default: one per processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Run nothing. Write the scenarios of the rows into this directory
    #[arg(long, value_name = "DIR")]
    pub scenarios: Option<PathBuf>,
}

#[derive(Args)]
pub struct ReproduceArguments {
    /// The name of a paper, for example `aron-druschel-1998`, or `all`
    #[arg(value_name = "PAPER|all", value_parser = paper)]
    pub paper: PaperName,
    /// Run only the parts that take seconds, and nothing on this kernel
    #[arg(long)]
    pub quick: bool,
    /// Run each scenario with this many seeds, 1 to 1000; parts with long runs with 25 at most. The
    /// number of a row is the median
    #[arg(long, value_name = "N", default_value = "200",
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub seeds: u16,
    /// Measure again with each of these numbers of other seeds, and print only the rows whose
    /// verdict is another one then, for example 101,401. Exit code 1 if there are any
    #[arg(long, value_name = "N,N", value_delimiter = ',', conflicts_with = "out",
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub flips: Vec<u16>,
    /// Run this many simulations at a time. The results do not depend on it [default: one per
    /// processor]
    #[arg(long, value_name = "N")]
    pub threads: Option<NonZeroUsize>,
    /// Leave out the alternatives: the rows again, with other answers to questions that the paper
    /// leaves open
    #[arg(long)]
    pub no_alternatives: bool,
    /// Leave out the transfers on this machine's kernel
    #[arg(long)]
    pub no_kernel: bool,
    /// Run only the transfers on this machine's kernel, and no row of a paper. With --out, a table
    /// for each paper: DIR/PAPER/kernel.md
    #[arg(long, conflicts_with_all = ["quick", "no_kernel", "flips"])]
    pub only_kernel: bool,
    /// Write a page for each paper into this directory, with its figures, which are also SVG files,
    /// the tables of its studies as CSV and its rows as JSON
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
}

/// The name of a paper, or `all`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PaperName {
    All,
    One(String),
}

fn paper(text: &str) -> Result<PaperName, String> {
    const ALL: &str = "all";
    if text == ALL {
        return Ok(PaperName::All);
    }
    let names: Vec<String> = onramp_papers::papers()
        .into_iter()
        .map(|paper| paper.ledger.id)
        .collect();
    if names.iter().any(|name| name == text) {
        return Ok(PaperName::One(text.to_owned()));
    }
    let suggestion = did_you_mean(nearest(text, names.iter().map(String::as_str)));
    Err(format!(
        "no such paper{suggestion} (known papers: {}; or {ALL})",
        names.join(", ")
    ))
}
