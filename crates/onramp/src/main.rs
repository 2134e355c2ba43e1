//! `onramp`: the command line. `cli/` defines the commands and their options, `commands/` runs
//! them.

mod cli;
mod commands;
mod event_lines;
mod failure;
mod journal;
mod new_file;
mod recording;
mod startups;
mod stderr_lines;
mod text;

use clap::Parser;
use cli::{Cli, Command, LabCommand};
use failure::Failure;
use nix::sys::signal::{signal, SigHandler, Signal};
use std::process::ExitCode;

fn main() -> ExitCode {
    // A reader that closes the pipe (`| head`) ends this process silently, as it ends other tools.
    // SAFETY: no other thread is running yet, and the default action needs no handler.
    let _ = unsafe { signal(Signal::SIGPIPE, SigHandler::SigDfl) };
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
                Failure::new(failure::BAD_INPUT, first_sentence(&error.to_string())).print(true);
            } else {
                let _ = error.print();
            }
            // --help and --version arrive as errors, but they are answers.
            return ExitCode::from(if error.use_stderr() {
                failure::BAD_INPUT
            } else {
                failure::DONE
            });
        }
    };
    let json = cli.json;
    let result = match cli.command {
        Command::Sim(arguments) => commands::sim::run(&arguments, json),
        Command::Lab(arguments) => match &arguments.command {
            Some(LabCommand::Shell(shell)) => commands::lab_shell::run(shell, json),
            None => commands::lab::run(&arguments, json),
        },
        Command::Compare(arguments) => commands::compare::run(&arguments, json),
        Command::CompareStartups(arguments) => commands::compare_startups::run(&arguments, json),
        Command::Sweep(arguments) => commands::sweep::run(&arguments, json),
        Command::Theory(arguments) => commands::theory::run(&arguments, json),
        Command::Model(arguments) => commands::model::run(&arguments, json),
        Command::Reproduce(arguments) => commands::reproduce::run(&arguments, json),
        Command::Replay(arguments) => commands::replay::run(&arguments, json),
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
        Command::Tcp(arguments) => commands::tcp::run(&arguments, json),
        Command::Quic(arguments) => commands::quic::run(&arguments, json),
        Command::Web(arguments) => commands::web::run(&arguments, json),
        Command::Doctor => commands::doctor::run(json),
        Command::List => commands::list::run(json),
        Command::Completions(arguments) => commands::completions::run(&arguments, json),
        Command::Manual(arguments) => commands::manual::run(&arguments, json),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            failure.print(json);
            ExitCode::from(failure.code())
        }
    }
}

/// The first sentence of clap's message: what is wrong, without the usage and the advice.
fn first_sentence(message: &str) -> String {
    let lines = message
        .lines()
        .map(str::trim)
        .take_while(|line| !line.is_empty());
    let sentence = lines.collect::<Vec<_>>().join(" ");
    sentence
        .strip_prefix("error: ")
        .unwrap_or(&sentence)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sentence_of(arguments: &[&str]) -> String {
        first_sentence(&Cli::try_parse_from(arguments).err().unwrap().to_string())
    }

    #[test]
    fn an_error_in_the_command_line_is_reduced_to_one_sentence() {
        let missing = "the following required arguments were not provided: <FILE>...";
        assert_eq!(sentence_of(&["onramp", "--json", "sim"]), missing);
        assert_eq!(
            sentence_of(&["onramp", "sim", "x", "--thread", "1"]),
            "unexpected argument '--thread' found"
        );
    }
}
