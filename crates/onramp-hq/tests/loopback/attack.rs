//! Clients that mean harm: forged sources, and streams that nobody reads.

use crate::common::{run, Running};
use onramp_hq::Client;
use std::collections::HashSet;
use std::io::sink;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use tokio::net::UdpSocket;
use tokio::task::JoinSet;

const FORGED: usize = 300;

/// The first packets of so many connections, each with a connection ID of its own. They were sent
/// to a socket that does not answer.
async fn initials(server: &Running, count: usize) -> Vec<Vec<u8>> {
    let silent = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = silent.local_addr().unwrap();
    // One that ends would send a packet that closes its connection.
    let mut clients = JoinSet::new();
    for _ in 0..count {
        let client = server.client();
        clients.spawn(async move { client.connect(address, "localhost").await.is_ok() });
    }
    let mut known = HashSet::new();
    let mut packets = Vec::new();
    let mut buffer = [0; 2048];
    while packets.len() < count {
        let bytes = silent.recv(&mut buffer).await.unwrap();
        let packet = buffer[..bytes].to_vec();
        let length = usize::from(packet[5]);
        if known.insert(packet[6..6 + length].to_vec()) {
            packets.push(packet);
        }
    }
    packets
}

async fn send(packet: &[u8], from: Ipv4Addr, to: SocketAddr) {
    let socket = UdpSocket::bind((from, 0)).await.unwrap();
    socket.send_to(packet, to).await.unwrap();
}

#[test]
fn forged_sources_lock_nobody_out() {
    run(async {
        let server = Running::start(|settings| {
            settings.connections = 100;
            settings.connections_per_prefix = 100;
            settings.unvalidated = 20;
        });
        let packets = initials(&server, FORGED).await;
        for (number, packet) in packets.iter().enumerate() {
            let source = Ipv4Addr::new(127, 1, 0, 1).to_bits() + number as u32;
            send(packet, source.into(), server.address).await;
        }
        let client = server.client();
        let session = server.session(&client).await;
        let download = session.get("/bytes/1000", &mut sink()).await.unwrap();
        assert!(download.is_verified);
        let open = server.endpoint.open_connections();
        assert!(open <= 21, "{open} connections are open");
        server.end().await.unwrap();
    });
}

#[test]
fn one_prefix_leaves_room_for_others() {
    run(async {
        let server = Running::start(|settings| settings.connections_per_prefix = 3);
        let greedy = server.client_at("127.0.0.1:0");
        let mut sessions = Vec::new();
        for _ in 0..3 {
            sessions.push(server.session(&greedy).await);
        }
        let fourth = greedy.connect(server.address, "localhost").await;
        let error = fourth.unwrap_err().to_string();
        assert!(error.contains("refused"), "{error}");
        let other = server.client_at("127.0.9.1:0");
        let session = server.session(&other).await;
        session.get("/bytes/1000", &mut sink()).await.unwrap();
        server.end().await.unwrap();
    });
}

#[test]
fn downloads_that_nobody_reads_keep_no_descriptor() {
    const CONNECTIONS: usize = 3;
    const STREAMS: usize = 100;
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("large"), vec![7; 1 << 20]).unwrap();
        std::fs::write(root.join("small"), "small").unwrap();
        let server = Running::start(|settings| settings.folder = Some(root.clone()));
        let mut settings = server.client_settings();
        settings.transport.receive_window_bytes = 100_000;
        let slow = Client::new(settings, server.address).unwrap();
        let mut sessions = Vec::new();
        let mut streams = Vec::new();
        let mut requests = JoinSet::new();
        for _ in 0..CONNECTIONS {
            let session = server.session(&slow).await;
            for _ in 0..STREAMS {
                let (mut send, receive) = session.connection().open_bi().await.unwrap();
                send.write_all(b"GET /large\r\n").await.unwrap();
                send.finish().unwrap();
                requests.spawn(async move { send.stopped().await.unwrap() });
                streams.push(receive);
            }
            sessions.push(session);
        }
        // The server has all requests. It reads files in the order in which they were asked for.
        requests.join_all().await;
        let client = server.client();
        let session = server.session(&client).await;
        for _ in 0..STREAMS {
            session.get("/small", &mut sink()).await.unwrap();
        }
        let open = descriptors(&root.join("large"));
        assert!(open < 10, "{open} descriptors");
        drop((streams, sessions));
        server.end().await.unwrap();
    });
}

/// How many descriptors of this process are of a file.
fn descriptors(file: &Path) -> usize {
    std::fs::read_dir("/proc/self/fd")
        .unwrap()
        .filter_map(|entry| std::fs::read_link(entry.ok()?.path()).ok())
        .filter(|target| target == file)
        .count()
}
