//! Many connections, and early requests.

use crate::common::{run, Running};
use onramp_core::memory::Memory;
use onramp_hq::{PathKey, Paths, Remembered};
use onramp_testing::RUNS;
use std::io::sink;
use std::net::Ipv4Addr;
use std::time::{SystemTime, UNIX_EPOCH};
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

#[test]
fn a_start_up_in_a_0_rtt_connection_has_the_memory_of_its_path() {
    run(async {
        let paths = Paths::new();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        paths.restore([Remembered {
            path: PathKey {
                server_name: None,
                address: Ipv4Addr::LOCALHOST.into(),
            },
            bdp_bytes: 200_000,
            rtt_ns: 1_000_000,
            saved_unix_ns: now.as_nanos() as u64,
            confirmed_bdp_bytes: 0,
            confirmed_unix_ns: 0,
        }]);
        let server = Running::start(|settings| {
            settings.congestion.startup = Some("onramp".into());
            settings.congestion.memory = Memory::Careful;
            settings.congestion.paths = paths;
        });
        let client = server.client();
        let first = server.session(&client).await;
        first.get("/bytes/1000", &mut sink()).await.unwrap();
        first.close();
        let remembered = server.remembered.clone();
        // A busy machine's RTT may be too unlike the remembered one, and one connection at a time
        // uses an entry.
        for _ in 0..RUNS {
            let early = client.connect_early(server.address, "localhost").await;
            let early = early.unwrap();
            assert_eq!(early.handshake, None, "the client had no ticket");
            let download = early.get("/bytes/1000000", &mut sink()).await.unwrap();
            assert!(download.is_verified);
            early.close();
        }
        server.end().await.unwrap();
        assert!(
            remembered.lock().unwrap().contains(&200_000),
            "{remembered:?}"
        );
    });
}

#[test]
fn a_connection_that_was_idle_goes_on() {
    run(async {
        let server = Running::start(|settings| {
            settings.congestion.startup = Some("onramp".into());
        });
        let client = server.client();
        let session = server.session(&client).await;
        // The pauses of 50 ms are many round trips.
        for path in ["/bytes/3000000/1000000/50000", "/bytes/1000000"] {
            assert!(session.get(path, &mut sink()).await.unwrap().is_verified);
        }
        server.end().await.unwrap();
    });
}
