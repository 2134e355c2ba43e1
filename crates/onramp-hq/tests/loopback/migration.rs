//! A client that continues from another UDP socket.

use crate::common::{run, Running};
use std::io::sink;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// Downloads until a start-up of the server has ended, moves the client to this address, downloads
/// again, and returns whether a start-up of the server ended before the move and after it.
async fn ends_around_move(to: &str) -> [bool; 2] {
    let ends = Arc::new(Mutex::new([false; 2]));
    let counted = ends.clone();
    let has_moved = Arc::new(AtomicBool::new(false));
    let moved = has_moved.clone();
    let server = Running::start(move |settings| {
        settings.congestion.startup = Some("onramp".into());
        settings.congestion.observer = Some(Arc::new(move |_, decision| {
            let half = usize::from(moved.load(Ordering::Relaxed));
            counted.lock().unwrap()[half] |= decision.is_over();
        }));
    });
    let client = server.client_at("127.0.0.1:0");
    let session = server.session(&client).await;
    let path = "/bytes/10000000";
    // On a busy machine one download may not end the start-up.
    for _ in 0..20 {
        session.get(path, &mut sink()).await.unwrap();
        if ends.lock().unwrap()[0] {
            break;
        }
    }
    let socket = UdpSocket::bind(to.parse::<SocketAddr>().unwrap()).unwrap();
    has_moved.store(true, Ordering::Relaxed);
    client.endpoint().rebind(socket).unwrap();
    assert!(session.get(path, &mut sink()).await.unwrap().is_verified);
    session.close();
    client.finish().await;
    server.end().await.unwrap();
    let ends = *ends.lock().unwrap();
    ends
}

#[test]
fn another_port_of_the_same_address_is_the_same_path_and_the_start_up_stays_over() {
    run(async { assert_eq!(ends_around_move("127.0.0.1:0").await, [true, false]) });
}

#[test]
fn another_address_is_another_path_and_the_start_up_starts_over() {
    run(async { assert_eq!(ends_around_move("127.0.0.2:0").await, [true, true]) });
}
