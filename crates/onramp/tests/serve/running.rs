//! A service beside other commands, and its end.

use super::service::{wait_until_it_says, with_site};
use crate::common::process::{Background, Bpf, Held};
use crate::common::{machine, onramp, status, wait_until};
use nix::sys::signal::Signal;

const WEB: &str = "[[policy]]\nname = \"web\"\nlocal_port = PORT\nstartup = \"paced\"\n\
                   avoidance = \"cubic\"\n";

fn names() -> Vec<String> {
    onramp_kernel::registered_names().unwrap()
}

#[test]
fn the_end_leaves_nothing_and_the_defaults_are_as_before() {
    let Some(_machine) = machine() else { return };
    with_site(|site| {
        site.write(WEB);
        let others = Bpf::now();
        let service = site.start();
        let name = site.next_control();
        let held = Held::by(service.pid()).without(&others);
        assert!(!held.maps.is_empty());
        // Somebody makes it the default of a network namespace.
        let namespace = format!("onramp-serve-{}", std::process::id());
        run_ip(&["netns", "add", &namespace]);
        let default = format!("net.ipv4.tcp_congestion_control={name}");
        run_ip(&["netns", "exec", &namespace, "sysctl", "-qw", &default]);
        service.signal(Signal::SIGTERM);
        let ended = service.wait().code(0);
        run_ip(&["netns", "delete", &namespace]);
        ended.warns(&[
            "stopped: ",
            &format!("the default of network namespace {namespace} is "),
        ]);
        assert!(!site.pins().exists() && !site.socket().exists());
        assert!(!names().contains(&name));
        assert!(!site.next_control().starts_with("onramp"));
        wait_until("nothing is left in the kernel", || held.bpf_left() == 0);
    });
}

#[test]
fn other_commands_say_whose_it_is() {
    let Some(_machine) = machine() else { return };
    with_site(|site| {
        site.write(WEB);
        let service = site.start();
        let name = site.next_control();
        let pid = service.pid().to_string();
        site.run(&[])
            .code(2)
            .warns(&["another `onramp serve` runs", &pid]);
        let own = status()
            .into_iter()
            .find(|loaded| loaded["name"] == name.as_str())
            .unwrap();
        assert_eq!(
            (&own["service"], &own["registered"]),
            (&true.into(), &true.into())
        );
        let policy = &site.counts()["policies"][0];
        assert_eq!(policy["congestion_control"], name.as_str());
        onramp(["status"]).code(0).says(&["onramp serve ends"]);
        onramp(["unload", &name])
            .code(2)
            .warns(&["belongs to `onramp serve`"]);
        onramp(["unload", "--all"]).code(0);
        assert!(names().contains(&name));
        // `load` has a name of its own.
        let loaded = crate::common::Loaded::new("paced", &[]);
        assert!(names().contains(&"onramp_paced".to_owned()));
        drop(loaded);
        assert_eq!(site.next_control(), name);
        // An inner choice wins: `exec` counts as the program's own.
        let listens = "import socket\n\
            server = socket.create_server(('127.0.0.1', PORT))\n\
            client = socket.create_connection(server.getsockname())\n\
            print(server.accept()[0].getsockopt(6, 13, 16).decode())";
        let listens = listens.replace("PORT", &site.port.to_string());
        let exec = [
            "exec",
            "--startup",
            "standard",
            "--",
            "python3",
            "-c",
            &listens,
        ];
        onramp(exec).code(0).says(&["onramp_standard"]);
    });
}

#[test]
fn what_a_killed_service_left_can_be_undone() {
    let Some(_machine) = machine() else { return };
    with_site(|site| {
        site.write(WEB);
        let service: Background = site.start();
        let name = site.next_control();
        site.run(&["--undo"])
            .code(2)
            .warns(&["another `onramp serve` runs"]);
        service.signal(Signal::SIGKILL);
        service.wait();
        assert_eq!(site.next_control(), name, "the policies are in force");
        site.run(&["--undo"]).code(0);
        assert!(!site.pins().exists());
        assert!(!names().contains(&name));
    });
}

#[test]
fn warnings_of_the_configuration_and_a_changed_default_are_reported() {
    let Some(_machine) = machine() else { return };
    let namespace = Namespace::new();
    with_site(|site| {
        // All connections get the start-up, so that nothing is compared.
        site.write(WEB);
        let mut inside = namespace.command("env");
        let command = site.command(&[]);
        inside.arg(command.get_program()).args(command.get_args());
        let service = Background::spawn(inside);
        wait_until_it_says(&service, "in force: ", 1);
        wait_until_it_says(&service, "policy `web` has no control group", 1);
        // Every namespace may have it, and no host has it as its default.
        namespace.set_default("reno");
        let change = "the default congestion control of this host is reno now, and was ";
        wait_until_it_says(&service, change, 1);
        let counted = || {
            let socket = site.socket();
            let metrics = onramp(["metrics", "--socket", socket.to_str().unwrap()]);
            metrics
                .stdout
                .contains("onramp_default_control_changes_total 1\n")
        };
        wait_until("the change is counted", counted);
        service.signal(Signal::SIGTERM);
        service.wait().code(0);
    });
}

/// A network namespace with a name. It is removed when this value is dropped.
struct Namespace(String);

impl Namespace {
    fn new() -> Namespace {
        let name = format!("onramp-default-{}", std::process::id());
        run_ip(&["netns", "add", &name]);
        Namespace(name)
    }

    /// A command in it, with the mounts of this process.
    fn command(&self, program: &str) -> std::process::Command {
        let mut command = std::process::Command::new("nsenter");
        command
            .arg(format!("--net=/run/netns/{}", self.0))
            .arg(program);
        command
    }

    fn set_default(&self, name: &str) {
        let mut sysctl = self.command("sysctl");
        sysctl.args(["-qw", &format!("net.ipv4.tcp_congestion_control={name}")]);
        assert!(sysctl.status().unwrap().success(), "{name}");
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        run_ip(&["netns", "delete", &self.0]);
    }
}

fn run_ip(arguments: &[&str]) {
    let status = std::process::Command::new("ip").args(arguments).status();
    assert!(status.unwrap().success(), "{arguments:?}");
}
