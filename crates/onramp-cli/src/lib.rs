//! What the programs `onramp` and `onramp-study` share.

pub mod completions;
pub mod failure;
pub mod manual;
mod sections;
pub mod signals;
pub mod startup;
pub mod stderr_lines;
pub mod tasks;
pub mod text;

use clap::FromArgMatches;
use failure::{Failure, BAD_INPUT, DONE};
use nix::sys::signal::{signal, SigHandler, Signal};
use serde::Serialize;
use std::process::ExitCode;

/// The exit code of a command, or the reason why it stopped.
pub type Answer = Result<u8, Failure>;

/// The command line of a program.
pub trait Program: FromArgMatches {
    /// Whether results and errors are JSON.
    fn json(&self) -> bool;

    /// Runs the command.
    fn run(self) -> Answer;
}

/// Runs a program: reads its command line, or answers a shell that completes one.
pub fn start<P: Program>(command: fn() -> clap::Command) -> ExitCode {
    // A reader that closes the pipe (`| head`) ends this process silently, as it ends other tools.
    // SAFETY: no other thread is running yet, and the default action needs no handler.
    let _ = unsafe { signal(Signal::SIGPIPE, SigHandler::SigDfl) };
    completions::answer(command);
    let matches = command().try_get_matches();
    let program = match matches.and_then(|mut matches| P::from_arg_matches_mut(&mut matches)) {
        Ok(program) => program,
        Err(error) => {
            if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
                Failure::new(BAD_INPUT, first_sentence(&error.to_string())).print(true);
            } else {
                let _ = error.print();
            }
            // --help and --version arrive as errors, but they are answers.
            return ExitCode::from(if error.use_stderr() { BAD_INPUT } else { DONE });
        }
    };
    let json = program.json();
    match program.run() {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            failure.print(json);
            ExitCode::from(failure.code())
        }
    }
}

/// Prints a value as JSON on standard output.
pub fn print_json(value: &impl Serialize) {
    say!(
        "{}",
        serde_json::to_string_pretty(value).expect("the keys of our records are strings")
    );
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
    use clap::{Arg, Command};

    #[test]
    fn an_error_in_the_command_line_is_reduced_to_one_sentence() {
        let sentence_of = |arguments: &[&str]| {
            let file = Arg::new("file")
                .value_name("FILE")
                .required(true)
                .num_args(1..);
            let command = Command::new("onramp").subcommand(Command::new("sim").arg(file));
            first_sentence(
                &command
                    .try_get_matches_from(arguments)
                    .unwrap_err()
                    .to_string(),
            )
        };
        let missing = "the following required arguments were not provided: <FILE>...";
        assert_eq!(sentence_of(&["onramp", "sim"]), missing);
        assert_eq!(
            sentence_of(&["onramp", "sim", "x", "--thread", "1"]),
            "unexpected argument '--thread' found"
        );
    }
}
