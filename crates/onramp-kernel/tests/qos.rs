//! TCP_QOS against the kernel that runs this test. As root; without, it says so and passes, but
//! fails where CI=true.

mod common;

use common::{decisions_match, root};
use nix::errno::Errno;
use nix::libc;
use nix::sys::socket::sockopt::{TcpCongestion, TcpMaxSeg};
use nix::sys::socket::{getsockopt, setsockopt};
use onramp_kernel::{
    connections, own_cgroup, reservation, reserve, Avoidance, Connection, Error, LimitInForce,
    Options, QosOption, Registration, Reservation, Reservations,
};
use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// The option's number and level.
const TCP_QOS: (libc::c_int, libc::c_int) = (libc::IPPROTO_TCP, 0x4f51);
/// 8 Mbit/s, in bytes a second.
const MEGABYTE: u64 = 1_000_000;

/// The option for this process, with a limit.
struct Host {
    _option: QosOption,
    reservations: Reservations,
    registration: Registration,
    _machine: MutexGuard<'static, ()>,
}

impl Host {
    /// `None`, with a note, where this is not root.
    fn new(limit_bytes_per_s: u64) -> Option<Host> {
        Host::with(limit_bytes_per_s, &Options::new("qos")).unwrap()
    }

    fn with(limit_bytes_per_s: u64, options: &Options) -> Result<Option<Host>, Error> {
        static MACHINE: Mutex<()> = Mutex::new(());
        if !root() {
            return Ok(None);
        }
        let machine = MACHINE
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let registration = Registration::new(options)?;
        let reservations = registration.reservations().unwrap().expect("qos reserves");
        let cgroup = own_cgroup().unwrap();
        reservations.set_limit(&cgroup, limit_bytes_per_s).unwrap();
        let option = QosOption::new(&cgroup, &reservations, None).unwrap();
        Ok(Some(Host {
            _option: option,
            reservations,
            registration,
            _machine: machine,
        }))
    }

    fn limit(&self) -> LimitInForce {
        let limits = self.reservations.limits().unwrap();
        limits
            .into_iter()
            .find(|limit| limit.cgroup.as_deref() == Some(&own_cgroup().unwrap()))
            .unwrap()
    }

    fn reserved(&self) -> u64 {
        self.limit().reserved_bytes_per_s
    }
}

fn listener() -> TcpListener {
    TcpListener::bind("127.0.0.1:0").unwrap()
}

/// A connection's two ends: that which was accepted first.
fn connection_of(listener: &TcpListener) -> (TcpStream, TcpStream) {
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    (listener.accept().unwrap().0, client)
}

fn rate(rate_bytes_per_s: u64) -> Option<Reservation> {
    Some(Reservation {
        rate_bytes_per_s,
        burst_bytes: 0,
    })
}

fn ask(socket: &impl AsFd, wanted: Option<Reservation>) -> Result<(), Errno> {
    reserve(socket.as_fd(), wanted).map_err(|error| Errno::from_raw(error.raw_os_error().unwrap()))
}

fn in_force(socket: &impl AsFd) -> Option<Reservation> {
    reservation(socket.as_fd()).unwrap()
}

fn control_of(socket: &impl AsFd) -> String {
    let name = getsockopt(socket, TcpCongestion).unwrap();
    name.to_string_lossy().trim_end_matches('\0').to_owned()
}

fn row(socket: &TcpStream) -> Connection {
    let ends = (socket.local_addr().unwrap(), socket.peer_addr().unwrap());
    connections()
        .unwrap()
        .into_iter()
        .find(|row| (row.local, row.remote) == ends)
        .expect("ss shows it")
}

/// setsockopt with any value.
fn set_raw(
    socket: &impl AsFd,
    (level, option): (libc::c_int, libc::c_int),
    value: &[u8],
) -> Result<(), Errno> {
    let (pointer, length) = (value.as_ptr().cast(), value.len() as libc::socklen_t);
    // SAFETY: the kernel reads `length` bytes of a value that lives until the call returns.
    Errno::result(unsafe {
        libc::setsockopt(socket.as_fd().as_raw_fd(), level, option, pointer, length)
    })
    .map(drop)
}

/// getsockopt with room for so many bytes: what the kernel wrote.
fn get_raw(
    socket: &impl AsFd,
    (level, option): (libc::c_int, libc::c_int),
    room: usize,
) -> Result<Vec<u8>, Errno> {
    let mut value = vec![0xaa_u8; room];
    let mut length = room as libc::socklen_t;
    let pointer = value.as_mut_ptr().cast();
    // SAFETY: the kernel writes at most `length` bytes into a value of that size.
    let result = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            level,
            option,
            pointer,
            &raw mut length,
        )
    };
    Errno::result(result)?;
    value.truncate(length as usize);
    Ok(value)
}

fn value(rate: u64, burst: u32, reserved: u32) -> Vec<u8> {
    [
        &rate.to_ne_bytes()[..],
        &burst.to_ne_bytes(),
        &reserved.to_ne_bytes(),
    ]
    .concat()
}

#[test]
fn what_is_asked_is_checked_and_says_which_errno() {
    let Some(host) = Host::new(2 * MEGABYTE) else {
        return;
    };
    let listener = listener();
    let (socket, _client) = connection_of(&listener);
    let before = control_of(&socket);
    let asked = |value: &[u8]| set_raw(&socket, TCP_QOS, value);
    let cases = [
        (value(0, 0, 0), Errno::EINVAL, "nothing to clear"),
        (value(0, 3000, 0), Errno::EINVAL, "a burst of no rate"),
        (value(124, 0, 0), Errno::EINVAL, "below 1 kbit/s"),
        (
            value(125_000_000_001, 0, 0),
            Errno::EINVAL,
            "beyond 1000 Gbit/s",
        ),
        (value(u64::MAX, 0, 0), Errno::EINVAL, "absurd"),
        (value(MEGABYTE, 0, 1), Errno::EINVAL, "reserved is not 0"),
        (
            value(1000, 65_537, 0),
            Errno::EINVAL,
            "more than a burst of any rate",
        ),
        (
            value(MEGABYTE, 100_001, 0),
            Errno::EINVAL,
            "of a higher rate, more than a tenth of a second",
        ),
        (
            value(MEGABYTE, 0, 0)[..15].to_vec(),
            Errno::EINVAL,
            "too short",
        ),
        (
            [value(MEGABYTE, 0, 0), vec![0]].concat(),
            Errno::EINVAL,
            "too long",
        ),
        (vec![], Errno::EINVAL, "empty"),
        (
            value(2 * MEGABYTE + 1, 0, 0),
            Errno::EPERM,
            "more than anybody here may have",
        ),
    ];
    for (value, errno, why) in cases {
        assert_eq!(asked(&value), Err(errno), "{why}");
        assert_eq!(
            (in_force(&socket), control_of(&socket)),
            (None, before.clone()),
            "{why}"
        );
    }
    assert_eq!(asked(&value(125, 65_536, 0)), Ok(()));
    assert_eq!(
        in_force(&socket),
        Some(Reservation {
            rate_bytes_per_s: 125,
            burst_bytes: 65_536
        })
    );
    assert_eq!(get_raw(&socket, TCP_QOS, 15), Err(Errno::EINVAL));
    assert_eq!(
        get_raw(&socket, TCP_QOS, 64).unwrap(),
        value(125, 65_536, 0)
    );

    let datagrams = UdpSocket::bind("127.0.0.1:0").unwrap();
    assert_eq!(
        set_raw(&datagrams, TCP_QOS, &value(MEGABYTE, 0, 0)),
        Err(Errno::ENOPROTOOPT)
    );
    drop(host);
    assert_eq!(
        ask(&socket, rate(MEGABYTE)),
        Err(Errno::ENOPROTOOPT),
        "the option is gone"
    );
}

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
    assert_eq!(
        ask(&two, rate(2 * MEGABYTE)),
        Err(Errno::EBUSY),
        "one megabyte is left"
    );
    assert_eq!((in_force(&two), control_of(&two)), (None, before.clone()));
    assert_eq!(ask(&two, rate(MEGABYTE)), Ok(()));
    assert_eq!(host.reserved(), 3 * MEGABYTE);

    // Another rate in place of the first; and one that cannot be had leaves the first as it is.
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
    assert_eq!(
        ask(&one, None),
        Err(Errno::EINVAL),
        "there is nothing left to clear"
    );

    // The application's own choice of a congestion control ends it, too.
    setsockopt(&two, TcpCongestion, &OsString::from("reno")).unwrap();
    assert_eq!((in_force(&two), host.reserved()), (None, 0));
    ask(&two, rate(MEGABYTE)).unwrap();
    drop((two, _b));
    let deadline = Instant::now() + Duration::from_secs(5);
    while host.reserved() != 0 {
        assert!(Instant::now() < deadline, "it ends with its connection");
        std::thread::sleep(Duration::from_millis(10));
    }
    let LimitInForce {
        granted,
        refused,
        broken,
        ..
    } = host.limit();
    // Another rate of one that is granted is no grant of its own.
    assert_eq!((granted, refused, broken), (3, 3, 0));
}

#[test]
fn it_carries_traffic_at_its_rate_with_every_avoidance_and_decides_as_its_native_build() {
    for &avoidance in Avoidance::ALL {
        let options = Options {
            avoidance,
            record: true,
            ..Options::new("qos")
        };
        let host = match Host::with(u64::MAX, &options) {
            Err(Error::NoAvoidance {
                avoidance: "bbr", ..
            }) => continue,
            host => host.unwrap(),
        };
        let Some(host) = host else { return };
        let listener = listener();
        setsockopt(&listener, TcpMaxSeg, &1448).unwrap();
        let (mut sender, mut receiver) = connection_of(&listener);
        ask(&sender, rate(MEGABYTE)).unwrap();
        let start = Instant::now();
        let reader = std::thread::spawn(move || {
            receiver.read_exact(&mut vec![0; 1_000_000]).unwrap();
            receiver
        });
        sender.write_all(&vec![0; 1_000_000]).unwrap();
        let _open = reader.join().unwrap();
        // No sooner than the rate permits, but for what leaves at once; a busy machine may take
        // longer.
        assert!(
            start.elapsed() > Duration::from_millis(900),
            "{}: {:?}",
            avoidance.name(),
            start.elapsed()
        );
        assert_eq!(
            (row(&sender).phase, in_force(&sender)),
            ("reserved", rate(MEGABYTE))
        );
        let compared = decisions_match("qos", &host.registration.take_events());
        assert!(
            compared > 50,
            "{}: only {compared} events",
            avoidance.name()
        );
    }
}

#[test]
fn sockets_that_do_not_stand_yet_are_answered_when_they_do() {
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
    // Whoever is refused carries its data as any other.
    let (mut sender, mut receiver) = pairs.into_iter().next_back().unwrap();
    sender.write_all(&[1; 100_000]).unwrap();
    receiver.read_exact(&mut [0; 100_000]).unwrap();

    // A choice before the connection stands takes the place of what was asked.
    ask(&listener, rate(MEGABYTE)).unwrap();
    setsockopt(&listener, TcpCongestion, &OsString::from("reno")).unwrap();
    assert_eq!(in_force(&listener), None);
}

/// What arrives in a second while the sender asks again and again.
fn received_while_asking(asked: impl Fn(&TcpStream, u32)) -> usize {
    let listener = listener();
    setsockopt(&listener, TcpMaxSeg, &1448).unwrap();
    let (sender, mut receiver) = connection_of(&listener);
    ask(&sender, rate(MEGABYTE)).unwrap();
    sender.set_nonblocking(true).unwrap();
    receiver.set_nonblocking(true).unwrap();
    let (start, mut buffer, mut received) = (Instant::now(), vec![0; 1 << 16], 0);
    for times in 0.. {
        if start.elapsed() > Duration::from_secs(1) {
            break;
        }
        asked(&sender, times);
        let _ = (&sender).write(&buffer);
        received += receiver.read(&mut buffer).unwrap_or(0);
        std::thread::sleep(Duration::from_millis(2));
    }
    received
}

#[test]
fn asking_again_fills_no_bucket_and_gives_no_more_than_the_rate() {
    let Some(_host) = Host::new(2 * MEGABYTE) else {
        return;
    };
    let burst = |times: u32| Reservation {
        rate_bytes_per_s: MEGABYTE,
        burst_bytes: 90_000 + times % 2,
    };
    type Asking = fn(&TcpStream, Reservation);
    let cases: [(&str, Asking); 3] = [
        ("once", |_, _| {}),
        ("another burst", |sender, burst| {
            ask(sender, Some(burst)).unwrap()
        }),
        ("what is refused", |sender, _| {
            assert_eq!(ask(sender, rate(3 * MEGABYTE)), Err(Errno::EPERM))
        }),
    ];
    for (what, case) in cases {
        let received = received_while_asking(|sender, times| case(sender, burst(times)));
        // A second at the rate, a bucket, and what leaves unpaced at the beginning.
        assert!(received < 1_250_000, "{what}: {received}");
        assert!(received > 300_000, "{what}: {received}");
    }
}

#[test]
fn a_socket_that_chose_the_start_up_by_its_name_can_reserve() {
    let Some(host) = Host::new(MEGABYTE) else {
        return;
    };
    let listener = listener();
    setsockopt(
        &listener,
        TcpCongestion,
        &OsString::from(host.registration.name()),
    )
    .unwrap();
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
fn a_choice_that_the_kernel_refuses_takes_no_reservation_away() {
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

/// Keep what arrives at a socket three times of four.
fn set_lossy(socket: &TcpStream) {
    let instruction = |code: u32, jt, jf, k| libc::sock_filter {
        code: code as u16,
        jt,
        jf,
        k,
    };
    let random = (libc::SKF_AD_OFF + libc::SKF_AD_RANDOM) as u32;
    let mut filter = [
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, random),
        instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 0, 1, 3 << 30),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, 0),
        instruction(libc::BPF_RET | libc::BPF_K, 0, 0, u32::MAX),
    ];
    let program = libc::sock_fprog {
        len: filter.len() as u16,
        filter: filter.as_mut_ptr(),
    };
    // SAFETY: any bytes of the record are bytes.
    let bytes = unsafe {
        std::slice::from_raw_parts((&raw const program).cast::<u8>(), size_of_val(&program))
    };
    set_raw(socket, (libc::SOL_SOCKET, libc::SO_ATTACH_FILTER), bytes).unwrap();
}

#[test]
fn who_has_broken_has_to_wait() {
    let Some(host) = Host::new(MEGABYTE) else {
        return;
    };
    let listener = listener();
    setsockopt(&listener, TcpMaxSeg, &1448).unwrap();
    let (sender, mut receiver) = connection_of(&listener);
    ask(&sender, rate(MEGABYTE)).unwrap();
    set_lossy(&receiver);
    let (mut writer, reader) = (
        sender.try_clone().unwrap(),
        std::thread::spawn(move || {
            let _ = receiver.read_to_end(&mut Vec::new());
        }),
    );
    let writing = std::thread::spawn(move || writer.write_all(&vec![0; 400_000]).unwrap());
    let deadline = Instant::now() + Duration::from_secs(20);
    while in_force(&sender).is_some() {
        assert!(Instant::now() < deadline, "it never breaks");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(
        (
            row(&sender).phase,
            row(&sender).exit_reason,
            host.limit().broken
        ),
        ("done", "broken", 1)
    );
    assert_eq!(ask(&sender, rate(MEGABYTE)), Err(Errno::EAGAIN));
    std::thread::sleep(Duration::from_millis(1050));
    ask(&sender, rate(MEGABYTE)).unwrap();
    writing.join().unwrap();
    sender.shutdown(std::net::Shutdown::Both).unwrap();
    drop(sender);
    reader.join().unwrap();
}

#[test]
fn options_of_others_pass_as_they_came() {
    let Some(_host) = Host::new(MEGABYTE) else {
        return;
    };
    let listener = listener();
    let (socket, _client) = connection_of(&listener);
    // A filter of more than a page: 600 times "load length 0", then "keep all".
    let mut filter = vec![
        libc::sock_filter {
            code: libc::BPF_LD as u16 | libc::BPF_IMM as u16,
            jt: 0,
            jf: 0,
            k: 0
        };
        600
    ];
    filter.push(libc::sock_filter {
        code: libc::BPF_RET as u16,
        jt: 0,
        jf: 0,
        k: u32::MAX,
    });
    let program = libc::sock_fprog {
        len: filter.len() as u16,
        filter: filter.as_mut_ptr(),
    };
    // SAFETY: any bytes of the record are bytes.
    let bytes = unsafe {
        std::slice::from_raw_parts((&raw const program).cast::<u8>(), size_of_val(&program))
    };
    assert_eq!(
        set_raw(&socket, (libc::SOL_SOCKET, libc::SO_ATTACH_FILTER), bytes),
        Ok(())
    );
    assert_eq!(
        set_raw(
            &socket,
            (libc::IPPROTO_TCP, libc::TCP_NODELAY),
            &1_i32.to_ne_bytes()
        ),
        Ok(())
    );
    // Longer than a page: the kernel itself reads no more of it than it knows.
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

#[test]
fn the_innermost_of_two_programs_answers() {
    let Some(host) = Host::new(MEGABYTE) else {
        return;
    };
    let inner = Registration::new(&Options::new("qos")).unwrap();
    let reservations = inner.reservations().unwrap().unwrap();
    let cgroup = Cgroup::below(&own_cgroup().unwrap(), "inner");
    reservations.set_limit(&cgroup.0, 5 * MEGABYTE).unwrap();
    let _option = QosOption::new(&cgroup.0, &reservations, None).unwrap();
    assert_eq!(
        asked_in(&cgroup, &[4 * MEGABYTE, 6 * MEGABYTE]),
        ["granted", "EPERM"]
    );
    assert_eq!(
        (
            host.limit().granted,
            reservations.limits().unwrap()[0].granted
        ),
        (0, 1)
    );
}

#[test]
fn a_reservation_counts_in_all_cgroups_around_it() {
    let Some(host) = Host::new(4 * MEGABYTE) else {
        return;
    };
    let own = own_cgroup().unwrap();
    let outer = Cgroup::below(&own, "outer");
    let inner = Cgroup::below(&outer.0, "inner");
    let beside = Cgroup::below(&own, "beside");
    // In this order the limit of the outer comes between two that are there.
    host.reservations.set_limit(&inner.0, 3 * MEGABYTE).unwrap();
    host.reservations.set_limit(&outer.0, 2 * MEGABYTE).unwrap();
    assert_eq!(
        asked_in(&inner, &[3 * MEGABYTE, 2 * MEGABYTE, 1]),
        ["EPERM", "granted", "EINVAL"]
    );
    assert_eq!(
        asked_in(&inner, &[MEGABYTE, MEGABYTE, MEGABYTE]),
        ["granted", "granted", "EBUSY"]
    );
    assert_eq!(
        asked_in(&beside, &[3 * MEGABYTE, 5 * MEGABYTE, MEGABYTE]),
        ["granted", "EPERM", "granted"]
    );
    assert_eq!(asked_in(&outer, &[MEGABYTE]), ["granted"]);
    let limits = host.reservations.limits().unwrap();
    let of = |path: &Path| {
        limits
            .iter()
            .find(|limit| limit.cgroup.as_deref() == Some(path))
            .unwrap()
            .clone()
    };
    assert_eq!(
        [of(&own).granted, of(&outer.0).granted, of(&inner.0).granted],
        [6, 4, 3]
    );
    assert!(
        limits.iter().all(|limit| limit.reserved_bytes_per_s == 0),
        "{limits:?}"
    );
    assert!(limits
        .iter()
        .all(|limit| limit.cgroup.as_deref() != Some(&beside.0)));

    let Err(error) = host.reservations.set_limit(Path::new("/tmp"), 1) else {
        panic!("it is no cgroup")
    };
    assert!(
        matches!(error, Error::NotACgroup { .. }) && error.is_bad_request(),
        "{error}"
    );
}

#[test]
fn nobody_reserves_without_a_limit_that_allows_it() {
    let Some(host) = Host::new(MEGABYTE) else {
        return;
    };
    let nowhere = Registration::new(&Options::new("qos")).unwrap();
    let reservations = nowhere.reservations().unwrap().unwrap();
    let cgroup = Cgroup::below(&own_cgroup().unwrap(), "nowhere");
    let _option = QosOption::new(&cgroup.0, &reservations, None).unwrap();
    assert_eq!(asked_in(&cgroup, &[MEGABYTE]), ["EPERM"]);
    drop(host);
}

/// A cgroup that goes with its value.
struct Cgroup(PathBuf);

impl Cgroup {
    fn below(parent: &Path, name: &str) -> Cgroup {
        let path = parent.join(format!("onramp-test-{}-{name}", std::process::id()));
        fs::create_dir(&path).unwrap();
        Cgroup(path)
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.0);
    }
}

/// What becomes of these rates, each asked for a connection of its own by one process of a cgroup.
fn asked_in(cgroup: &Cgroup, rates: &[u64]) -> Vec<String> {
    let procs = cgroup.0.join("cgroup.procs");
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "ask_as_a_process_of_its_own", "--nocapture"]);
    command.env(
        RATES,
        rates
            .iter()
            .map(u64::to_string)
            .collect::<Vec<_>>()
            .join(" "),
    );
    // SAFETY: the closure makes system calls alone.
    unsafe { command.pre_exec(move || fs::write(&procs, "0")) };
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    text.lines()
        .filter_map(|line| line.strip_prefix("answer "))
        .map(str::to_owned)
        .collect()
}

const RATES: &str = "ONRAMP_TEST_RATES";

/// The part of other tests that runs as a process of its own.
#[test]
fn ask_as_a_process_of_its_own() {
    let rates = std::env::var(RATES).unwrap_or_default();
    let listener = listener();
    let mut open = Vec::new();
    for rate_bytes_per_s in rates.split_whitespace().map(|rate| rate.parse().unwrap()) {
        let (socket, client) = connection_of(&listener);
        println!();
        match ask(&socket, rate(rate_bytes_per_s)) {
            Ok(()) => println!("answer granted"),
            Err(errno) => println!("answer {errno:?}"),
        }
        open.push((socket, client));
    }
}
