//! `completions`: what a shell reads once, and the answers to its questions.
//!
//! The shell asks the program at each completion. So `onramp` completes the commands of
//! `onramp-study` too, where that is installed: it hands the question over, as it does a command.

use crate::failure::DONE;
use crate::text::out;
use crate::{print_json, Answer};
use clap::{Args, Command};
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};
use serde_json::json;

/// The variable with which a shell asks; its value is the name of the shell. The words of the
/// command line follow `--`.
pub const VARIABLE: &str = "ONRAMP_COMPLETE";

/// The options of `completions`.
#[derive(Args)]
pub struct CompletionsArguments {
    /// The shell that reads them
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// Prints the file for the shell that completes the command lines of `program`.
pub fn run(arguments: &CompletionsArguments, program: &str, json: bool) -> Answer {
    let shell = arguments.shell.to_string();
    let mut script = Vec::new();
    Shells::builtins()
        .completer(&shell)
        .expect("clap_complete has a completer for each of its shells")
        .write_registration(VARIABLE, program, program, program, &mut script)
        .expect("a vector can be written");
    let mut script = String::from_utf8(script).expect("the script of a shell is UTF-8");
    if arguments.shell == Shell::Zsh {
        // zsh runs the file at the first completion, which it would leave without an answer.
        let name = program.replace('-', "_");
        script += &format!(
            "[ \"$funcstack[1]\" = \"_{program}\" ] && _clap_dynamic_completer_{name} \"$@\"\n"
        );
    }
    if json {
        print_json(&json!({ "shell": shell, "script": script }));
    } else {
        out(format_args!("{script}"));
    }
    Ok(DONE)
}

/// Answers a shell that asks, and ends the program.
pub fn answer(command: fn() -> Command) {
    CompleteEnv::with_factory(command).var(VARIABLE).complete();
}
