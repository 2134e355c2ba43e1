//! `onramp-study`: start-ups in the simulator, in the lab and in user space. `cli/` defines the
//! commands and their options, `commands/` runs them.

mod cli;
mod commands;
mod new_file;
mod recording;
mod startups;

use cli::{Cli, Command, LabCommand};
use onramp_cli::failure::{Failure, DONE, HOST_LACKS};
use onramp_cli::tasks::{explained, ONRAMP_STUDY};
use onramp_cli::{Answer, Program};
use std::process::ExitCode;

fn main() -> ExitCode {
    onramp_cli::start::<Cli>(command)
}

fn command() -> clap::Command {
    explained(<Cli as clap::CommandFactory>::command())
}

impl Program for Cli {
    fn json(&self) -> bool {
        self.json
    }

    fn run(self) -> Answer {
        let json = self.json;
        match self.command {
            Command::Sim(arguments) => commands::sim::run(&arguments, json),
            Command::Try(arguments) => commands::own_algorithm::run(&arguments, json),
            Command::Lab(arguments) => match &arguments.command {
                Some(LabCommand::Shell(shell)) => commands::lab_shell::run(shell, json),
                None => commands::lab::run(&arguments, json),
            },
            Command::Compare(arguments) => commands::compare::run(&arguments, json),
            Command::CompareStartups(arguments) => {
                commands::compare_startups::run(&arguments, json)
            }
            Command::Sweep(arguments) => commands::sweep::run(&arguments, json),
            Command::Theory(arguments) => commands::theory::run(&arguments, json),
            Command::Model(arguments) => commands::model::run(&arguments, json),
            Command::Reproduce(arguments) => commands::reproduce::run(&arguments, json),
            Command::Judge(arguments) => commands::judge::run(&arguments, json),
            Command::Replay(arguments) => commands::replay::run(&arguments, json),
            Command::Tcp(arguments) => commands::tcp::run(&arguments, json),
            Command::Quic(arguments) => commands::quic::run(&arguments, json),
            Command::Web(arguments) => commands::web::run(&arguments, json),
            Command::Preflight => match onramp_lab::preflight() {
                Ok(()) => Ok(DONE),
                Err(error) => Err(Failure::new(HOST_LACKS, error.to_string())),
            },
            Command::Completions(arguments) => {
                onramp_cli::completions::run(&arguments, ONRAMP_STUDY, json)
            }
            Command::Manual(arguments) => {
                onramp_cli::manual::run(&arguments, ONRAMP_STUDY, command(), json)
            }
        }
    }
}
