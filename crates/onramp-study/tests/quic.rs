//! `onramp quic`: a server and clients on the loopback device. They need no root.

use crate::common::process::Background;
use crate::common::{assert_has, onramp, wait_for, Ran};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::path::Path;

fn get(arguments: &[&str]) -> Ran {
    onramp([&["quic", "get"], arguments].concat())
}

fn serve(arguments: &[&str]) -> Ran {
    onramp([&["quic", "serve", "--listen", "127.0.0.1:0"], arguments].concat())
}

/// A running server, its port, and the hash of its certificate.
fn server(arguments: &[&str]) -> (Background, String, String) {
    let all = [&["quic", "serve", "--listen", "127.0.0.1:0"], arguments].concat();
    let server = Background::onramp(all);
    let (port, hash) = wait_for("the server listens", || {
        let text = server.stderr();
        let line = text.strip_prefix("onramp: listening on 127.0.0.1:")?;
        let (port, hash) = line.split_once(" (UDP), certificate SHA-256 ")?;
        let hash = hash.strip_suffix('\n')?;
        Some((port.to_owned(), hash.to_owned()))
    });
    (server, port, hash)
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_file_arrives_whole_and_sigterm_ends_the_server_with_its_memory() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("files")).unwrap();
    let content: Vec<u8> = (0..300_000_u32).flat_map(u32::to_be_bytes).collect();
    std::fs::write(path("files/file"), &content).unwrap();
    let (files, memory, qlog) = (path("files"), path("memory.json"), path("qlog"));
    let options = ["--json", "--folder", text(&files), "--qlog", text(&qlog)];
    let remembers = ["--memory", "careful", "--memory-file", text(&memory)];
    let (server, port, hash) = server(&[&options[..], &remembers].concat());
    let url = |path: &str| format!("https://localhost:{port}{path}");
    let (copy, pin) = (path("copy"), ["--pin", &hash]);
    get(&[&[&*url("/file"), "--output", text(&copy)], &pin[..]].concat())
        .code(0)
        .says(&["/file: 1.20 MB in ", "; handshake "]);
    assert!(std::fs::read(copy).unwrap() == content);
    let generated = get(&[&["--json", &*url("/bytes/1000")], &pin[..]].concat()).code(0);
    assert_eq!(generated.json()["verified"], true);
    assert_eq!(generated.json()["bytes"], 1000);
    get(&[&[&*url("/../x")], &pin[..]].concat())
        .code(2)
        .warns(&["the server refused /../x: the path leads out of the folder"]);

    server.signal(Signal::SIGTERM);
    let ended = server.wait().code(0);
    let lines: Vec<Value> = ended
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 3, "{lines:#?}");
    assert_eq!(lines[0]["path"], "/file");
    assert_has(
        lines[2]["failure"].as_str().unwrap(),
        &["out of the folder"],
    );
    let remembered: Value =
        serde_json::from_str(&std::fs::read_to_string(memory).unwrap()).unwrap();
    assert!(remembered.is_array());
    assert_eq!(std::fs::read_dir(qlog).unwrap().count(), 3);
}

/// A client in the middle of a download into this folder: the server sends 100 kB at once, and the
/// rest after an hour.
fn client_in_a_download(port: &str, folder: &Path) -> Background {
    let url = format!("https://localhost:{port}/bytes/200000/100000/3600000000");
    let file = folder.join("file");
    let options = ["--insecure", "--output", text(&file)];
    let client = Background::onramp([&["quic", "get", &url], &options[..]].concat());
    wait_for("the first write arrives", || {
        let mut files = std::fs::read_dir(folder).unwrap();
        let bytes = files.next()?.ok()?.metadata().ok()?.len();
        (bytes > 0).then_some(())
    });
    client
}

fn is_empty(folder: &Path) -> bool {
    std::fs::read_dir(folder).unwrap().next().is_none()
}

#[test]
fn both_signals_end_a_server_with_0_and_a_second_one_cuts_downloads_off() {
    let folder = tempfile::tempdir().unwrap();
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let (server, port, _) = server(&["--json", "--grace", "3600s"]);
        let client = client_in_a_download(&port, folder.path());
        server.signal(signal);
        let url = format!("https://localhost:{port}/bytes/1");
        wait_for("the server refuses connections", || {
            (get(&[&url, "--insecure"]).code == Some(2)).then_some(())
        });
        server.signal(signal);
        let ended = server.wait().code(0);
        let last = ended.stdout.lines().last().unwrap();
        let last: Value = serde_json::from_str(last).unwrap();
        assert_has(last["failure"].as_str().unwrap(), &["cut off "]);
        client.wait().code(2).warns(&["the connection ended"]);
        assert!(is_empty(folder.path()));
    }
}

#[test]
fn an_interrupted_client_says_how_much_it_received_and_leaves_no_file() {
    let (_server, port, _) = server(&[]);
    let folder = tempfile::tempdir().unwrap();
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let client = client_in_a_download(&port, folder.path());
        client.signal(signal);
        let ended = client.wait().code(130);
        ended.warns(&["onramp: interrupted after ", " kB"]);
        assert!(is_empty(folder.path()));
    }
}

#[test]
fn a_client_without_a_reason_to_trust_the_server_is_told_what_to_do() {
    let (_server, port, _) = server(&[]);
    let url = format!("https://localhost:{port}/bytes/1");
    let other = "0".repeat(64);
    get(&[&url, "--pin", &other]).code(2).warns(&[
        "another hash",
        "name the certificate that the server must have",
    ]);
    get(&[&url, "--insecure"]).code(0);
}

#[test]
fn wrong_options_of_the_client_are_named() {
    let refused = |arguments: &[&str], parts: &[&str]| drop(get(arguments).code(2).warns(parts));
    refused(&[], &["<URL>..."]);
    refused(
        &["http://a/b"],
        &["its scheme is `http`", "https://HOST[:PORT]/PATH"],
    );
    refused(&["https://a/b", "--pin", "12"], &["64 hexadecimal digits"]);
    refused(&["https://a/b", "--silence", "1us"], &["expected 1 ms to"]);
    refused(
        &["https://a/b", "--receive-window", "5GiB"],
        &["expected 1 byte to 4 GiB"],
    );
    refused(
        &["https://a/b", "https://a/c", "--output", "x"],
        &["--output takes one download"],
    );
    refused(
        &["https://127.0.0.1:1/b", "--ca", "/dev/null"],
        &[
            "the file of authorities /dev/null",
            "no certificate in PEM format",
        ],
    );
    refused(
        &["https://127.0.0.1:1/b", "--insecure", "--silence", "50ms"],
        &[
            "127.0.0.1:1: the handshake failed: timed out",
            "a QUIC server listens on this port",
        ],
    );
}

#[test]
fn wrong_options_of_the_server_are_named() {
    let refused = |arguments: &[&str], parts: &[&str]| drop(serve(arguments).code(2).warns(parts));
    refused(
        &["--startup", "fast"],
        &["no start-up is named `fast`", "onramp"],
    );
    refused(&["--startup", "pair"], &["TCP option"]);
    refused(
        &["--startup", "qos"],
        &["reserves none", "another start-up"],
    );
    refused(&["--avoidance", "reno"], &["hands over to cubic"]);
    refused(&["--folder", "/no/such"], &["/no/such", "No such file"]);
    refused(&["--certificate", "/no/such"], &["--key <FILE>"]);
    refused(&["--memory-file", "x"], &["--memory <WHEN>"]);
    refused(
        &["--name", "ä.test"],
        &["the certificate and the key cannot be used"],
    );
    let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    onramp(["quic", "serve", "--listen", &address])
        .code(2)
        .warns(&[&address, "choose another port"]);
    let folder = tempfile::tempdir().unwrap();
    let certificate = folder.path().join("certificate");
    let options = [
        "--listen",
        &address,
        "--write-certificate",
        text(&certificate),
    ];
    onramp([&["quic", "serve"], &options[..]].concat())
        .code(2)
        .warns(&[&address]);
    assert!(!certificate.exists());
    refused(
        &["--memory", "careful", "--memory-file", "/no/such/file"],
        &["cannot create /no/such/file"],
    );
    let memory = folder.path().join("memory");
    std::fs::write(&memory, "{}").unwrap();
    refused(
        &["--memory", "careful", "--memory-file", text(&memory)],
        &[
            "cannot read the memory",
            "expected what `--memory-file` wrote",
        ],
    );
}
