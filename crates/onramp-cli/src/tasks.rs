//! All commands of both programs by task, each with a summary and an example. Options, and what a
//! command does, are in the program that has it.

use clap::builder::Styles;
use clap::Command;
use std::fmt::Write;

/// The program that runs start-ups in the kernel, and runs the other one for its commands.
pub const ONRAMP: &str = "onramp";
/// The program with the simulator, the lab, and TCP and QUIC in user space.
pub const ONRAMP_STUDY: &str = "onramp-study";

/// The commands that both programs have.
pub const IN_BOTH: [&str; 2] = ["completions", "manual"];

/// A command: its name, its summary, which fits into 80 columns with the name before it, and
/// examples, one a line.
pub struct Listed(pub &'static str, pub &'static str, pub &'static str);

/// What commands are for, and the commands.
#[rustfmt::skip]
pub const TASKS: [(&str, &[Listed]); 7] = [
    ("Start connections fast", &[
        Listed("exec", "Run a program whose TCP connections use a start-up",
            "onramp exec -- curl -O https://example.org/file"),
        Listed("load", "Register a start-up that every program can choose",
            "onramp load onramp --avoidance cubic --default"),
        Listed("unload", "Remove what `load` registered",
            "onramp unload onramp --live"),
        Listed("list", "List the start-ups and the congestion avoidances",
            "onramp list"),
    ]),
    ("Run a server", &[
        Listed("serve", "Run the service: start-ups by policies, with a canary",
            "onramp serve --check --config /etc/onramp/config.toml"),
        Listed("top", "Watch the policies of `serve`",
            "onramp top --every 5s"),
        Listed("metrics", "Print what `serve` counted, for Prometheus",
            "onramp metrics --out /var/lib/prometheus/node-exporter/onramp.prom"),
        Listed("receiver", "Let connections offer a larger receive window at first",
            "onramp receiver load --window \"1 MiB\" --peer 192.0.2.0/24"),
        Listed("off", "End everything of Onramp on this host, live connections too",
            "onramp off"),
    ]),
    ("Look at this host", &[
        Listed("advise", "Observe connections, and predict what a start-up would gain",
            "onramp advise --for 10m --save seen.jsonl --config advised.toml --page advice.html\n\
             onramp advise seen.jsonl --compare canary.jsonl"),
        Listed("judge", "Predict the gain for saved observations and captures",
            "onramp judge observations.jsonl --config config.toml"),
        Listed("doctor", "Check whether this host can run Onramp",
            "onramp doctor"),
        Listed("status", "Show which start-ups are registered, and their totals",
            "onramp status --json"),
        Listed("ss", "Show live connections that began with a start-up",
            "onramp ss --summary"),
        Listed("memory", "Show what start-ups remember about paths, or delete it",
            "onramp memory --forget 192.0.2.1"),
        Listed("qos", "Show or change the limits of reserved rates",
            "onramp qos --total \"1 Gbit/s\""),
    ]),
    ("Try start-ups on a path", &[
        Listed("sim", "Run scenarios in the simulator",
            "onramp sim scenarios/demo.toml --out out"),
        Listed("try", "Try an algorithm of your own, a C header, beside others",
            "onramp try mine.h --beside none,onramp --out out"),
        Listed("lab", "Run scenarios with real sockets over an emulated path",
            "onramp lab scenarios/demo.toml --out out\n\
             onramp lab shell scenarios/lossy.toml -- curl http://server:8000/"),
        Listed("compare", "Compare the times of the simulator and the lab",
            "onramp compare scenarios/demo.toml --within 5"),
        Listed("compare-startups", "Compare start-ups over families of paths",
            "onramp compare-startups --startups onramp,iw32 --families clean,policed"),
        Listed("sweep", "Run a scenario over many values of its keys",
            "onramp sweep sweep.toml --out cells"),
        Listed("replay", "Give recorded inputs to the start-ups of this build",
            "onramp lab scenarios/demo.toml --record inputs\nonramp replay inputs"),
        Listed("web", "Serve the playground: the simulator in a browser",
            "onramp web --listen 127.0.0.1:8180"),
    ]),
    ("Check papers and formulas", &[
        Listed("reproduce", "Measure again the results of papers",
            "onramp reproduce aron-druschel-1998 --quick"),
        Listed("theory", "Compare the simulator with formulas of the literature",
            "onramp theory --quick"),
        Listed("model", "Ask the model of a paper about a link",
            "onramp model chaher --rate \"1.5 Mbit/s\" --rtt \"560 ms\" --queue \"40 packets\""),
    ]),
    ("Transfer data from user space", &[
        Listed("quic", "Serve and download files over QUIC",
            "onramp quic serve --listen 127.0.0.1:4433 --folder public\n\
             onramp quic get https://localhost:4433/file --output file --insecure"),
        Listed("tcp", "Transfer data with Onramp's own TCP, over a TUN device",
            "onramp tcp serve --tun onramp0 --address 10.9.0.2 --port 8080 --size 100MB"),
    ]),
    ("Install", &[
        Listed("completions", "Print the file with which a shell completes commands",
            "onramp completions fish > ~/.config/fish/completions/onramp.fish"),
        Listed("manual", "Write the manual pages",
            "onramp manual ~/.local/share/man/man1"),
    ]),
];

fn listed() -> impl Iterator<Item = &'static Listed> {
    TASKS.iter().flat_map(|(_, commands)| *commands)
}

/// The examples of a command, whose page of the manual is named `onramp-COMMAND`.
pub fn example(page: &str) -> Option<&'static str> {
    let of_page = |listed: &&Listed| page.strip_prefix("onramp-") == Some(listed.0);
    listed().find(of_page).map(|listed| listed.2)
}

/// Adds the commands that the other program has, so that the help lists them.
pub fn with_others(command: Command) -> Command {
    let own: Vec<String> = command
        .get_subcommands()
        .map(|own| own.get_name().into())
        .collect();
    let others = listed().filter(|Listed(name, ..)| !own.iter().any(|own| own == name));
    let others: Vec<Command> = others
        .map(|Listed(name, ..)| Command::new(*name).allow_external_subcommands(true))
        .collect();
    command.subcommands(others)
}

/// Whether [`with_others`] has added this command.
pub fn is_of_other(command: &Command) -> bool {
    command.is_allow_external_subcommands_set()
}

/// Gives each command its summary and its examples, and lists the commands by task in the help.
pub fn explained(command: Command) -> Command {
    let header = Styles::styled().get_header().to_owned();
    let mut list = String::new();
    for (what, commands) in TASKS {
        let of_program = |Listed(name, ..): &&Listed| command.find_subcommand(name).is_some();
        let commands: Vec<&Listed> = commands.iter().filter(of_program).collect();
        if !commands.is_empty() {
            write!(list, "\n{header}{what}:{header:#}\n").expect("a string takes text");
        }
        for Listed(name, summary, _) in commands {
            writeln!(list, "  {name:<17} {summary}").expect("a string takes text");
        }
    }
    let names: Vec<String> = command
        .get_subcommands()
        .map(|own| own.get_name().into())
        .collect();
    let command = names.iter().fold(command, |command, name| {
        let Some(Listed(_, summary, example)) = listed().find(|listed| listed.0 == name) else {
            return command;
        };
        let example = example.replace('\n', "\n  ");
        let after = format!("{header}Example:{header:#}\n  {example}");
        command.mut_subcommand(name, |own| {
            let about = own.get_about().cloned().unwrap_or_default();
            own.about(*summary).long_about(about).after_help(after)
        })
    });
    command.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{list}\n\
         {header}Options:{header:#}\n{{options}}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_command_is_listed_once_with_a_short_summary() {
        let mut names: Vec<&str> = listed().map(|listed| listed.0).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{names:?}");
        for Listed(name, summary, example) in listed() {
            assert!(summary.chars().count() <= 60, "{name}: {summary}");
            assert!(
                example.contains(&format!("onramp {name}")),
                "{name}: {example}"
            );
        }
    }
}
