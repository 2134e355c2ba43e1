//! `onramp`: start-ups in this machine's kernel. `cli/` defines the commands and their options,
//! `commands/` runs them. The commands of `onramp-study` are handed over to it.

mod cli;
mod commands;
mod event_lines;
mod journal;
mod study;

use cli::{Cli, Command};
use onramp_cli::tasks::{explained, with_others, ONRAMP};
use onramp_cli::{Answer, Program};
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(failure) = study::hand_over() {
        failure.print(std::env::args_os().any(|argument| argument == "--json"));
        return ExitCode::from(failure.code());
    }
    onramp_cli::start::<Cli>(command)
}

/// The command line, with the commands of `onramp-study`.
fn command() -> clap::Command {
    explained(with_others(<Cli as clap::CommandFactory>::command()))
}

impl Program for Cli {
    fn json(&self) -> bool {
        self.json
    }

    fn run(self) -> Answer {
        let json = self.json;
        match self.command {
            Command::Load(arguments) => commands::load::run(&arguments, json),
            Command::Unload(arguments) => commands::unload::run(&arguments, json),
            Command::Status => commands::status::run(json),
            Command::Ss(arguments) => commands::ss::run(&arguments, json),
            Command::Metrics(arguments) => commands::metrics::run(&arguments, json),
            Command::Top(arguments) => commands::top::run(&arguments, json),
            Command::Memory(arguments) => commands::memory::run(&arguments, json),
            Command::Qos(arguments) => commands::qos::run(&arguments, json),
            Command::Exec(arguments) => commands::exec::run(&arguments, json),
            Command::Serve(arguments) => commands::serve::run(&arguments, json),
            Command::Off(arguments) => commands::off::run(&arguments, json),
            Command::Advise(arguments) => commands::advise::run(&arguments, json),
            Command::Receiver(arguments) => commands::receiver::run(&arguments, json),
            Command::Doctor(arguments) => commands::doctor::run(&arguments, json),
            Command::List => commands::list::run(json),
            Command::Completions(arguments) => {
                onramp_cli::completions::run(&arguments, ONRAMP, json)
            }
            Command::Manual(arguments) => {
                onramp_cli::manual::run(&arguments, ONRAMP, command(), json)
            }
        }
    }
}
