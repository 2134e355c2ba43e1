//! Requests that a server refuses.

use crate::common::{run, Running};
use onramp_hq::{Error, Refusal, ServerSettings, MAX_REQUEST_BYTES};
use std::io::sink;

#[test]
fn a_refused_request_ends_its_stream_alone() {
    run(async {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("folder")).unwrap();
        let server = Running::start(|settings| settings.folder = Some(folder.path().into()));
        let client = server.client();
        let session = server.session(&client).await;
        let long = format!("/{}", "x".repeat(MAX_REQUEST_BYTES));
        for (path, expected) in [
            ("/none", Refusal::NotFound),
            ("/folder", Refusal::Folder),
            ("/", Refusal::Folder),
            ("/../etc/passwd", Refusal::Outside),
            ("/a b", Refusal::Malformed),
            (&long, Refusal::TooLong),
        ] {
            match session.get(path, &mut sink()).await {
                Err(Error::Refused { refusal, .. }) => assert_eq!(refusal, expected, "{path}"),
                other => panic!("{path}: {other:?}"),
            }
        }
        assert!(
            session
                .get("/bytes/1000", &mut sink())
                .await
                .unwrap()
                .is_verified
        );
        server.end().await.unwrap();
    });
}

#[test]
fn a_client_cannot_open_more_streams_than_the_limit() {
    run(async {
        let server = Running::start(|settings| settings.transport.streams = 2);
        let client = server.client();
        let session = server.session(&client).await;
        let connection = session.connection();
        let first = connection.open_bi().await.unwrap();
        let _second = connection.open_bi().await.unwrap();
        let third = connection.open_bi();
        tokio::pin!(third);
        tokio::select! {
            biased;
            _ = &mut third => panic!("a third stream opened beside two"),
            () = async {} => {}
        }
        let (mut send, mut receive) = first;
        send.write_all(b"GET /bytes/10\r\n").await.unwrap();
        send.finish().unwrap();
        assert_eq!(receive.read_to_end(100).await.unwrap().len(), 10);
        third.await.unwrap();
        drop(server.end());
    });
}

#[test]
fn more_connections_than_the_limit_are_refused() {
    run(async {
        let server = Running::start(|settings| settings.connections = 1);
        let client = server.client();
        let first = server.session(&client).await;
        let error = client
            .connect(server.address, "localhost")
            .await
            .unwrap_err();
        assert!(error.to_string().contains("refused"), "{error}");
        assert!(
            first
                .get("/bytes/10", &mut sink())
                .await
                .unwrap()
                .is_verified
        );
        server.end().await.unwrap();
    });
}

#[test]
fn a_folder_that_is_none_is_named() {
    run(async {
        let identity = onramp_hq::Identity::self_signed(vec!["localhost".into()]).unwrap();
        let mut settings = ServerSettings::new(identity);
        settings.folder = Some("/dev/null".into());
        let address = "127.0.0.1:0".parse().unwrap();
        let error = onramp_hq::Server::bind(address, settings)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("/dev/null") && error.contains("not a directory"),
            "{error}"
        );
    });
}
