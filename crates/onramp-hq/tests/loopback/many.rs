//! Many connections, and early requests.

use crate::common::{run, Running};
use std::io::sink;
use tokio::task::JoinSet;

const CONNECTIONS: usize = 1000;

#[test]
fn a_thousand_connections_at_once_are_served() {
    run(async {
        let server = Running::start(|_| {});
        let client = server.client();
        let mut sessions = Vec::with_capacity(CONNECTIONS);
        for _ in 0..CONNECTIONS {
            sessions.push(server.session(&client).await);
        }
        // All are open; now each downloads.
        let mut downloads = JoinSet::new();
        for session in sessions {
            downloads.spawn(async move {
                let download = session.get("/bytes/20000", &mut sink()).await.unwrap();
                assert!(download.is_verified);
                session
            });
        }
        let sessions = downloads.join_all().await;
        assert_eq!(sessions.len(), CONNECTIONS);
        let served = server.served.clone();
        server.end().await.unwrap();
        let served = served.lock().unwrap();
        assert_eq!(
            served
                .iter()
                .filter(|served| served.outcome == Ok(20_000))
                .count(),
            CONNECTIONS
        );
    });
}

#[test]
fn a_second_connection_sends_its_request_in_its_first_packet() {
    run(async {
        let server = Running::start(|_| {});
        let client = server.client();
        let first = server.session(&client).await;
        first.get("/bytes/1000", &mut sink()).await.unwrap();
        first.close();
        let second = client
            .connect_early(server.address, "localhost")
            .await
            .unwrap();
        assert_eq!(second.handshake, None, "the client had no ticket");
        assert!(
            second
                .get("/bytes/100000", &mut sink())
                .await
                .unwrap()
                .is_verified
        );
        server.end().await.unwrap();
    });
}
