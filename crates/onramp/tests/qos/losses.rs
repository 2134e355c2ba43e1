//! Reservations that the path cannot keep, and connections without a reservation.

use super::path::{download, path, resent, serve, PORT};
use super::programs::{example, loaded};
use crate::common::{
    assert_has, connections, machine, onramp, scenario, undisturbed, wait_for, wait_until, Loaded,
};
use serde_json::Value;
use std::process::Command;

fn python(size: &str, rate: &str) -> Command {
    let mut command = Command::new("python3");
    command.args([&example("server.py"), &PORT.to_string(), size, rate]);
    command
}

fn limit() -> Value {
    onramp(["qos", "--json"]).code(0).json()[0].clone()
}

#[test]
fn a_path_of_half_the_rate_breaks_the_reservation_and_the_connection_continues() {
    let Some(_machine) = machine() else { return };
    let run = || {
        // Sockets of an earlier attempt may still be closing.
        let earlier: Vec<Value> = connections().iter().map(|c| c["remote"].clone()).collect();
        let _loaded = Loaded::new("qos", &[]);
        let path = path("rate = \"4 Mbit/s\"\nrtt = \"40 ms\"\nqueue = \"20 packets\"");
        let _server = serve(&path, python("3000000", "1000000"));
        let (seen, (bytes, took)) = std::thread::scope(|scope| {
            let client = scope.spawn(|| download(&path));
            let is_broken =
                |row: &Value| row["exit_reason"] == "broken" && !earlier.contains(&row["remote"]);
            let seen = wait_for("it breaks", || match client.is_finished() {
                true => Some(None),
                false => connections().iter().any(is_broken).then(|| Some(limit())),
            });
            (seen, client.join().unwrap())
        });
        assert_eq!(bytes, 3_000_000);
        assert_eq!(limit()["broken"].as_u64(), Some(1));
        (seen, took.as_secs_f64(), resent(&path))
    };
    // CUBIC takes over: the path is used, and few segments are lost after the first few hundred.
    let is_right = |(seen, took_s, resent): &(Option<Value>, f64, u64)| {
        seen.is_some() && (6.1..9.0).contains(took_s) && (10..250).contains(resent)
    };
    let found = undisturbed(run, is_right);
    assert!(
        is_right(&found),
        "limit, time, retransmitted segments: {found:?}"
    );
    // The reservation was released while the connection continued.
    assert_eq!(found.0.unwrap()["reserved_bytes_per_s"].as_u64(), Some(0));
}

#[test]
fn exec_reports_a_broken_reservation() {
    let Some(_machine) = machine() else { return };
    let path = path("rate = \"4 Mbit/s\"\nrtt = \"40 ms\"\nqueue = \"20 packets\"");
    let mut server = Command::new(env!("CARGO_BIN_EXE_onramp"));
    server.args([
        "exec",
        "--qos-rate",
        "8 Mbit/s",
        "--events",
        "--",
        "python3",
        "-c",
    ]);
    let program = "import socket\ns=socket.create_server(('',PORT))\nc,_=s.accept()\n\
                   c.sendall(bytes(1000000))";
    server.arg(program.replace("PORT", &PORT.to_string()));
    let server = serve(&path, server);
    assert_eq!(download(&path).0, 1_000_000);
    wait_until("the event is printed", || {
        server.stderr().contains("exit broken")
    });
    assert_has(&server.stderr(), &["phase reserved", "path 8.00 Mbit/s"]);
}

/// One packet in 500 is lost: a third of the loss that breaks a reservation.
#[test]
fn stray_losses_are_repaired_at_the_rate() {
    let Some(_loaded) = loaded(&[]) else { return };
    let path = path("rate = \"50 Mbit/s\"\nrtt = \"60 ms\"\nloss = \"0.2 %\"");
    let _server = serve(&path, python("10000000", "2500000"));
    // The transfer takes 4 s and two round trips. CUBIC takes several times as long.
    let is_right = |took_s: &f64| (4.0..4.5).contains(took_s);
    let run = || {
        let (bytes, took) = download(&path);
        assert_eq!((bytes, limit()["broken"].as_u64()), (10_000_000, Some(0)));
        took.as_secs_f64()
    };
    let took_s = undisturbed(run, is_right);
    assert!(is_right(&took_s), "{took_s}");
    assert!(resent(&path) >= 5, "{}", resent(&path));
}

/// What a transfer without a reservation sends: first byte, last byte, whether retransmitted,
/// whether dropped. Segments that follow each other are one: where the writes of the application
/// end is left to chance.
fn sent(dir: &std::path::Path) -> Vec<(u64, u64, bool, bool)> {
    let transfer = "[[transfer]]\nsize = \"1 MB\"\nstartup = \"none\"\navoidance = \"cubic\"\n";
    let file = scenario(dir, "plain", "queue = \"1 MB\"", transfer);
    let out = dir.join("out");
    let _ = std::fs::remove_dir_all(&out);
    onramp([
        "lab",
        file.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ])
    .code(0);
    let trace: Value =
        serde_json::from_slice(&std::fs::read(out.join("traces/0.json")).unwrap()).unwrap();
    let mut sent: Vec<(u64, u64, bool, bool)> = Vec::new();
    for segment in trace["segments"].as_array().unwrap() {
        let start = segment["start_byte"].as_u64().unwrap();
        let end = start + segment["length_bytes"].as_u64().unwrap();
        let [again, dropped] = ["retransmission", "dropped"].map(|key| segment[key] == true);
        match sent.last_mut() {
            Some(last) if (last.1, last.2, last.3) == (start, again, dropped) => last.1 = end,
            _ => sent.push((start, end, again, dropped)),
        }
    }
    sent
}

/// Row R.isolation of the papers, on this kernel: the same bytes in the same order.
#[test]
fn a_connection_without_reservation_sends_the_same_while_qos_is_loaded() {
    let dir = tempfile::tempdir().unwrap();
    let without = {
        let Some(_machine) = machine() else { return };
        sent(dir.path())
    };
    let Some(_loaded) = loaded(&[]) else { return };
    assert_eq!(without, [(0, 1_000_000, false, false)]);
    assert_eq!(sent(dir.path()), without);
}
