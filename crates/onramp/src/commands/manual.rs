//! `onramp manual`: manual pages from clap's definitions, one for each command.

use super::{print_json, Answer};
use crate::cli::{Cli, ManualArguments};
use crate::failure::{Failure, BAD_INPUT, DONE};
use crate::text;
use crate::text::say;
use clap::{Command, CommandFactory};
use clap_mangen::Man;
use serde_json::json;
use std::path::Path;

pub fn run(arguments: &ManualArguments, json: bool) -> Answer {
    let folder = &arguments.out;
    let failure = |file: &Path, error| {
        let message = format!("cannot write {}: {error}", file.display());
        Failure::new(BAD_INPUT, message)
    };
    std::fs::create_dir_all(folder).map_err(|error| failure(folder, error))?;
    let mut files = Vec::new();
    for page in pages() {
        let file = folder.join(page.name);
        std::fs::write(&file, page.text).map_err(|error| failure(&file, error))?;
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
    /// `onramp-lab-shell.1`
    name: String,
    /// The page in roff.
    text: Vec<u8>,
}

fn pages() -> Vec<Page> {
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    add_pages(&command, None, &mut pages);
    pages
}

/// Adds the page of a command, then those of its subcommands.
fn add_pages(command: &Command, parent: Option<&str>, pages: &mut Vec<Page>) {
    let name = command.get_display_name().unwrap_or(command.get_name());
    // A page has a version of its own, also where the command has none.
    let man = Man::new(command.clone())
        .source(concat!("onramp ", env!("CARGO_PKG_VERSION")))
        .manual("Onramp");
    let mut text = Vec::new();
    man.render(&mut text).expect("a vector can be written");
    if let Some(parent) = parent {
        let parent = parent.replace('-', "\\-");
        text.extend(format!(".SH \"SEE ALSO\"\n\\fB{parent}\\fR(1)\n").bytes());
    }
    pages.push(Page {
        name: man.get_filename(),
        text,
    });
    let subcommands = command.get_subcommands();
    for subcommand in subcommands.filter(|subcommand| !subcommand.is_hide_set()) {
        add_pages(subcommand, Some(name), pages);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_has_a_page_with_its_options_and_its_parent() {
        let pages = pages();
        let page = |name: &str| {
            let page = pages.iter().find(|page| page.name == name).unwrap();
            String::from_utf8(page.text.clone()).unwrap()
        };
        assert!(page("onramp.1").contains("onramp\\-sim(1)"));
        let shell = page("onramp-lab-shell.1");
        assert!(shell.contains("\\fBonramp\\-lab\\fR(1)"), "{shell}");
        assert!(page("onramp-sim.1").contains("\\-\\-threads"));
        assert!(pages.iter().all(|page| !page.name.contains("help")));
    }
}
