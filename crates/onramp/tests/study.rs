//! The commands of `onramp-study`, which `onramp` hands over.

use crate::common::process::Background;
use crate::common::*;
use nix::sys::signal::Signal;
use onramp_cli::tasks::{Listed, ONRAMP, ONRAMP_STUDY, TASKS};
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;

#[test]
fn a_command_of_the_study_gets_the_arguments_and_gives_its_exit_code() {
    let dir = tempfile::tempdir().unwrap();
    let transfer = "[[transfer]]\nsize = \"100 kB\"\n";
    let file = scenario(dir.path(), "transfer", "", transfer);
    let file = file.to_str().unwrap();
    let ran = onramp(["--json", "sim", file]).code(0);
    let direct = run({
        let mut command = Command::new(program(ONRAMP_STUDY));
        command.args(["--json", "sim", file]);
        command
    });
    assert_eq!(ran.json(), direct.json());
    onramp(["sim", "/nowhere.toml"])
        .code(2)
        .warns(&["/nowhere.toml"]);
    for help in [&["sim", "--help"][..], &["help", "sim"]] {
        onramp(help)
            .code(0)
            .says(&["Usage: onramp sim", "--skip-missing"]);
    }
}

#[test]
fn signals_reach_a_command_of_the_study() {
    let web = tempfile::tempdir().unwrap();
    fs::write(web.path().join("index.html"), "").unwrap();
    let folder = web.path().to_str().unwrap();
    let server = Background::onramp(["web", "--listen", "127.0.0.1:0", "--folder", folder]);
    server.first_line();
    server.signal(Signal::SIGTERM);
    server.wait().code(0);
}

#[test]
fn without_the_other_program_a_sentence_names_its_package() {
    let dir = tempfile::tempdir().unwrap();
    let alone = dir.path().join(ONRAMP);
    fs::copy(program(ONRAMP), &alone).unwrap();
    let sim = |arguments: &[&str], path: &str| {
        let mut command = Command::new(&alone);
        command.args(arguments).env("PATH", path);
        run(command)
    };
    let sentence = "`onramp sim` is a command of onramp-study, which is not installed: install \
        the package onramp-study";
    sim(&["sim", "x.toml"], "/nowhere")
        .code(3)
        .warns(&[sentence]);
    let json = sim(&["--json", "sim", "x.toml"], "/nowhere")
        .code(3)
        .json_error();
    assert!(json["error"].as_str().unwrap().contains(sentence), "{json}");
    sim(&["list"], "/nowhere").code(0);
    // It is found by PATH too.
    let folder = program(ONRAMP_STUDY).parent().unwrap().to_owned();
    sim(&["sim", "--help"], folder.to_str().unwrap()).code(0);
}

#[test]
fn the_help_lists_the_commands_of_both_programs_by_task() {
    let help = onramp(["--help"]).code(0).stdout;
    let study = run({
        let mut command = Command::new(program(ONRAMP_STUDY));
        command.arg0(ONRAMP_STUDY).arg("--help");
        command
    });
    let study = study.code(0).stdout;
    for (what, commands) in TASKS {
        assert!(help.contains(&format!("\n{what}:\n")), "{help}");
        for Listed(name, summary, example) in commands {
            let line = format!("\n  {name:<17} {summary}\n");
            assert!(help.contains(&line), "{name}: {help}");
            // The Python package explains `sweep`.
            let of_command = onramp([name, "--help"]);
            let example = example.lines().next().unwrap();
            let explains = of_command.stdout.contains(example);
            assert!(explains || name == &"sweep", "{of_command:#?}");
        }
    }
    assert!(
        study.contains("\n  sim ") && !study.contains("\n  load "),
        "{study}"
    );
}
