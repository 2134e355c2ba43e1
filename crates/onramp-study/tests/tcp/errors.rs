//! Error messages of `onramp tcp`.

use super::peer::{accept, reports, Host, DEVICE, KERNEL, OURS};
use crate::common::process::Background;
use crate::common::public_dir;
use crate::common::{onramp, wait_until, Ran};
use std::os::unix::process::CommandExt;

const SERVE: [&str; 4] = ["tcp", "serve", "--port", "80"];
const SIZE: [&str; 2] = ["--size", "1kB"];

fn inside(host: &Host, arguments: &[&[&str]]) -> Ran {
    let arguments = arguments.concat();
    host.run(|| onramp(arguments))
}

#[test]
fn missing_and_wrong_options_are_named() {
    let usage =
        |arguments: &[&[&str]], says: &str| onramp(arguments.concat()).code(2).warns(&[says]);
    usage(&[&SERVE, &DEVICE], "--receive <FILE>");
    usage(
        &[&SERVE, &DEVICE, &["--size", "1 parsec"]],
        "the size `1 parsec` has an unknown unit `parsec`",
    );
    usage(&[&SERVE, &DEVICE, &SIZE, &["--recovery", "renno"]], "reno");
    usage(
        &[&SERVE, &DEVICE, &["--file", "/no/such/file"]],
        "cannot send /no/such/file: No such file",
    );
    usage(
        &[&SERVE, &DEVICE, &["--file", "/dev/zero"]],
        "it is not a regular file",
    );
    usage(
        &[&SERVE, &DEVICE, &["--receive", "/no/such/dir/file"]],
        "cannot create /no/such/dir/file",
    );
    usage(
        &[&["tcp", "get", "--from", "10.9.0.1"], &DEVICE],
        "invalid socket address",
    );
}

#[test]
fn a_device_or_address_that_cannot_be_used_is_named() {
    let Some(host) = Host::new() else { return };
    let missing = ["--tun", "missing", "--address", OURS];
    inside(&host, &[&SERVE, &SIZE, &missing]).code(2).warns(&[
        "there is no device `missing`",
        "--host ADDRESS",
        "ip tuntap add dev missing mode tun",
    ]);
    let nameless = [
        "--tun",
        "a-name-of-16-byt",
        "--address",
        OURS,
        "--host",
        KERNEL,
    ];
    inside(&host, &[&SERVE, &SIZE, &nameless])
        .code(2)
        .warns(&["at most 15 bytes"]);

    let serve = host.serve(&SIZE);
    inside(&host, &[&SERVE, &SIZE, &DEVICE])
        .code(2)
        .warns(&["10.9.0.1 is an address of this host, on `tun0`"]);
    let busy = ["--tun", "tun0", "--address", "10.9.0.3"];
    inside(&host, &[&SERVE, &SIZE, &busy])
        .code(2)
        .warns(&["`tun0` is in use by another process"]);
    let taken = [
        "--tun",
        "tun0",
        "--address",
        "10.9.1.2",
        "--host",
        "10.9.1.1",
    ];
    inside(&host, &[&SERVE, &SIZE, &taken])
        .code(2)
        .warns(&["`tun0` exists already"]);
    let own = ["--tun", "tun1", "--address", KERNEL, "--host", "10.9.1.1"];
    inside(&host, &[&SERVE, &SIZE, &own])
        .code(2)
        .warns(&["10.9.0.1 is an address of this host", "choose another"]);
    let same = [
        "--tun",
        "tun1",
        "--address",
        "10.9.1.1",
        "--host",
        "10.9.1.1",
    ];
    inside(&host, &[&SERVE, &SIZE, &same])
        .code(2)
        .warns(&["--address and --host are both 10.9.1.1"]);
    drop(serve);

    host.run(|| onramp_host::ip("tuntap add dev down mode tun\n"))
        .unwrap();
    let down = ["--tun", "down", "--address", OURS];
    inside(&host, &[&SERVE, &SIZE, &down])
        .code(3)
        .warns(&["`down` is down: run `ip link set dev down up`"]);
    host.run(|| onramp_host::ip("link set dev down up mtu 1400\n"))
        .unwrap();
    inside(&host, &[&SERVE, &SIZE, &down, &["--mtu", "1500"]])
        .code(2)
        .warns(&["--mtu 1500 is more than the 1400"]);
}

#[test]
fn a_missing_permission_is_named() {
    let Some(host) = Host::new() else { return };
    let dir = public_dir();
    let mut command = std::process::Command::new(dir.path().join("onramp"));
    command
        .args([&SERVE[..], &SIZE, &DEVICE].concat())
        .uid(65_534)
        .gid(65_534);
    let ran = host.run(|| crate::common::run(command));
    ran.code(3).warns(&["needs CAP_NET_ADMIN: run as root"]);
}

#[test]
fn refusals_resets_and_silence_of_a_peer_are_distinguished() {
    let Some(host) = Host::new() else { return };
    let ran = host.get(&[]).wait().code(1);
    assert_eq!(
        reports(&ran)[0]["failure"],
        "10.9.0.1:8080 refused the connection: no program listens on this port"
    );

    let listener = host.listen();
    let get = host.get(&["--size", "10MB"]);
    let peer = accept(&listener);
    peer.peek(&mut [0]).unwrap(); // waits for data
    drop(peer); // closing with unread data resets the connection
    let ran = get.wait().code(1);
    let failure = reports(&ran)[0]["failure"].as_str().unwrap().to_owned();
    assert!(
        failure.starts_with("10.9.0.1:8080 reset the connection after "),
        "{failure}"
    );

    let silent = ["tcp", "get", "--from", "10.9.0.77:1"];
    let mut get = host.run(|| Background::onramp([&silent, &DEVICE[..]].concat()));
    wait_until("it says so", || {
        get.stderr().contains("no answer from 10.9.0.77:1 yet")
    });
    assert!(get.is_running());
}

#[test]
fn a_device_that_is_deleted_ends_the_command() {
    let Some(host) = Host::new() else { return };
    let serve = host.serve(&SIZE);
    host.run(|| onramp_host::ip("link delete tun0\n")).unwrap();
    serve.wait().code(3).warns(&["tun0"]);
}
