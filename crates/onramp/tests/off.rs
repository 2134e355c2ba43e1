//! `onramp off`: everything ends. These tests run while no other does (.config/nextest.toml).

use crate::common::process::{Asking, Background, ANSWERING};
use crate::common::*;
use crate::serve::service::{with_site, Site};
use nix::sys::signal::Signal;
use nix::sys::socket::sockopt::TcpCongestion;
use nix::sys::socket::{getsockopt, setsockopt};
use std::fs;
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;

/// All new connections to the port get the start-up.
const WEB: &str = "[[policy]]\nname = \"web\"\nlocal_port = PORT\nstartup = \"paced\"\n\
                   avoidance = \"cubic\"\n";

/// The machine, if nobody else uses Onramp on it.
fn unused_machine() -> Option<Machine> {
    let machine = machine()?;
    let is_used = !is_true_soon(|| status().is_empty());
    assert!(
        !is_used || std::env::var_os("CI").is_none(),
        "nothing else uses it in CI"
    );
    if is_used {
        eprintln!("left out: Onramp is in use on this host");
    }
    (!is_used).then_some(machine)
}

fn off(site: &Site) -> Ran {
    let pins = site.pins();
    onramp(["off", "--pins", pins.to_str().unwrap()])
}

/// A program that answers at the site's port, and a connection to it.
fn connection(site: &Site) -> (Background, Asking) {
    let program = ANSWERING.replace(
        "(\"127.0.0.1\", 0)",
        &format!("(\"127.0.0.1\", {})", site.port),
    );
    let mut python = std::process::Command::new("python3");
    python.args(["-c", &program]);
    let answering = Background::spawn(python);
    answering.first_line();
    let asking = Asking::connect(site.port);
    (answering, asking)
}

const NOTHING_LEFT: &str = "Nothing of Onramp is left in this kernel";

#[test]
fn the_service_what_load_registered_and_live_connections_end_at_once() {
    let Some(_machine) = unused_machine() else {
        return;
    };
    with_site(|site| {
        site.write(WEB);
        let service = site.start();
        let (_answering, mut asking) = connection(site);
        assert!(asking.congestion_control().starts_with("onramp_paced."));
        let _loaded = Loaded::new("standard", &[]);
        // `unload` names what it leaves alone.
        onramp(["unload", "--all"]).code(0);
        onramp(["unload", "--all", "--live"])
            .code(1)
            .says(&["(of `onramp serve`)", "onramp off"]);
        let _loaded = Loaded::new("standard", &[]);

        let pid = service.pid();
        let ended = off(site).code(0).says(&[
            &format!("Process {pid}, the service, has stopped."),
            "onramp_standard is no longer registered.",
            "Moved ",
            NOTHING_LEFT,
        ]);
        assert!(ended.stderr.is_empty(), "{ended:?}");
        service.wait().code(0).warns(&["stopped: "]);
        let default = onramp_kernel::default_in_this_namespace().unwrap();
        assert_eq!(asking.congestion_control(), default);
        assert_eq!(Asking::connect(site.port).congestion_control(), default);
        assert!(!site.pins().exists());
        onramp(["status"]).code(0).says(&["Nothing is loaded."]);
        // There is nothing to do any more.
        off(site).code(0).says(&[NOTHING_LEFT]);
    });
}

#[test]
fn one_walk_over_the_sockets_serves_all_start_ups() {
    let Some(_machine) = unused_machine() else {
        return;
    };
    with_site(|site| {
        let other = WEB.replace("web", "other").replace("paced", "suss");
        let other = other.replace("PORT", "9");
        site.write(&format!("{WEB}{other}"));
        let service = site.start();
        let (_answering, mut by_policy) = connection(site);
        let loads = ["standard", "gamma"];
        let _loaded = loads.map(|startup| Loaded::new(startup, &[]));
        let chosen = loads.map(|startup| {
            let stream = TcpStream::connect(("127.0.0.1", site.port)).unwrap();
            let name = onramp_core::congestion_control(startup);
            setsockopt(&stream, TcpCongestion, &name.into()).unwrap();
            stream
        });

        let pins = site.pins();
        let receiver = pins.with_file_name("onramp-receiver");
        onramp(["receiver", "load", "--pins", receiver.to_str().unwrap()]).code(0);
        let off = onramp(["off", "--json", "--pins", pins.to_str().unwrap()]);
        let off: serde_json::Value = serde_json::from_str(&off.code(0).stdout).unwrap();
        // The service has ended `suss`, which nothing uses.
        let unloaded = off["unloaded"].as_array().unwrap().iter();
        let moved = unloaded.filter(|unloaded| unloaded["moved"]["sockets"] != 0);
        assert_eq!(moved.count(), 3, "{off}");
        // The second finds that no connection was accepted meanwhile.
        assert_eq!(off["walks"], 2, "{off}");
        let names = chosen.map(|stream| getsockopt(&stream, TcpCongestion).unwrap());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        assert!(!receiver.exists());
        for name in names.into_iter().chain([by_policy.congestion_control()]) {
            assert!(!name.starts_with("onramp"), "{name}");
        }
        service.wait().code(0);
    });
}

/// In the place of systemd's: a unit that does not stop before it is killed.
const SYSTEMCTL: &str = r#"#!/bin/sh
echo "$*" >> "$0.calls"
case "$1" in
show) printf 'ActiveState=active\nUnitFileState=enabled\n' ;;
stop) cat "$0.killed" ;;
kill) echo > "$0.killed" ;;
esac
"#;

#[test]
fn a_unit_that_does_not_stop_is_killed_with_few_calls_of_systemctl() {
    let Some(_machine) = unused_machine() else {
        return;
    };
    with_site(|site| {
        let folder = site.folder.path();
        let systemctl = folder.join("systemctl");
        fs::write(&systemctl, SYSTEMCTL).unwrap();
        fs::set_permissions(&systemctl, PermissionsExt::from_mode(0o755)).unwrap();
        nix::unistd::mkfifo(
            &folder.join("systemctl.killed"),
            nix::sys::stat::Mode::S_IRWXU,
        )
        .unwrap();
        let mut off = command(["off", "--pins", site.pins().to_str().unwrap()]);
        let path = std::env::var("PATH").unwrap();
        off.env("PATH", format!("{}:{path}", folder.display()));
        run(off).code(0).says(&[
            "onramp.service did not stop in time, and was killed.",
            "onramp.service is enabled: it starts again at the next boot.",
            NOTHING_LEFT,
        ]);
        let calls = fs::read_to_string(folder.join("systemctl.calls")).unwrap();
        let expected = "show --property=ActiveState,UnitFileState onramp.service\n\
                        stop onramp.service\n\
                        kill --signal=SIGKILL onramp.service\n";
        assert_eq!(calls, expected);
    });
}

#[test]
fn a_service_that_hangs_is_killed_and_what_it_left_ends() {
    let Some(_machine) = unused_machine() else {
        return;
    };
    with_site(|site| {
        site.write(WEB);
        let service = site.start();
        let (answering, mut asking) = connection(site);
        service.signal(Signal::SIGSTOP);
        off(site)
            .code(0)
            .says(&["did not stop in time, and was killed.", NOTHING_LEFT]);
        assert!(!asking.congestion_control().starts_with("onramp"));
        assert!(!site.pins().exists());
        // The same for one that was killed before.
        drop((service, answering));
        let service = site.start();
        let (_answering, mut asking) = connection(site);
        service.signal(Signal::SIGKILL);
        service.wait();
        off(site).code(0).says(&[NOTHING_LEFT]);
        assert!(!asking.congestion_control().starts_with("onramp"));
    });
}

#[test]
fn the_connections_of_a_running_exec_move_and_what_its_process_holds_is_named() {
    let Some(_machine) = unused_machine() else {
        return;
    };
    with_site(|site| {
        let exec = [
            "exec",
            "--startup",
            "gamma",
            "--",
            "python3",
            "-c",
            ANSWERING,
        ];
        let exec = Background::onramp(exec);
        let line = exec.first_line();
        let port = line.split(' ').nth(1).unwrap().parse().unwrap();
        let mut asking = Asking::connect(port);
        assert_eq!(asking.congestion_control(), "onramp_gamma");
        let held = format!(
            "still there: process {} holds programs that nothing calls any more",
            exec.pid()
        );
        off(site).code(1).warns(&[&held]);
        assert!(!asking.congestion_control().starts_with("onramp"));
        let mut next = Asking::connect(port);
        assert!(!next.congestion_control().starts_with("onramp"));
        exec.signal(Signal::SIGTERM);
        exec.wait();
        off(site).code(0).says(&[NOTHING_LEFT]);
    });
}
