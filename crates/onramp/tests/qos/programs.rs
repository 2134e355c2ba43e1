//! Programs in several languages reserve a rate.

use super::path::{download, path, resent, serve, PORT};
use crate::common::{assert_has, machine, onramp, undisturbed, wait_until, Loaded, Machine};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// `onramp load qos`, which is undone when this value is dropped, and the machine.
pub fn loaded(options: &[&str]) -> Option<(Loaded, Machine)> {
    let machine = machine()?;
    Some((Loaded::new("qos", options), machine))
}

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

pub fn example(name: &str) -> String {
    repository()
        .join("examples/tcp-qos")
        .join(name)
        .display()
        .to_string()
}

const SIZE: usize = 100_000;
const RATE: &str = "125000"; // 1 Mbit/s

fn with_arguments(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .args([&PORT.to_string(), &SIZE.to_string(), RATE]);
    command
}

/// 100 kB at 1 Mbit/s over 10 Mbit/s and 500 ms take two round trips until the first byte arrives,
/// and 0.8 s. Returns the number of downloads.
#[track_caller]
fn assert_has_its_rate(server: Command) -> u64 {
    const TIMES_S: std::ops::Range<f64> = 1.62..1.98;
    let path = path("rate = \"10 Mbit/s\"\nrtt = \"500 ms\"");
    let _server = serve(&path, server);
    let mut downloads = 0;
    for _ in 0..2 {
        let run = || {
            downloads += 1;
            let resent_before = resent(&path);
            let (bytes, took) = download(&path);
            assert_eq!(bytes, SIZE);
            (took, resent(&path) - resent_before)
        };
        let is_right = |(took, resent): &(Duration, u64)| {
            TIMES_S.contains(&took.as_secs_f64()) && *resent == 0
        };
        let found = undisturbed(run, is_right);
        assert!(
            is_right(&found),
            "time and retransmitted segments: {found:?}"
        );
    }
    downloads
}

#[test]
#[ignore = "takes long: make test-kernel"]
fn a_program_in_python_gets_its_rate() {
    let Some(_loaded) = loaded(&[]) else { return };
    let downloads = assert_has_its_rate(with_arguments("python3", &[&example("server.py")]));
    // All reservations were granted, and are released when their last segment is acknowledged.
    let limits = || onramp(["qos", "--json"]).code(0).json();
    wait_until("they count no longer", || {
        limits()[0]["reserved_bytes_per_s"] == 0
    });
    assert_eq!(
        (
            limits()[0]["granted"].as_u64(),
            limits()[0]["refused"].as_u64()
        ),
        (Some(downloads), Some(0))
    );
}

#[test]
#[ignore = "takes long: make test-kernel"]
fn a_program_in_c_gets_its_rate() {
    let Some(_loaded) = loaded(&[]) else { return };
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("server").display().to_string();
    let include = repository().join("bpf/include");
    let mut compile = Command::new("cc");
    compile
        .args(["-Wall", "-Wextra", "-Werror", "-I"])
        .arg(include)
        .args(["-o", &program, &example("server.c")]);
    assert!(compile.status().unwrap().success());
    assert_has_its_rate(with_arguments(&program, &[]));
}

#[test]
#[ignore = "takes long: make test-kernel"]
fn a_program_in_rust_gets_its_rate() {
    let Some(_loaded) = loaded(&[]) else { return };
    // Cargo builds the examples before any test runs.
    let program = PathBuf::from(env!("CARGO_BIN_EXE_onramp"))
        .with_file_name("examples")
        .join("tcp-qos");
    assert_has_its_rate(with_arguments(&program.display().to_string(), &[]));
}

#[test]
#[ignore = "takes long: make test-kernel"]
fn a_program_in_go_gets_its_rate() {
    let Some(_loaded) = loaded(&[]) else { return };
    let directory = tempfile::tempdir().unwrap();
    let program = directory.path().join("server").display().to_string();
    let mut compile = Command::new("go");
    compile
        .args(["build", "-o", &program, &example("server.go")])
        .env("GOCACHE", directory.path().join("cache"));
    match compile.env("GO111MODULE", "off").status() {
        Err(_) if std::env::var_os("CI").is_none() => eprintln!("skipped: go is not installed"),
        status => {
            assert!(status.expect("CI has go").success());
            assert_has_its_rate(with_arguments(&program, &[]));
        }
    }
}

/// A program that does not use TCP_QOS.
#[test]
fn exec_reserves_for_a_program_that_does_not_reserve() {
    let Some(_machine) = machine() else { return };
    let mut server = Command::new(env!("CARGO_BIN_EXE_onramp"));
    server.args([
        "exec",
        "--qos-rate",
        "1 Mbit/s",
        "--events",
        "--",
        "python3",
        "-c",
    ]);
    server.arg(format!(
        "import socket\ns=socket.create_server(('',{PORT}))\nwhile True:\n \
         c,_=s.accept()\n c.sendall(bytes({SIZE}))\n c.close()"
    ));
    assert_has_its_rate(server);
}

#[test]
fn without_the_option_the_program_gets_an_error_and_the_connection_continues() {
    let Some(_machine) = machine() else { return };
    let path = path("rate = \"10 Mbit/s\"\nrtt = \"40 ms\"");
    let server = serve(&path, with_arguments("python3", &[&example("server.py")]));
    let (bytes, _) = download(&path);
    assert_eq!(bytes, SIZE);
    assert_has(
        &server.stderr(),
        &["cannot reserve", "Protocol not available"],
    );
}
