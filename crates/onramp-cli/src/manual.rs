//! `manual`: manual pages from clap's definitions, one for each command.

use crate::failure::{Failure, DONE};
use crate::sections::{self, Section};
use crate::tasks::{example, is_of_other, Listed, IN_BOTH, ONRAMP, TASKS};
use crate::text::{self, say};
use crate::{print_json, Answer};
use clap::{Args, Command};
use clap_mangen::Man;
use serde_json::json;
use std::path::PathBuf;

/// The options of `manual`.
#[derive(Args)]
pub struct ManualArguments {
    /// Write the pages into this directory, which is made where it is missing
    #[arg(value_name = "DIR")]
    pub out: PathBuf,
}

/// Writes the pages of a program's commands, and that of the program.
pub fn run(
    arguments: &ManualArguments,
    program: &'static str,
    command: Command,
    json: bool,
) -> Answer {
    let folder = &arguments.out;
    std::fs::create_dir_all(folder).map_err(|error| Failure::at("write", folder, error))?;
    let mut files = Vec::new();
    for page in pages(program, command) {
        let file = folder.join(format!("{}.1", page.name));
        std::fs::write(&file, page.text).map_err(|error| Failure::at("write", &file, error))?;
        files.push(file);
    }
    if json {
        print_json(&json!({ "files": files }));
    } else {
        let pages = text::count(files.len(), "manual page");
        say!("{}: {pages}", folder.display());
    }
    Ok(DONE)
}

struct Page {
    /// `onramp-lab-shell`
    name: String,
    /// The page in roff.
    text: Vec<u8>,
}

fn pages(program: &'static str, command: Command) -> Vec<Page> {
    // Pages are named as the commands are typed: `onramp sim` also where `onramp-study` has it.
    let mut command = command.name(ONRAMP).disable_help_subcommand(true);
    command.build();
    let mut pages = vec![page_of_program(program, &command)];
    let has_page = |own: &&Command| {
        let is_hidden = is_of_other(own) || own.is_hide_set();
        // Both packages would have the file.
        let is_onramps = program != ONRAMP && IN_BOTH.contains(&own.get_name());
        !is_hidden && !is_onramps
    };
    for own in command.get_subcommands().filter(has_page) {
        add_pages(own, program, &mut pages);
    }
    pages
}

/// The page of the program itself, with all commands by task.
fn page_of_program(program: &'static str, command: &Command) -> Page {
    let man = man(command.clone().name(program).bin_name(program));
    let mut text = Vec::new();
    man.render_title(&mut text)
        .and_then(|()| man.render_name_section(&mut text))
        .and_then(|()| man.render_synopsis_section(&mut text))
        .and_then(|()| man.render_description_section(&mut text))
        .and_then(|()| man.render_options_section(&mut text))
        .expect("a vector can be written");
    for (what, commands) in TASKS {
        let commands = commands
            .iter()
            .filter(|listed| command.find_subcommand(listed.0).is_some());
        for (index, Listed(name, summary, _)) in commands.enumerate() {
            if index == 0 {
                text.extend(format!(".SH \"{}\"\n", what.to_uppercase()).bytes());
            }
            let entry = format!(".TP\n\\fB{ONRAMP}-{name}\\fR(1)\n{summary}\n");
            text.extend(entry.replace('-', "\\-").bytes());
        }
    }
    Page {
        name: program.to_owned(),
        text,
    }
}

/// Adds the page of a command, then those of its subcommands.
fn add_pages(command: &Command, parent: &str, pages: &mut Vec<Page>) {
    let name = command.get_display_name().unwrap_or(command.get_name());
    let mut text = Vec::new();
    man(command.clone().after_help(None::<&str>))
        .render(&mut text)
        .expect("a vector can be written");
    let sections = sections::of(name.strip_prefix("onramp-").unwrap_or(name));
    text.extend(
        sections
            .iter()
            .flat_map(|section| roff(section).into_bytes()),
    );
    if let Some(example) = example(name) {
        let example = example.replace('\\', "\\e").replace('-', "\\-");
        text.extend(format!(".SH EXAMPLE\n.nf\n{example}\n.fi\n").bytes());
    }
    text.extend(
        format!(
            ".SH \"SEE ALSO\"\n\\fB{}\\fR(1)\n",
            parent.replace('-', "\\-")
        )
        .bytes(),
    );
    pages.push(Page {
        name: name.to_owned(),
        text,
    });
    for subcommand in command.get_subcommands().filter(|own| !own.is_hide_set()) {
        add_pages(subcommand, name, pages);
    }
}

/// A section with its entries.
fn roff(Section(heading, entries): &Section) -> String {
    let entries = entries.iter().map(|(term, meaning)| {
        let entry = format!(".TP\n\\fB{term}\\fR\n{meaning}\n");
        entry.replace('-', "\\-")
    });
    format!(".SH \"{heading}\"\n{}", entries.collect::<String>())
}

/// A page has a version of its own, also where the command has none.
fn man(command: Command) -> Man {
    Man::new(command)
        .source(concat!("onramp ", env!("CARGO_PKG_VERSION")))
        .manual("Onramp")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tasks::{explained, with_others, ONRAMP_STUDY};
    use clap::Arg;

    fn page(pages: &[Page], name: &str) -> String {
        let page = pages.iter().find(|page| page.name == name).unwrap();
        String::from_utf8(page.text.clone()).unwrap()
    }

    #[test]
    fn each_command_has_a_page_with_its_options_its_example_and_its_parent() {
        let sim = Command::new("sim").arg(Arg::new("threads").long("threads"));
        let lab = Command::new("lab").subcommand(Command::new("shell"));
        let study = Command::new(ONRAMP_STUDY).subcommands([sim, lab, Command::new("manual")]);
        let pages = pages(ONRAMP_STUDY, explained(study));
        let names: Vec<&str> = pages.iter().map(|page| &*page.name).collect();
        assert_eq!(
            names,
            [
                "onramp-study",
                "onramp-sim",
                "onramp-lab",
                "onramp-lab-shell"
            ]
        );
        assert!(page(&pages, "onramp-study").contains("\\fBonramp\\-sim\\fR(1)"));
        assert!(page(&pages, "onramp-lab-shell").contains("\\fBonramp\\-lab\\fR(1)"));
        let sim = page(&pages, "onramp-sim");
        for part in [
            "\\-\\-threads",
            "\nonramp sim scenarios",
            "\\fBonramp\\-study\\fR(1)",
        ] {
            assert!(sim.contains(part), "{part}: {sim}");
        }
    }

    #[test]
    fn pages_have_files_signals_and_exit_status() {
        let commands = ["serve", "exec", "off", "status"].map(Command::new);
        let pages = pages(
            ONRAMP,
            explained(Command::new(ONRAMP).subcommands(commands)),
        );
        for (name, parts) in [
            (
                "onramp-serve",
                &["SH \"FILES\"", "config.toml", "SH \"SIGNALS\"", "SIGHUP"][..],
            ),
            ("onramp-exec", &["SH \"SIGNALS\"", "128 + N"]),
            ("onramp-off", &["SH \"FILES\"", "SH \"EXIT STATUS\""]),
            (
                "onramp-status",
                &["SH \"EXIT STATUS\"\n.TP\n\\fB0\\fR\ndone\n"],
            ),
        ] {
            let page = page(&pages, name);
            for part in parts {
                assert!(page.contains(part), "{name}, {part}: {page}");
            }
        }
    }

    #[test]
    fn the_page_of_onramp_lists_the_commands_of_both_programs() {
        let onramp = Command::new(ONRAMP).subcommand(Command::new("load"));
        let pages = pages(ONRAMP, explained(with_others(onramp)));
        assert_eq!(pages.len(), 2);
        let onramp = page(&pages, "onramp");
        for part in [
            ".SH \"TRY START-UPS ON A PATH\"",
            "onramp\\-sim\\fR(1)",
            "onramp\\-load",
        ] {
            assert!(onramp.contains(part), "{part}: {onramp}");
        }
    }
}
