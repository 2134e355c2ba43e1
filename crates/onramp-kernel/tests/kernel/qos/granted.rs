//! Reservations that are granted: how long they count, and for which connections.

use super::{ask, control_of, in_force, rate, Host, MEGABYTE};
use crate::common::{choose, connection_of, listener, row};
use nix::errno::Errno;
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::Linger;
use onramp_kernel::LimitInForce;
use onramp_testing::wait_until;
use std::io::{Read, Write};

#[test]
fn a_reservation_counts_until_it_is_cleared_or_its_connection_ends() {
    let Some(host) = Host::new(3 * MEGABYTE) else {
        return;
    };
    let listener = listener();
    let ((one, _a), (two, _b)) = (connection_of(&listener), connection_of(&listener));
    let before = control_of(&one);
    assert_eq!((in_force(&one), host.reserved()), (None, 0));

    ask(&one, rate(2 * MEGABYTE)).unwrap();
    assert_eq!(
        (control_of(&one), in_force(&one)),
        (host.registration.name().to_owned(), rate(2 * MEGABYTE))
    );
    let shown = row(&one);
    assert_eq!(
        (shown.phase, shown.pacing_bytes_per_s),
        ("reserved", Some(2 * MEGABYTE))
    );
    let too_much = ask(&two, rate(2 * MEGABYTE));
    assert_eq!(too_much, Err(Errno::EBUSY), "one megabyte is left");
    assert_eq!((in_force(&two), control_of(&two)), (None, before.clone()));
    assert_eq!(ask(&two, rate(MEGABYTE)), Ok(()));
    assert_eq!(host.reserved(), 3 * MEGABYTE);

    // Another rate replaces the first one. A rate that is refused leaves the first one in force.
    assert_eq!(ask(&one, rate(2 * MEGABYTE + 1)), Err(Errno::EBUSY));
    assert_eq!(
        (in_force(&one), host.reserved()),
        (rate(2 * MEGABYTE), 3 * MEGABYTE)
    );
    assert_eq!(ask(&one, rate(4 * MEGABYTE)), Err(Errno::EPERM));
    assert_eq!(
        (in_force(&one), row(&one).phase),
        (rate(2 * MEGABYTE), "reserved")
    );
    ask(&one, rate(MEGABYTE)).unwrap();
    assert_eq!(
        (in_force(&one), host.reserved()),
        (rate(MEGABYTE), 2 * MEGABYTE)
    );

    ask(&one, None).unwrap();
    assert_eq!(
        (in_force(&one), control_of(&one), host.reserved()),
        (None, before, MEGABYTE)
    );
    assert_eq!(ask(&one, None), Err(Errno::EINVAL), "nothing to clear");

    ask(&two, None).unwrap();
    assert_eq!((in_force(&two), host.reserved()), (None, 0));
    ask(&two, rate(MEGABYTE)).unwrap();
    drop((two, _b));
    wait_until("it ends with its connection", || host.reserved() == 0);
    let LimitInForce {
        granted,
        refused,
        broken,
        ..
    } = host.limit();
    // A change of a granted rate is not counted as a grant.
    assert_eq!((granted, refused, broken), (3, 3, 0));
}

#[test]
fn the_applications_choice_of_a_congestion_control_ends_a_reservation() {
    let Some(host) = Host::new(3 * MEGABYTE) else {
        return;
    };
    let listener = listener();
    let (one, _other_end) = connection_of(&listener);
    ask(&one, rate(MEGABYTE)).unwrap();
    choose(&one, "reno");
    assert_eq!((in_force(&one), host.reserved()), (None, 0));
}

#[test]
fn a_listening_sockets_request_is_decided_for_each_connection() {
    let Some(host) = Host::new(2 * MEGABYTE) else {
        return;
    };
    let listener = listener();
    assert_eq!(ask(&listener, rate(3 * MEGABYTE)), Err(Errno::EPERM));
    ask(&listener, rate(MEGABYTE)).unwrap();
    assert_eq!(
        (in_force(&listener), host.reserved()),
        (rate(MEGABYTE), 0),
        "only connections count"
    );
    let pairs: Vec<_> = (0..3).map(|_| connection_of(&listener)).collect();
    let granted: Vec<_> = pairs.iter().map(|(socket, _)| in_force(socket)).collect();
    assert_eq!(granted, [rate(MEGABYTE), rate(MEGABYTE), None]);
    assert_eq!(host.reserved(), 2 * MEGABYTE);
    let phases: Vec<_> = pairs
        .iter()
        .map(|(socket, _)| (row(socket).phase, row(socket).exit_reason))
        .collect();
    assert_eq!(
        phases,
        [
            ("reserved", "none"),
            ("reserved", "none"),
            ("done", "unreserved")
        ]
    );
    // A connection whose request is refused carries its data all the same.
    let (mut sender, mut receiver) = pairs.into_iter().next_back().unwrap();
    sender.write_all(&[1; 100_000]).unwrap();
    receiver.read_exact(&mut [0; 100_000]).unwrap();

    // The application's choice of a congestion control replaces the request.
    ask(&listener, rate(MEGABYTE)).unwrap();
    choose(&listener, "reno");
    assert_eq!(in_force(&listener), None);
}

#[test]
fn after_a_reset_the_rate_cannot_be_changed_and_counts_until_the_socket_is_closed() {
    let Some(host) = Host::new(3 * MEGABYTE) else {
        return;
    };
    let (socket, client) = connection_of(&listener());
    ask(&socket, rate(MEGABYTE)).unwrap();
    let at_once = nix::libc::linger {
        l_onoff: 1,
        l_linger: 0,
    };
    setsockopt(&client, Linger, &at_once).unwrap();
    drop(client);
    wait_until("the reset has arrived", || {
        matches!(socket.take_error(), Ok(Some(_)))
    });
    assert_eq!(ask(&socket, rate(2 * MEGABYTE)), Err(Errno::ENOTCONN));
    assert_eq!(ask(&socket, rate(MEGABYTE)), Err(Errno::ENOTCONN));
    assert_eq!(
        (in_force(&socket), host.reserved()),
        (rate(MEGABYTE), MEGABYTE)
    );
    assert_eq!(ask(&socket, None), Ok(()));
    assert_eq!((in_force(&socket), host.reserved()), (None, 0));
}
