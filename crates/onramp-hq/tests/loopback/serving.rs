//! Downloads, and the end of a server.

use crate::common::{run, Counted, Running};
use onramp_hq::{Identity, QlogFolder, Trust, Unserved};
use std::io::sink;

#[test]
fn files_and_generated_content_arrive_as_they_are() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let content: Vec<u8> = (0..700_000_u32).map(|at| (at / 251) as u8).collect();
        std::fs::write(folder.path().join("file"), &content).unwrap();
        std::fs::write(folder.path().join("empty"), "").unwrap();
        std::fs::write(folder.path().join("a blank"), "x").unwrap();
        let server = Running::start(|settings| settings.folder = Some(folder.path().into()));
        let client = server.client();
        let session = server.session(&client).await;
        let mut received = Vec::new();
        let download = session.get("/file", &mut received).await.unwrap();
        assert!(received == content && !download.is_verified);
        assert_eq!(session.get("/empty", &mut sink()).await.unwrap().bytes, 0);
        let blank = session.get("/a%20blank?query", &mut sink()).await;
        assert_eq!(blank.unwrap().bytes, 1);
        for size in [0, 1, 65_521, 1_000_000] {
            let download = session
                .get(&format!("/bytes/{size}"), &mut sink())
                .await
                .unwrap();
            assert!(
                download.is_verified && download.bytes == size,
                "{download:?}"
            );
        }
        session.close();
        client.finish().await;
        server.end().await.unwrap();
    });
}

#[test]
fn a_client_accepts_only_the_certificate_that_it_trusts() {
    run(async {
        let mut server = Running::start(|_| {});
        let other = Identity::self_signed(vec!["localhost".into()]).unwrap();
        let own = std::mem::replace(&mut server.trust, Trust::Certificate(other.fingerprint()));
        let refused = |client: onramp_hq::Client| async move {
            let result = client.connect(server.address, "localhost").await;
            result.unwrap_err().to_string()
        };
        let error = refused(server.client()).await;
        assert!(error.contains("another hash"), "{error}");
        assert!(error.contains("name the certificate"), "{error}");
        server.trust = own;
        server.session(&server.client()).await;
        server.trust = Trust::Anyone;
        server.session(&server.client()).await;
        server.end().await.unwrap();
    });
}

#[test]
fn a_server_that_ends_completes_its_downloads() {
    run(async {
        let server = Running::start(|_| {});
        let client = server.client();
        let session = server.session(&client).await;
        let received = Counted::default();
        let mut out = received.clone();
        let download = session.get("/bytes/50000000", &mut out);
        tokio::pin!(download);
        tokio::select! {
            _ = &mut download => panic!("the download was over before the server's end"),
            () = received.wait_for(1) => {}
        }
        let address = server.address;
        let ended = server.end();
        assert!(download.await.unwrap().is_verified);
        ended.await.unwrap();
        // The socket is closed.
        std::net::UdpSocket::bind(address).unwrap();
    });
}

#[test]
fn a_server_that_ends_refuses_new_connections_at_once() {
    run(async {
        let server = Running::start(|_| {});
        let client = server.client();
        let session = server.session(&client).await;
        let received = Counted::default();
        let mut out = received.clone();
        let download = session.get("/bytes/1000000000/1000/10000", &mut out);
        tokio::pin!(download);
        tokio::select! {
            _ = &mut download => panic!("the download was over before the server's end"),
            () = received.wait_for(1) => {}
        }
        let (address, late) = (server.address, server.client());
        let _ended = server.end();
        tokio::select! {
            _ = &mut download => panic!("the download was over before the server's end"),
            result = late.connect(address, "localhost") => {
                let error = result.unwrap_err().to_string();
                assert!(error.contains("refused"), "{error}");
            }
        }
    });
}

#[test]
fn a_client_that_leaves_in_the_middle_tells_the_server() {
    run(async {
        let server = Running::start(|_| {});
        let client = server.client();
        let session = server.session(&client).await;
        let received = Counted::default();
        let mut out = received.clone();
        {
            let download = session.get("/bytes/1000000000/1000/10000", &mut out);
            tokio::pin!(download);
            tokio::select! {
                _ = &mut download => panic!("the download was over before the client left"),
                () = received.wait_for(1) => {}
            }
        }
        client.finish().await;
        let served = server.served.clone();
        server.end().await.unwrap();
        let left = served.lock().unwrap()[0].outcome.clone().unwrap_err();
        assert!(left.to_string().contains("closed by peer: done"), "{left}");
    });
}

#[test]
fn downloads_that_the_server_cuts_off_are_reported_as_such() {
    run(async {
        let server = Running::start(|settings| settings.grace = std::time::Duration::ZERO);
        let client = server.client();
        let session = server.session(&client).await;
        let received = Counted::default();
        let mut out = received.clone();
        // The server sleeps for an hour after the first write.
        let download = session.get("/bytes/2000/1000/3600000000", &mut out);
        tokio::pin!(download);
        tokio::select! {
            _ = &mut download => panic!("the download was over before the server's end"),
            () = received.wait_for(1000) => {}
        }
        let served = server.served.clone();
        server.end().await.unwrap();
        let outcome = served.lock().unwrap()[0].outcome.clone();
        assert!(matches!(outcome, Err(Unserved::CutOff(_))), "{outcome:?}");
    });
}

#[test]
fn a_server_ends_after_the_grace_time_though_a_client_reads_no_more() {
    run(async {
        let server = Running::start(|settings| settings.grace = std::time::Duration::ZERO);
        let client = server.client();
        let session = server.session(&client).await;
        let (mut send, receive) = session.connection().open_bi().await.unwrap();
        send.write_all(b"GET /bytes/10000000000\r\n").await.unwrap();
        send.finish().unwrap();
        let ended = server.end();
        ended.await.unwrap();
        drop(receive);
        let closed = session.connection().closed().await.to_string();
        assert!(closed.contains("the server ends"), "{closed}");
    });
}

#[test]
fn a_connection_writes_a_qlog_file_of_json_texts() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        let qlog = QlogFolder::create(&folder.path().join("logs")).unwrap();
        let server = Running::start(|settings| {
            settings.qlog = Some(qlog);
            settings.congestion.startup = Some("onramp".into());
        });
        let client = server.client();
        let session = server.session(&client).await;
        session.get("/bytes/3000000", &mut sink()).await.unwrap();
        session.close();
        client.finish().await;
        server.end().await.unwrap();
        let files: Vec<_> = std::fs::read_dir(folder.path().join("logs"))
            .unwrap()
            .collect();
        assert_eq!(files.len(), 1, "{files:?}");
        let text = std::fs::read_to_string(files[0].as_ref().unwrap().path()).unwrap();
        let texts: Vec<serde_json::Value> = text
            .split('\u{1e}')
            .skip(1)
            .map(|record| serde_json::from_str(record).unwrap())
            .collect();
        assert_eq!(texts[0]["serialization_format"], "JSON-SEQ");
        let states: Vec<_> = texts
            .iter()
            .filter(|event| event["name"] == "quic:congestion_state_updated")
            .map(|event| (&event["data"]["old"], &event["data"]["new"]))
            .collect();
        assert_eq!(states[0].0, "slow_start", "{states:?}");
        assert!(
            states.windows(2).all(|pair| pair[0].1 == pair[1].0),
            "{states:?}"
        );
        let named = |name: &str| texts.iter().filter(|event| event["name"] == name).count();
        assert!(named("quic:packet_sent") > 60 && named("quic:recovery_metrics_updated") > 0);
    });
}

#[test]
fn an_application_that_writes_at_intervals_limits_the_download() {
    run(async {
        let server = Running::start(|_| {});
        let client = server.client();
        let session = server.session(&client).await;
        // The tenth write of 10 kB comes 90 ms after the first.
        let path = "/bytes/100000/10000/10000";
        let download = session.get(path, &mut sink()).await.unwrap();
        assert!(download.is_verified && download.bytes == 100_000);
        assert!(
            download.time >= std::time::Duration::from_millis(89),
            "{download:?}"
        );
        server.end().await.unwrap();
    });
}
