//! The kernel's timers that a registration changes: which connections have them, and from when on.
//!
//! On a busy machine RTTs vary, so a timeout is longer than the minimum allows. A bound of half of
//! the kernel's 200 ms leaves room for that.

use crate::common::{choose, connection_of, listener, listener_on, machine};
use nix::libc;
use onramp_kernel::{own_cgroup, Adoption, Options, Registration, Timer, Timers};
use onramp_testing::{undisturbed, wait_until};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

const KERNEL_RTO_MIN_US: u32 = 200_000;
const SHORT_RTO_US: u32 = KERNEL_RTO_MIN_US / 2;

/// A start-up with both timers, 20 ms.
pub fn options() -> Options {
    let timer = Some(Timer::from_ns(20_000_000).unwrap());
    Options {
        timers: Timers {
            rto_min: timer,
            delack_max: timer,
        },
        ..Options::new("standard")
    }
}

fn info(socket: &TcpStream) -> libc::tcp_info {
    // SAFETY: zeros are a value of plain integers.
    let mut info: libc::tcp_info = unsafe { std::mem::zeroed() };
    let mut length = size_of_val(&info) as libc::socklen_t;
    // SAFETY: the kernel writes at most `length` bytes.
    let result = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            (&raw mut info).cast(),
            &raw mut length,
        )
    };
    assert_eq!(result, 0);
    info
}

pub fn rto_us(socket: &TcpStream) -> u32 {
    info(socket).tcpi_rto
}

/// A byte to the other end and back.
pub fn exchange(mut near: &TcpStream, mut far: &TcpStream) {
    let mut byte = [7];
    near.write_all(&byte).unwrap();
    far.read_exact(&mut byte).unwrap();
    far.write_all(&byte).unwrap();
    near.read_exact(&mut byte).unwrap();
}

/// The timeouts of both ends of a new connection.
fn first_rtos_us(listener: &TcpListener) -> [u32; 2] {
    let (accepted, connecting) = connection_of(listener);
    [rto_us(&accepted), rto_us(&connecting)]
}

/// Both ends of a new connection time out as without Onramp.
#[track_caller]
fn assert_usual(listener: &TcpListener) {
    let rtos_us = first_rtos_us(listener);
    assert!(
        rtos_us.iter().all(|us| *us >= KERNEL_RTO_MIN_US),
        "{rtos_us:?}"
    );
}

#[test]
fn a_connection_that_chooses_the_start_up_times_out_sooner_and_no_other_does() {
    let Some(_machine) = machine() else { return };
    let registration = Registration::new(&options()).unwrap();
    let (accepted, connecting) = connection_of(&listener_on(registration.name()));
    // The handshake was measured before the program could set the timer.
    assert!(rto_us(&accepted) >= KERNEL_RTO_MIN_US);
    wait_until("the timeout has shrunk", || {
        exchange(&accepted, &connecting);
        rto_us(&accepted) < SHORT_RTO_US
    });
    assert!(rto_us(&connecting) >= KERNEL_RTO_MIN_US);
    choose(&connecting, registration.name());
    wait_until("the other end's has shrunk", || {
        exchange(&accepted, &connecting);
        rto_us(&connecting) < SHORT_RTO_US
    });
    assert_usual(&listener());

    let without = Registration::new(&Options::new("standard")).unwrap();
    let (accepted, connecting) = connection_of(&listener_on(without.name()));
    for _ in 0..20 {
        exchange(&accepted, &connecting);
    }
    assert!(rto_us(&accepted) >= KERNEL_RTO_MIN_US);
}

#[test]
fn connections_of_a_cgroup_time_out_sooner_from_the_handshake_on() {
    let Some(_machine) = machine() else { return };
    let registration = Registration::new(&options()).unwrap();
    let earlier = listener();
    let cgroup = own_cgroup().unwrap();
    let adoption = Adoption::new(&cgroup, registration.name(), options().timers).unwrap();
    let is_short = |rtos_us: &[u32; 2]| rtos_us.iter().all(|us| *us < SHORT_RTO_US);
    let both = undisturbed(|| first_rtos_us(&listener()), is_short);
    assert!(is_short(&both), "{both:?}");
    // An accepted connection has the timer of its listening socket, which listened before.
    let [accepted_us, _] = first_rtos_us(&earlier);
    assert!(accepted_us >= KERNEL_RTO_MIN_US);
    drop(adoption);
    drop(registration);
    assert_usual(&listener());
}

/// How long the other end delays the ACK of a message that its program does not answer.
fn delay_of_ack(registration: &Registration) -> Duration {
    let (accepted, connecting) = connection_of(&listener_on(registration.name()));
    // Exchanges end the kernel's quick ACKs of a new connection.
    for _ in 0..20 {
        exchange(&connecting, &accepted);
    }
    let begin = Instant::now();
    (&connecting).write_all(&[7]).unwrap();
    while info(&connecting).tcpi_unacked > 0 {
        std::thread::sleep(Duration::from_micros(100));
    }
    begin.elapsed()
}

#[test]
fn a_receiver_delays_acks_no_longer_than_it_may() {
    let Some(_machine) = machine() else { return };
    /// The kernel's 40 ms (TCP_ATO_MIN), less a tick of 10 ms.
    const USUAL: Duration = Duration::from_millis(30);
    let usual = Registration::new(&Options::new("standard")).unwrap();
    assert!(delay_of_ack(&usual) >= USUAL);
    let short = Registration::new(&options()).unwrap();
    let delay = undisturbed(|| delay_of_ack(&short), |delay| *delay < USUAL);
    assert!(delay < USUAL, "{delay:?}");
}
