//! `onramp receiver`.

use crate::common::*;
use crate::serve::service::with_site;
use serde_json::Value;
use std::net::{TcpListener, TcpStream};

/// Prints the buffers of both ends of connections, as JSON: of the one that connected, before
/// anything has arrived, and of the one that was accepted, after some data; then of one whose
/// application has chosen its buffer; and what the first one offers its peer. The last number is
/// the buffer after 30 MB.
const BUFFERS: &str = r#"
import json, socket, struct, threading
server = socket.create_server(("127.0.0.1", 0))
SNDWND = 228
def buffer(one):
    return one.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
def ends(chosen=None):
    client = socket.socket()
    if chosen:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, chosen)
    client.connect(server.getsockname())
    return client, server.accept()[0]
client, accepted = ends()
connected = buffer(client)
for _ in range(3):
    client.sendall(bytes(100))
    accepted.recv(100, socket.MSG_WAITALL)
info = accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
offered = struct.unpack_from("I", info, SNDWND)[0]
other, _other = ends(50_000)
thread = threading.Thread(target=accepted.sendall, args=(bytes(30_000_000),))
thread.start()
client.recv(30_000_000, socket.MSG_WAITALL)
thread.join()
print(json.dumps({
    "connected": connected,
    "accepted": buffer(accepted),
    "chosen": buffer(other),
    "offered": offered,
    "mark": client.getsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT),
    "after": buffer(client),
}), flush=True)
"#;

const WINDOW: u64 = 512 << 10;

fn buffers(arguments: &[&str]) -> Value {
    let ran = match arguments {
        [] => {
            let mut python = std::process::Command::new("python3");
            python.args(["-c", BUFFERS]);
            run(python)
        }
        options => {
            let options = options.iter().copied();
            let exec = ["receiver", "exec"].into_iter().chain(options);
            onramp(exec.chain(["--", "python3", "-c", BUFFERS]))
        }
    };
    serde_json::from_str(&ran.code(0).stdout).unwrap()
}

fn is_lifted(buffer: &Value) -> bool {
    // A buffer holds the window and the kernel's own records, up to as many bytes again.
    buffer.as_u64().unwrap() > WINDOW * 3 / 2
}

#[test]
fn connections_of_a_program_begin_with_a_larger_window_and_go_on_being_tuned() {
    let Some(_machine) = machine() else { return };
    let before = buffers(&[]);
    assert!(!is_lifted(&before["connected"]), "{before}");
    let lifted = buffers(&["--window", "512 KiB"]);
    assert!(is_lifted(&lifted["connected"]), "{lifted}");
    assert!(is_lifted(&lifted["accepted"]), "{lifted}");
    // The whole window, but for what the kernel leaves for its own records
    assert!(
        lifted["offered"].as_u64().unwrap() > WINDOW * 3 / 4,
        "{lifted}"
    );
    // What the application chose stays, and no application waits for more than before.
    assert_eq!(lifted["chosen"], before["chosen"]);
    assert_eq!(lifted["mark"], 1);
    // Auto-tuning goes on.
    assert!(
        lifted["after"].as_u64() > lifted["connected"].as_u64(),
        "{lifted}"
    );
    let elsewhere = buffers(&["--window", "512 KiB", "--port", "9"]);
    assert!(!is_lifted(&elsewhere["connected"]), "{elsewhere}");
    let other = buffers(&[
        "--window",
        "512 KiB",
        "--peer",
        "192.0.2.0/24,2001:db8::/32",
    ]);
    assert!(!is_lifted(&other["connected"]), "{other}");
    let peer = buffers(&["--window", "512 KiB", "--peer", "127.0.0.0/8"]);
    assert!(
        is_lifted(&peer["connected"]) && is_lifted(&peer["accepted"]),
        "{peer}"
    );
}

#[test]
fn a_receiver_stays_until_it_is_unloaded_and_has_a_limit() {
    let Some(_machine) = machine() else { return };
    with_site(|site| {
        let pins = site.pins().with_file_name("onramp-receiver");
        let pins = ["--pins", pins.to_str().unwrap()];
        let receiver = |arguments: &[&str]| {
            let command = ["receiver"].iter().chain(arguments).chain(&pins);
            onramp(command.copied().collect::<Vec<_>>())
        };
        let status = || receiver(&["status", "--json"]).json();
        receiver(&["status"]).code(0).says(&["Nothing is loaded."]);
        onramp(["doctor", "--receiver"])
            .code(0)
            .says(&["first receive window", "new connections offer "]);
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port().to_string();
        let load = |limit| {
            let window = [
                "load", "--window", "512 KiB", "--port", &port, "--limit", limit,
            ];
            receiver(&window)
        };
        // Room for one
        load("1 MiB")
            .code(0)
            .says(&["New connections with some peers or ports offer 524 kB"]);
        let connect = || TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let clients = [connect(), connect()];
        let found = status();
        for count in ["lifted", "live", "beyond_limit"] {
            assert_eq!(found[count], 1, "{count}: {found}");
        }
        assert!(found["live_bytes"].as_u64().unwrap() <= 1 << 20, "{found}");
        drop(clients);
        drop([(); 2].map(|()| listener.accept().unwrap()));
        wait_until(
            "the lift of a connection that has ended is given back",
            || {
                let found = status();
                found["live"] == 0 && found["live_bytes"] == 0
            },
        );
        // One `load` takes the place of another.
        load("1 GiB").code(0);
        assert_eq!(status()["lifted"], 0);
        receiver(&["load", "--window", "99 GiB"])
            .code(2)
            .warns(&["a window of 99 GiB is too large: net.ipv4.tcp_rmem allows "]);
        assert_eq!(
            status()["window_bytes"],
            WINDOW,
            "the one from before stays"
        );
        receiver(&["unload"])
            .code(0)
            .says(&["New connections begin"]);
        receiver(&["unload"]).code(0).says(&["Nothing is loaded."]);
        assert_eq!(status(), Value::Null);
    });
}
