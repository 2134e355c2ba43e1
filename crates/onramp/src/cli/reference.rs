//! The reference of this program's commands and options in `docs/reference`, rendered from clap's
//! definitions. `onramp-study` has this module too.
//!
//! The renderer is our own, because the lines of our documents end at 100 columns, and because the
//! list of start-ups must not appear in the document: a new algorithm would change it.

use clap::builder::PossibleValue;
use clap::{Arg, Command};
use onramp_cli::tasks::{is_of_other, ONRAMP, ONRAMP_STUDY};
use std::fmt::Write;
use std::path::Path;

const PROGRAM: &str = env!("CARGO_PKG_NAME");
const UPDATE: &str = "ONRAMP_UPDATE_DOCS";
const WIDTH: usize = 100;

/// The document of a program.
fn file_of(program: &str) -> &'static str {
    match program {
        ONRAMP => "commands.md",
        _ => "study-commands.md",
    }
}

fn head() -> String {
    let other = match PROGRAM {
        ONRAMP => ONRAMP_STUDY,
        _ => ONRAMP,
    };
    let text = format!(
        "[The command line](../commands.md) explains what the commands do. `onramp COMMAND --help` \
         shows the same text as this page. Rates, times and sizes are written with their units, as \
         in [scenario files](../scenarios.md): `20 Mbit/s`, `50 ms`, `64 KiB`. The other program's \
         commands: [{other}]({}).",
        file_of(other)
    );
    format!(
        "# Reference: commands of {PROGRAM}\n\n\
         <!-- Generated from crates/{PROGRAM}/src/cli:\n     \
         {UPDATE}=1 cargo test -p {PROGRAM} reference -->\n\n{}",
        wrap("", &text)
    )
}

#[test]
fn the_reference_of_commands_is_up_to_date() {
    let name = file_of(PROGRAM);
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../docs/reference")
        .join(name);
    let mut command = crate::command().bin_name(ONRAMP);
    command.build();
    let mut expected = head();
    render(&command, &mut expected);
    if std::env::var_os(UPDATE).is_some() {
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, &expected).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        found == expected,
        "{name} differs from the definitions: {UPDATE}=1 cargo test -p {PROGRAM} reference"
    );
}

/// Renders a command, then its subcommands.
fn render(command: &Command, out: &mut String) {
    let name = match command.get_bin_name() {
        None | Some(ONRAMP) => PROGRAM,
        Some(name) => name,
    };
    let about = command.get_long_about().or(command.get_about());
    write!(out, "\n## {name}\n").unwrap();
    for paragraph in about
        .map(ToString::to_string)
        .unwrap_or_default()
        .split("\n\n")
    {
        write!(out, "\n{}", wrap("", &sentence(paragraph))).unwrap();
    }
    let usage = command.clone().render_usage().to_string();
    let usage = usage.strip_prefix("Usage: ").unwrap_or(&usage);
    let usage = usage
        .trim()
        .replacen(command.get_bin_name().unwrap_or(name), name, 1);
    write!(out, "\n```text\n{usage}\n```\n").unwrap();
    // `--json` is an option of every command, but it is listed once.
    let is_listed = |arg: &&Arg| {
        let is_of_clap = ["help", "version"].contains(&arg.get_id().as_str());
        let is_repeated = arg.is_global_set() && name != PROGRAM;
        !is_of_clap && !is_repeated
    };
    let mut heading = None;
    for (index, arg) in command.get_arguments().filter(is_listed).enumerate() {
        if index == 0 || arg.get_help_heading() != heading {
            heading = arg.get_help_heading();
            match heading {
                Some(heading) => write!(out, "\n{heading}:\n\n").unwrap(),
                None => out.push('\n'),
            }
        }
        out.push_str(&wrap("- ", &item(arg)));
        for value in values(arg)
            .iter()
            .filter(|value| value.get_help().is_some())
        {
            let help = value
                .get_help()
                .map(ToString::to_string)
                .unwrap_or_default();
            out.push_str(&wrap("  - ", &format!("`{}`: {help}", value.get_name())));
        }
    }
    if let Some(example) = command.get_after_help().map(ToString::to_string) {
        let lines = example.lines().skip(1).map(str::trim);
        let lines = lines.collect::<Vec<_>>().join("\n");
        write!(out, "\nExample:\n\n```sh\n{lines}\n```\n").unwrap();
    }
    for subcommand in command.get_subcommands() {
        let is_own = !is_of_other(subcommand) && !subcommand.is_hide_set();
        if is_own && subcommand.get_name() != "help" {
            render(subcommand, out);
        }
    }
}

/// An option with its help, its default and its values.
fn item(arg: &Arg) -> String {
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let mut text = format!("`{arg}`: {}", sentence(&help));
    let defaults: Vec<_> = arg
        .get_default_values()
        .iter()
        .map(|value| value.to_string_lossy())
        .collect();
    if !defaults.is_empty() && !arg.is_hide_default_value_set() && arg.get_action().takes_values() {
        write!(text, " Default: `{}`.", defaults.join(" ")).unwrap();
    }
    let values = values(arg);
    let names: Vec<&str> = values.iter().map(PossibleValue::get_name).collect();
    if names == onramp_core::startup_names() {
        text += " One of the start-ups that `onramp list` shows.";
    } else if !names.is_empty() && values.iter().all(|value| value.get_help().is_none()) {
        write!(text, " Values: `{}`.", names.join("`, `")).unwrap();
    }
    text
}

fn values(arg: &Arg) -> Vec<PossibleValue> {
    match arg.get_action().takes_values() && !arg.is_hide_possible_values_set() {
        true => arg.get_possible_values(),
        false => Vec::new(),
    }
}

/// Help texts have no full stop at their end. A note on the default is a sentence of its own.
fn sentence(help: &str) -> String {
    let text: Vec<String> = help.split_whitespace().map(linked).collect();
    let text = text.join(" ");
    let (text, default) = match text.split_once(" [default: ") {
        Some((text, default)) => (text, Some(default.trim_end_matches(']'))),
        None => (&*text, None),
    };
    let stop = if text.ends_with(['.', ':']) { "" } else { "." };
    let default = default.map_or(String::new(), |default| format!(" Default: {default}."));
    format!("{text}{stop}{default}")
}

/// A word in which the path of a document is a link.
fn linked(word: &str) -> String {
    let path = word.trim_matches(['(', ')', '.', ',']);
    match path.strip_prefix("docs/") {
        Some(place) => word.replace(path, &format!("[{path}](../{place})")),
        None => word.to_owned(),
    }
}

/// Lines of at most [`WIDTH`] columns. The first begins with `bullet`, the others with spaces.
fn wrap(bullet: &str, text: &str) -> String {
    let indent = " ".repeat(bullet.len());
    let mut lines = vec![bullet.to_owned()];
    for word in text.split_whitespace() {
        let line = lines.last_mut().expect("there is a first line");
        let is_empty = line.len() == indent.len();
        if !is_empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(format!("{indent}{word}"));
        } else {
            line.push_str(if is_empty { "" } else { " " });
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}
