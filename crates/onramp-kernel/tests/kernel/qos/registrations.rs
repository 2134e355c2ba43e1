//! Two registrations of `qos` at once: the one that a socket uses answers for it.

use super::cgroups::Cgroup;
use super::{ask, in_force, rate, Host, MEGABYTE};
use crate::common::{choose, connection_of, control_of, listener};
use onramp_kernel::{own_cgroup, Options, QosOption, Registration};
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// The control that [`in_a_process_of_its_own`] chooses; with several, one after the other.
const CONTROLS: &str = "ONRAMP_TEST_CONTROLS";

#[test]
fn a_socket_that_uses_one_registration_is_left_alone_by_the_other() {
    let Some(outer) = Host::new(10 * MEGABYTE) else {
        return;
    };
    let inner = Registration::new(&Options::new("qos")).unwrap();
    let reservations = inner.reservations().unwrap().unwrap();
    let cgroup = Cgroup::below(&own_cgroup().unwrap(), "two");
    reservations.set_limit(&cgroup.0, 10 * MEGABYTE).unwrap();
    let _option = QosOption::new(&cgroup.0, &reservations, None).unwrap();
    let names = [outer.registration.name(), inner.name()];
    assert!(names.iter().all(|name| name.starts_with("onramp_qos")));
    assert_ne!(names[0], names[1]);

    let procs = cgroup.0.join("cgroup.procs");
    let mut command = Command::new(std::env::current_exe().unwrap());
    let own_name = "qos::registrations::in_a_process_of_its_own";
    command.args(["--exact", own_name, "--nocapture"]);
    command.env(CONTROLS, names.join(" "));
    // SAFETY: the closure makes system calls only.
    unsafe { command.pre_exec(move || fs::write(&procs, "0")) };
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    // The program of the inner cgroup runs first. It passes the socket of the outer registration.
    let granted = [
        outer.limit().granted,
        reservations.limits().unwrap()[0].granted,
    ];
    assert_eq!(granted, [1, 1], "each for its own socket");
}

/// The part of the other test that runs in a cgroup.
#[test]
fn in_a_process_of_its_own() {
    let controls = std::env::var(CONTROLS).unwrap_or_default();
    let listener = listener();
    for control in controls.split_whitespace() {
        let (socket, _client) = connection_of(&listener);
        choose(&socket, control);
        ask(&socket, rate(MEGABYTE)).unwrap();
        assert_eq!(control_of(&socket), control);
        assert_eq!(in_force(&socket), rate(MEGABYTE));
        // A second request changes the rate, and nothing else.
        ask(&socket, rate(2 * MEGABYTE)).unwrap();
        assert_eq!(control_of(&socket), control);
        assert_eq!(in_force(&socket), rate(2 * MEGABYTE));
    }
}
