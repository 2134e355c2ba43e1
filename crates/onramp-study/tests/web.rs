//! `onramp web`, and what the page computes.

use crate::common::process::Background;
use crate::common::{onramp, wait_for};
use nix::sys::signal::Signal;
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

/// A folder with a page.
fn page() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(
        folder.path().join("index.html"),
        "<title>Playground</title>",
    )
    .unwrap();
    fs::write(folder.path().join("engine.js"), "var onrampEngine={};").unwrap();
    folder
}

/// A running server and its address.
fn server(folder: &Path) -> (Background, String) {
    let folder = folder.to_str().unwrap();
    let server = Background::onramp(["web", "--listen", "127.0.0.1:0", "--folder", folder]);
    let address = wait_for("the server listens", || {
        let text = server.stdout();
        let (_, rest) = text.split_once("http://")?;
        Some(rest.split_once('/')?.0.to_owned())
    });
    (server, address)
}

/// The answer to a request with this first line.
fn ask(address: &str, line: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(stream, "{line} HTTP/1.1\r\nHost: onramp\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn the_page_is_served_until_sigterm() {
    let folder = page();
    let (server, address) = server(folder.path());
    let index = ask(&address, "GET /");
    assert!(index.starts_with("HTTP/1.1 200 OK\r\n"), "{index}");
    assert!(
        index.contains("content-type: text/html; charset=utf-8\r\n"),
        "{index}"
    );
    assert!(
        index.ends_with("\r\n\r\n<title>Playground</title>"),
        "{index}"
    );
    let script = ask(&address, "HEAD /engine.js");
    assert!(
        script.contains("content-type: text/javascript; charset=utf-8\r\n"),
        "{script}"
    );
    assert!(script.ends_with("\r\n\r\n"), "{script}");
    server.signal(Signal::SIGTERM);
    server.wait().code(0);
}

#[test]
fn nothing_outside_of_the_folder_is_served() {
    let outer = tempfile::tempdir().unwrap();
    let folder = outer.path().join("page");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("index.html"), "").unwrap();
    fs::write(outer.path().join("secret.js"), "secret").unwrap();
    let (_server, address) = server(&folder);
    for path in [
        "/../secret.js",
        "/%2e%2e/secret.js",
        "/..%2fsecret.js",
        "//secret.js",
    ] {
        let answer = ask(&address, &format!("GET {path}"));
        assert!(
            answer.starts_with("HTTP/1.1 404 Not Found\r\n"),
            "{path}: {answer}"
        );
    }
    let posted = ask(&address, "POST /");
    assert!(posted.starts_with("HTTP/1.1 405 "), "{posted}");
}

#[test]
fn a_folder_without_the_page_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let name = folder.path().to_str().unwrap();
    let missing = folder.path().join("missing");
    onramp(["web", "--folder", name])
        .code(2)
        .warns(&[name, "it has no index.html", "make web"]);
    onramp(["web", "--folder", missing.to_str().unwrap()])
        .code(2)
        .warns(&["it is not a folder", "make web"]);
}

#[test]
fn a_port_in_use_is_named() {
    let folder = page();
    let (_server, address) = server(folder.path());
    let name = folder.path().to_str().unwrap();
    onramp(["web", "--listen", &address, "--folder", name])
        .code(3)
        .warns(&[
            &format!("cannot listen on {address}"),
            "another program uses this port",
        ]);
}

#[test]
fn records_of_the_page_are_those_of_the_command_line() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../onramp-web/page/src");
    let files = ["presets", "lessons"].map(|folder| fs::read_dir(page.join(folder)).unwrap());
    let files = files.into_iter().flatten().map(|file| file.unwrap().path());
    let scenarios: Vec<_> = files
        .filter(|file| {
            file.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    assert!(scenarios.len() >= 14, "eight presets and six lessons");
    for file in scenarios {
        let text = fs::read_to_string(&file).unwrap();
        let played = onramp_web::play(&text, &mut |_| true).expect("a scenario of the page");
        let printed = onramp(["sim", file.to_str().unwrap(), "--json"])
            .code(0)
            .stdout;
        assert!(played.facts.records_json == printed, "{}", file.display());
    }
}
