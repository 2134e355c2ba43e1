//! A client that continues from another UDP socket.

use crate::common::{run, Counted, Running};

#[test]
fn a_download_goes_on_after_the_client_changed_its_socket() {
    run(async {
        let server = Running::start(|_| {});
        let client = server.client();
        let session = server.session(&client).await;
        let before = client.endpoint().local_addr().unwrap();
        let received = Counted::default();
        let mut out = received.clone();
        let download = session.get("/bytes/30000000", &mut out);
        tokio::pin!(download);
        tokio::select! {
            _ = &mut download => panic!("the download was over before the change"),
            () = received.wait_for(1_000_000) => {}
        }
        let socket = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
        client.endpoint().rebind(socket).unwrap();
        assert_ne!(
            client.endpoint().local_addr().unwrap().port(),
            before.port()
        );
        assert!(download.await.unwrap().is_verified);
        session.close();
        client.finish().await;
        server.end().await.unwrap();
    });
}
