//! The options of the commands that installations use: `completions` and `manual`.

use clap::Args;
use clap_complete::Shell;
use std::path::PathBuf;

#[derive(Args)]
pub struct CompletionsArguments {
    /// The shell that reads them
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

#[derive(Args)]
pub struct ManualArguments {
    /// Write the pages into this directory, which is made where it is missing
    #[arg(value_name = "DIR")]
    pub out: PathBuf,
}
