//! `onramp completions`.

use super::{print_json, Answer};
use crate::cli::{Cli, CompletionsArguments};
use crate::failure::DONE;
use crate::text::out;
use clap::CommandFactory;
use serde_json::json;

pub fn run(arguments: &CompletionsArguments, json: bool) -> Answer {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "onramp", &mut script);
    let script = String::from_utf8(script).expect("names and helps of options are UTF-8");
    if json {
        print_json(&json!({ "shell": arguments.shell.to_string(), "script": script }));
    } else {
        out(format_args!("{script}"));
    }
    Ok(DONE)
}
