//! `onramp`: the command line. Each verb is a file of `verbs/`.

mod cli;
mod failure;
mod new_file;
mod recording;
mod startups;
mod text;
mod verbs;

use clap::Parser;
use cli::{Cli, Verb};
use failure::Failure;
use nix::sys::signal::{signal, SigHandler, Signal};
use std::process::ExitCode;

fn main() -> ExitCode {
    // A reader that has seen enough (`| head`) ends us quietly, as it does other tools.
    // SAFETY: no other thread runs yet, and the default action needs no handler.
    let _ = unsafe { signal(Signal::SIGPIPE, SigHandler::SigDfl) };
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") {
                Failure::new(failure::BAD_INPUT, first_sentence(&error.to_string())).print(true);
            } else {
                let _ = error.print();
            }
            // --help and --version are answers, not errors.
            return ExitCode::from(if error.use_stderr() {
                failure::BAD_INPUT
            } else {
                failure::DONE
            });
        }
    };
    let json = cli.json;
    let result = match cli.verb {
        Verb::Sim(arguments) => verbs::sim::run(&arguments, json),
        Verb::Lab(arguments) => verbs::lab::run(&arguments, json),
        Verb::Compare(arguments) => verbs::compare::run(&arguments, json),
        Verb::Theory(arguments) => verbs::theory::run(&arguments, json),
        Verb::Model(arguments) => verbs::model::run(&arguments, json),
        Verb::Reproduce(arguments) => verbs::reproduce::run(&arguments, json),
        Verb::Replay(arguments) => verbs::replay::run(&arguments, json),
        Verb::Load(arguments) => verbs::load::load(&arguments, json),
        Verb::Unload(arguments) => verbs::load::unload(&arguments, json),
        Verb::Status => verbs::status::run(json),
        Verb::Ss => verbs::ss::run(json),
        Verb::Memory(arguments) => verbs::memory::run(&arguments, json),
        Verb::Qos(arguments) => verbs::qos::run(&arguments, json),
        Verb::Exec(arguments) => verbs::exec::run(&arguments, json),
        Verb::Tcp(arguments) => verbs::tcp::run(&arguments, json),
        Verb::Doctor => verbs::doctor::run(json),
        Verb::List => verbs::list::run(json),
    };
    match result {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            failure.print(json);
            ExitCode::from(failure.code())
        }
    }
}

/// What is wrong, without the usage and the advice that follow for people.
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
    fn an_error_in_the_command_line_is_a_sentence() {
        let missing = "the following required arguments were not provided: <FILE>...";
        assert_eq!(sentence_of(&["onramp", "--json", "sim"]), missing);
        assert_eq!(
            sentence_of(&["onramp", "sim", "x", "--thread", "1"]),
            "unexpected argument '--thread' found"
        );
    }
}
