//! Small exchanges: a question and an answer of 100 bytes over loopback, both ends on one CPU. The
//! connection is always limited by its application, so the start-up never ends by itself.

use crate::transfer::{connect, joined, pin};
use nix::time::{clock_gettime, ClockId};
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Instant;

/// The size of a question, and of an answer.
const MESSAGE_BYTES: usize = 100;

/// Two ends of a connection, both on one CPU, with the same congestion control.
pub struct Exchanges {
    asking: TcpStream,
    answering: TcpStream,
    cpu: usize,
}

/// A block of exchanges on one connection.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    pub ns_per_exchange: f64,
    /// CPU time of both ends, with interrupts.
    pub cpu_ns_per_exchange: f64,
    /// The share of the time in which neither end had the CPU. One end always has something to do,
    /// so somebody else had it.
    pub disturbed_share: f64,
}

impl Exchanges {
    /// Connects, and makes some exchanges to warm up.
    pub fn new(congestion_control: &str, cpu: usize, warm_up: usize) -> io::Result<Exchanges> {
        let (asking, answering) = connect(congestion_control)?;
        asking.set_nodelay(true)?;
        answering.set_nodelay(true)?;
        let mut exchanges = Exchanges {
            asking,
            answering,
            cpu,
        };
        exchanges.run(warm_up)?;
        Ok(exchanges)
    }

    /// Makes `count` exchanges.
    pub fn run(&mut self, count: usize) -> io::Result<Block> {
        let (cpu, mut asking, mut answering) = (self.cpu, &self.asking, &self.answering);
        let started = Instant::now();
        let (asked, answered) = thread::scope(|scope| {
            let answers = scope.spawn(move || -> io::Result<u64> {
                pin(cpu)?;
                let mut message = [0; MESSAGE_BYTES];
                for _ in 0..count {
                    answering.read_exact(&mut message)?;
                    answering.write_all(&message)?;
                }
                thread_cpu_ns()
            });
            let questions = scope.spawn(move || -> io::Result<u64> {
                pin(cpu)?;
                let mut message = [0x5a; MESSAGE_BYTES];
                for _ in 0..count {
                    asking.write_all(&message)?;
                    asking.read_exact(&mut message)?;
                }
                thread_cpu_ns()
            });
            (joined(questions), joined(answers))
        });
        let (elapsed_ns, cpu_ns) = (started.elapsed().as_nanos() as f64, asked? + answered?);
        Ok(Block {
            ns_per_exchange: elapsed_ns / count as f64,
            cpu_ns_per_exchange: cpu_ns as f64 / count as f64,
            disturbed_share: 1.0 - cpu_ns as f64 / elapsed_ns,
        })
    }
}

/// The CPU time of this thread. Exact, where schedstat lags behind by up to a tick.
fn thread_cpu_ns() -> io::Result<u64> {
    let time = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID)?;
    Ok(time.tv_sec() as u64 * 1_000_000_000 + time.tv_nsec() as u64)
}
