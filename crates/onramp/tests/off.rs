//! `onramp off`: everything ends. These tests run while no other does (.config/nextest.toml).

use crate::common::process::{Asking, Background, ANSWERING};
use crate::common::*;
use crate::serve::service::{with_site, Site};
use nix::sys::signal::Signal;

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
