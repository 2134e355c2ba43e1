//! A service that is killed, and one that is upgraded, under load.

use super::service::{wait_until_it_says, with_site};
use crate::common::machine;
use nix::sys::signal::Signal;
use std::fs;
use std::path::Path;

const WEB: &str = "[[policy]]\nname = \"web\"\nlocal_port = PORT\nstartup = \"paced\"\n\
                   avoidance = \"cubic\"\n";

#[test]
fn a_killed_service_is_followed_by_the_next_and_no_connection_is_missed() {
    let Some(_machine) = machine() else { return };
    with_site(|site| {
        site.write(WEB);
        let mut service = site.start();
        let load = site.load(0);
        for _ in 0..3 {
            service.signal(Signal::SIGKILL);
            service.wait();
            service = site.start();
            wait_until_it_says(&service, "taken over: onramp_paced.", 1);
        }
        let (connections, without) = load.end();
        assert_eq!(without, 0, "of {connections}");
        let counts = site.counts();
        let policy = &counts["policies"][0];
        assert_eq!(policy["with_startup"]["connections"], connections);
    });
}

/// Puts a copy of the program in the place of another one, as a package manager does.
fn install(program: &Path, at: &Path) {
    let new = at.with_extension("new");
    fs::copy(program, &new).unwrap();
    fs::rename(&new, at).unwrap();
}

#[test]
fn an_upgraded_program_continues_in_the_same_process_and_no_connection_is_missed() {
    let Some(_machine) = machine() else { return };
    with_site(|site| {
        let program = site.folder.path().join("onramp");
        install(&site.program, &program);
        site.write(WEB);
        let mut command = std::process::Command::new(&program);
        command.args(site.command(&[]).get_args());
        let service = crate::common::process::Background::spawn(command);
        wait_until_it_says(&service, "in force: ", 1);
        let load = site.load(0);
        let exe = || fs::read_link(format!("/proc/{}/exe", service.pid())).unwrap();
        for upgrades in 1..=3 {
            install(&site.program, &program);
            assert!(exe().to_string_lossy().ends_with("(deleted)"));
            service.signal(Signal::SIGHUP);
            wait_until_it_says(&service, "is new: it continues", upgrades);
            wait_until_it_says(&service, "taken over: onramp_paced.", upgrades);
            assert_eq!(exe(), program);
            // It still holds the lock.
            site.run(&[])
                .code(2)
                .warns(&["another `onramp serve` runs"]);
        }
        // A program that refuses the configuration, or hangs, does not continue.
        for (script, reason) in [
            ("echo no >&2; exit 2", "no"),
            (
                "exec sleep 1000",
                "its check of the configuration takes longer",
            ),
        ] {
            let new = program.with_extension("new");
            fs::write(&new, format!("#!/bin/sh\n{script}\n")).unwrap();
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
            fs::set_permissions(&new, mode).unwrap();
            fs::rename(&new, &program).unwrap();
            service.signal(Signal::SIGHUP);
            let refused = format!("is new, and refuses to start: {reason}");
            wait_until_it_says(&service, &refused, 1);
        }
        let (connections, without) = load.end();
        assert_eq!(without, 0, "of {connections}");
        assert_eq!(
            site.counts()["policies"][0]["with_startup"]["connections"],
            connections
        );
        service.signal(Signal::SIGTERM);
        service.wait().code(0);
        assert!(!site.pins().exists());
    });
}
