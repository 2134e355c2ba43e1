//! Hands the commands of `onramp-study` over to it, as git does with `git-foo`.

use onramp_cli::completions::VARIABLE;
use onramp_cli::failure::{Failure, HOST_LACKS};
use onramp_cli::tasks::{is_of_other, ONRAMP_STUDY};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

/// Replaces this process by `onramp-study` if the command line has one of its commands. Returns why
/// that failed, and nothing for other commands.
pub fn hand_over() -> Option<Failure> {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let asks_shell = std::env::var_os(VARIABLE).is_some();
    let name = name_in(&arguments, asks_shell)?;
    let all = crate::command();
    if !all.find_subcommand(&name).is_some_and(is_of_other) {
        return None;
    }
    // With the name under which this program was called, help and reports show `onramp sim`.
    let error = program().arg0(&arguments[0]).args(&arguments[1..]).exec();
    if asks_shell {
        return None; // Without `onramp-study` its commands have no completions.
    }
    Some(not_started(&name, &error))
}

/// The failure for a command of `onramp-study` when that does not start.
pub fn not_started(name: &str, error: &std::io::Error) -> Failure {
    let message = match error.kind() {
        ErrorKind::NotFound => format!(
            "`onramp {name}` is a command of {ONRAMP_STUDY}, which is not installed: install the \
             package {ONRAMP_STUDY}, or `cargo install {ONRAMP_STUDY}`"
        ),
        _ => format!("`onramp {name}` runs {ONRAMP_STUDY}, which does not start: {error}"),
    };
    Failure::new(HOST_LACKS, message)
}

/// The command: the first argument that is no option, or the second one after `help`. A shell that
/// asks for completions has its command line behind `--`.
fn name_in(arguments: &[OsString], asks_shell: bool) -> Option<String> {
    let first = match asks_shell {
        true => arguments.iter().position(|argument| argument == "--")? + 1,
        false => 0,
    };
    let words = arguments
        .get(first + 1..)?
        .iter()
        .filter_map(|word| word.to_str());
    let mut words = words.filter(|word| !word.starts_with('-'));
    match words.next()? {
        "help" => words.next(),
        name => Some(name),
    }
    .map(str::to_owned)
}

/// The program: beside this one, otherwise in PATH.
pub fn program() -> Command {
    let beside = std::env::current_exe().map(|own| own.with_file_name(ONRAMP_STUDY));
    let beside = beside.ok().filter(|program| program.exists());
    Command::new(beside.unwrap_or_else(|| PathBuf::from(ONRAMP_STUDY)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_is_found_behind_options_and_help() {
        let name = |line: &str, asks_shell| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            name_in(&words, asks_shell)
        };
        assert_eq!(name("onramp sim x", false).as_deref(), Some("sim"));
        assert_eq!(
            name("onramp --json sim --out x", false).as_deref(),
            Some("sim")
        );
        assert_eq!(name("onramp help lab shell", false).as_deref(), Some("lab"));
        assert_eq!(name("onramp exec -- sim", false).as_deref(), Some("exec"));
        assert_eq!(
            name("onramp -- onramp --json sim", true).as_deref(),
            Some("sim")
        );
        for line in ["onramp", "onramp --help", "onramp help"] {
            assert_eq!(name(line, false), None, "{line}");
        }
    }
}
