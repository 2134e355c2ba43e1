//! What a request may ask for, and what other options and choices of the application do.

use super::{
    ask, control_of, get_raw, in_force, instruction, rate, set_filter, set_raw, Host, MEGABYTE,
    TCP_QOS,
};
use crate::common::{connection_of, listener, listener_on, row};
use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::TcpCongestion;
use onramp_kernel::Reservation;
use std::ffi::OsString;
use std::net::UdpSocket;

/// A struct tcp_qos.
fn value(rate: u64, burst: u32, reserved: u32) -> Vec<u8> {
    [
        &rate.to_ne_bytes()[..],
        &burst.to_ne_bytes(),
        &reserved.to_ne_bytes(),
    ]
    .concat()
}

#[test]
fn an_invalid_request_is_refused_with_its_errno() {
    let Some(_host) = Host::new(2 * MEGABYTE) else {
        return;
    };
    let listener = listener();
    let (socket, _client) = connection_of(&listener);
    let before = control_of(&socket);
    let short = value(MEGABYTE, 0, 0)[..15].to_vec();
    let long = [value(MEGABYTE, 0, 0), vec![0]].concat();
    let invalid = [
        (value(0, 0, 0), "nothing to clear"),
        (value(0, 3000, 0), "a burst without a rate"),
        (value(124, 0, 0), "below 1 kbit/s"),
        (value(125_000_000_001, 0, 0), "beyond 1000 Gbit/s"),
        (value(u64::MAX, 0, 0), "the maximum of 64 bits"),
        (value(MEGABYTE, 0, 1), "reserved is not 0"),
        (value(1000, 65_537, 0), "more than the burst of any rate"),
        (value(MEGABYTE, 100_001, 0), "more than a tenth of a second"),
        (short, "too short"),
        (long, "too long"),
        (vec![], "empty"),
    ];
    let beyond = (value(2 * MEGABYTE + 1, 0, 0), "more than the limit");
    let cases = invalid.map(|(value, why)| (value, Errno::EINVAL, why));
    for (value, errno, why) in cases
        .into_iter()
        .chain([(beyond.0, Errno::EPERM, beyond.1)])
    {
        assert_eq!(set_raw(&socket, TCP_QOS, &value), Err(errno), "{why}");
        assert_eq!(
            (in_force(&socket), control_of(&socket)),
            (None, before.clone()),
            "{why}"
        );
    }
}

#[test]
fn the_minimum_rate_can_be_reserved_and_is_returned() {
    let Some(host) = Host::new(2 * MEGABYTE) else {
        return;
    };
    let listener = listener();
    let (socket, _client) = connection_of(&listener);
    let minimum = value(125, 65_536, 0);
    assert_eq!(set_raw(&socket, TCP_QOS, &minimum), Ok(()));
    let wanted = Reservation {
        rate_bytes_per_s: 125,
        burst_bytes: 65_536,
    };
    assert_eq!(in_force(&socket), Some(wanted));
    assert_eq!(get_raw(&socket, TCP_QOS, 15), Err(Errno::EINVAL));
    assert_eq!(get_raw(&socket, TCP_QOS, 64).unwrap(), minimum);

    drop(host);
    assert_eq!(
        ask(&socket, rate(MEGABYTE)),
        Err(Errno::ENOPROTOOPT),
        "the option is gone"
    );
}

#[test]
fn only_tcp_sockets_have_the_option() {
    let Some(_host) = Host::new(2 * MEGABYTE) else {
        return;
    };
    let datagrams = UdpSocket::bind("127.0.0.1:0").unwrap();
    assert_eq!(
        set_raw(&datagrams, TCP_QOS, &value(MEGABYTE, 0, 0)),
        Err(Errno::ENOPROTOOPT)
    );
}

#[test]
fn a_socket_that_chose_the_start_up_by_name_can_reserve() {
    let Some(host) = Host::new(MEGABYTE) else {
        return;
    };
    let listener = listener_on(host.registration.name());
    let (socket, _client) = connection_of(&listener);
    assert_eq!(
        (row(&socket).phase, row(&socket).exit_reason),
        ("done", "unreserved")
    );
    ask(&socket, rate(MEGABYTE)).unwrap();
    assert_eq!(
        (row(&socket).phase, host.reserved()),
        ("reserved", MEGABYTE)
    );
    ask(&socket, None).unwrap();
    assert_eq!(
        (control_of(&socket).as_str(), host.reserved()),
        (host.registration.name(), 0)
    );
    assert_eq!(row(&socket).phase, "done");
}

#[test]
fn choosing_an_unknown_control_keeps_the_reservation() {
    let Some(_host) = Host::new(MEGABYTE) else {
        return;
    };
    let listener = listener();
    ask(&listener, rate(MEGABYTE)).unwrap();
    assert_eq!(
        setsockopt(&listener, TcpCongestion, &OsString::from("nosuch")),
        Err(Errno::ENOENT)
    );
    let (socket, _client) = connection_of(&listener);
    assert_eq!(in_force(&socket), rate(MEGABYTE));
}

#[test]
fn other_options_pass_unchanged() {
    let Some(_host) = Host::new(MEGABYTE) else {
        return;
    };
    let listener = listener();
    let (socket, _client) = connection_of(&listener);
    // A filter of more than a page: 600 times "load the constant 0", then "keep the packet".
    let mut filter = vec![instruction(libc::BPF_LD | libc::BPF_IMM, 0, 0, 0); 600];
    filter.push(instruction(libc::BPF_RET | libc::BPF_K, 0, 0, u32::MAX));
    assert_eq!(set_filter(&socket, &mut filter), Ok(()));
    assert_eq!(
        set_raw(
            &socket,
            (libc::IPPROTO_TCP, libc::TCP_NODELAY),
            &1_i32.to_ne_bytes()
        ),
        Ok(())
    );
    // A value of more than a page. The kernel itself reads the first four bytes.
    let long = [&1_i32.to_ne_bytes()[..], &[0; 8000]].concat();
    assert_eq!(
        set_raw(&socket, (libc::SOL_SOCKET, libc::SO_KEEPALIVE), &long),
        Ok(())
    );
    assert_eq!(
        get_raw(&socket, (libc::SOL_SOCKET, libc::SO_KEEPALIVE), 8000).unwrap(),
        1_i32.to_ne_bytes()
    );
    assert!(
        get_raw(&socket, (libc::IPPROTO_TCP, libc::TCP_INFO), 8000)
            .unwrap()
            .len()
            >= 200
    );
    assert_eq!(
        get_raw(&socket, (libc::IPPROTO_TCP, 0x4f52), 16),
        Err(Errno::ENOPROTOOPT)
    );
    assert_eq!(
        set_raw(&socket, (libc::IPPROTO_TCP, 0x4f52), &[0; 16]),
        Err(Errno::ENOPROTOOPT)
    );
}
