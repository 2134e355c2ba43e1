//! What observing costs with many connections at a time: clients ask for answers over connections
//! that stay open, each connection in its turn. Both ends are on this host, so that each connection
//! is watched twice, and counts as two. docs/advise.md has the result.
//!
//!     cargo run --release -p onramp-advise --example watched [-- WATCHED ANSWERS_PER_S SECONDS]
//!
//! Needs root. The kernel counts the time that the program takes; the look of user space is counted
//! in time of this thread's CPU. Loopback has no RTT to speak of: an answer of 10 kB is one round
//! trip.

use nix::sys::resource::{getrlimit, setrlimit, Resource};
use nix::time::{clock_gettime, ClockId};
use onramp_kernel::{count_calls, own_cgroup, Observer};
use std::error::Error;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

const ANSWER: [u8; 10_000] = [0; 10_000];

/// How often `onramp advise` looks into the kernel's ring.
const LOOK_EVERY: Duration = Duration::from_millis(100);

fn main() -> Result<(), Box<dyn Error>> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<u64>());
    let mut number = |default| numbers.next().unwrap_or(Ok(default));
    let (connections, per_s, for_s) = (number(10_000)?, number(1_000)?, number(20)?);
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, most, most)?;
    let observer = Observer::of_cgroup(&own_cgroup()?, 50_000)?;
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut open = Vec::new();
    for _ in 0..connections / 2 {
        let client = TcpStream::connect(listener.local_addr()?)?;
        open.push((client, listener.accept()?.0));
    }
    let mut looked = Duration::ZERO;
    let mut answers = 0;
    let begin = Instant::now();
    let (costs, result) = count_calls(|| -> Result<(), Box<dyn Error>> {
        let (mut next_look, end) = (Duration::ZERO, Duration::from_secs(for_s));
        while begin.elapsed() < end {
            if begin.elapsed() >= next_look {
                let before = cpu_time()?;
                observer.look();
                looked += cpu_time()? - before;
                next_look += LOOK_EVERY;
            }
            let due = (begin.elapsed().as_secs_f64() * per_s as f64) as u64;
            if answers >= due {
                std::thread::sleep(Duration::from_millis(1));
                continue;
            }
            let place = answers as usize % open.len();
            answer(&mut open[place])?;
            answers += 1;
        }
        Ok(())
    })?;
    result?;
    let seconds = begin.elapsed().as_secs_f64();
    let cost = costs["observe"];
    let share = |time_s: f64| 100.0 * time_s / seconds;
    println!(
        "{connections} connections, {:.0} answers/s: {:.0} calls/s of {:.0} ns: {:.3} % of a core; \
         user space {:.3} %",
        answers as f64 / seconds,
        cost.calls as f64 / seconds,
        cost.ns as f64 / cost.calls.max(1) as f64,
        share(cost.ns as f64 / 1e9),
        share(looked.as_secs_f64())
    );
    let before = cpu_time()?;
    drop(open);
    while observer.observed().ended < connections / 2 * 2 {
        observer.look();
        std::thread::yield_now();
    }
    let ended_s = (cpu_time()? - before).as_secs_f64();
    println!(
        "the end of all: {:.1} us of user space a connection, with closing; lost: {}",
        1e6 * ended_s / connections as f64,
        observer.observed().lost
    );
    Ok(())
}

fn answer((client, server): &mut (TcpStream, TcpStream)) -> std::io::Result<()> {
    client.write_all(b"?")?;
    server.read_exact(&mut [0])?;
    server.write_all(&ANSWER)?;
    client.read_exact(&mut [0; ANSWER.len()])
}

/// The CPU time of this thread.
fn cpu_time() -> nix::Result<Duration> {
    Ok(Duration::from(clock_gettime(
        ClockId::CLOCK_THREAD_CPUTIME_ID,
    )?))
}
