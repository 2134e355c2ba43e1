//! The figures, and the text that shows them.

use crate::exchanges::Block;
use crate::namespace::Loopback;
use crate::transfer::Bulk;
use serde::Serialize;
use std::{fmt, fs};

/// docs/benchmarks.md explains each field.
#[derive(Serialize)]
pub struct Report {
    pub kernel: String,
    pub cpus: usize,
    pub round_s: f64,
    pub stolen_cpu: f64,
    pub throughput: Vec<Throughput>,
    pub exchanges: Vec<SmallExchanges>,
    pub programs: Vec<Program>,
}

/// The median of a set, and the range of nine tenths of it.
#[derive(Clone, Copy, Serialize)]
pub struct Spread {
    pub median: f64,
    pub p5: f64,
    pub p95: f64,
}

impl Spread {
    fn of(values: impl Iterator<Item = f64>) -> Spread {
        let mut values: Vec<f64> = values.collect();
        values.sort_by(f64::total_cmp);
        let at = |part: f64| {
            let place = part * (values.len() - 1) as f64;
            let (low, high) = (
                values[place.floor() as usize],
                values[place.ceil() as usize],
            );
            low + (high - low) * place.fract()
        };
        Spread {
            median: at(0.5),
            p5: at(0.05),
            p95: at(0.95),
        }
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:6.1} % ({:5.1} .. {:5.1})",
            self.median * 100.0,
            self.p5 * 100.0,
            self.p95 * 100.0
        )
    }
}

/// The transfers of a congestion control, as ratios to those of the built-in CUBIC in the same
/// rounds.
#[derive(Serialize)]
pub struct Throughput {
    pub loopback: &'static str,
    pub congestion_control: String,
    pub rounds: usize,
    pub disturbed_rounds: usize,
    pub throughput: Spread,
    pub steady_throughput: Spread,
    pub cpu_per_byte: Spread,
    pub bytes_per_s: f64,
    pub bytes_per_ack: f64,
    pub cpu_ns_per_ack: f64,
}

impl Throughput {
    pub fn compare(
        loopback: &Loopback,
        name: &str,
        transfers: &[Bulk],
        built_in: &[Bulk],
        disturbed: usize,
    ) -> Throughput {
        let median = |figure: fn(&Bulk) -> f64| Spread::of(transfers.iter().map(figure)).median;
        let ratio = |figure: fn(&Bulk) -> f64| {
            Spread::of(
                transfers
                    .iter()
                    .zip(built_in)
                    .map(|(a, b)| figure(a) / figure(b)),
            )
        };
        Throughput {
            loopback: loopback.label,
            congestion_control: name.to_owned(),
            rounds: transfers.len(),
            disturbed_rounds: disturbed,
            throughput: ratio(|bulk| bulk.bytes_per_s),
            steady_throughput: ratio(|bulk| bulk.steady_bytes_per_s),
            cpu_per_byte: ratio(|bulk| bulk.cpu_ns as f64 / bulk.bytes as f64),
            bytes_per_s: median(|bulk| bulk.bytes_per_s),
            bytes_per_ack: median(|bulk| bulk.bytes as f64 / bulk.acks as f64),
            cpu_ns_per_ack: median(|bulk| bulk.cpu_ns as f64 / bulk.acks as f64),
        }
    }
}

/// The small exchanges of a congestion control. The ratios are to those of the built-in CUBIC in
/// the same rounds.
#[derive(Serialize)]
pub struct SmallExchanges {
    pub congestion_control: String,
    pub rounds: usize,
    pub disturbed_rounds: usize,
    pub time: Spread,
    pub cpu_time: Spread,
    pub ns_per_exchange: f64,
}

impl SmallExchanges {
    pub fn compare(
        name: &str,
        blocks: &[Block],
        built_in: &[Block],
        disturbed: usize,
    ) -> SmallExchanges {
        let ratio = |figure: fn(&Block) -> f64| {
            let pairs = blocks.iter().zip(built_in);
            Spread::of(pairs.map(|(a, b)| figure(a) / figure(b)))
        };
        SmallExchanges {
            congestion_control: name.to_owned(),
            rounds: blocks.len(),
            disturbed_rounds: disturbed,
            time: ratio(|block| block.ns_per_exchange),
            cpu_time: ratio(|block| block.cpu_ns_per_exchange),
            ns_per_exchange: Spread::of(blocks.iter().map(|block| block.ns_per_exchange)).median,
        }
    }
}

/// CPU time since boot in ticks: all of it, and the part that the hypervisor took away.
#[derive(Clone, Copy, Default)]
pub struct CpuTime {
    all: u64,
    stolen: u64,
}

impl CpuTime {
    pub fn now() -> CpuTime {
        const STEAL: usize = 7;
        let text = fs::read_to_string("/proc/stat").unwrap_or_default();
        let first = text.lines().next().unwrap_or_default();
        // The last two fields, guest and guest_nice, are included in user and nice.
        let ticks: Vec<u64> = first
            .split_whitespace()
            .skip(1)
            .take(8)
            .filter_map(|word| word.parse().ok())
            .collect();
        CpuTime {
            all: ticks.iter().sum(),
            stolen: ticks.get(STEAL).copied().unwrap_or(0),
        }
    }

    pub fn stolen_since(before: CpuTime) -> f64 {
        let now = CpuTime::now();
        (now.stolen - before.stolen) as f64 / (now.all - before.all).max(1) as f64
    }
}

/// The calls of a BPF program in one situation.
#[derive(Serialize)]
pub struct Program {
    pub startup: String,
    pub situation: String,
    /// The member of tcp_congestion_ops.
    pub program: String,
    pub calls: u64,
    pub calls_per_ack: f64,
    pub ns_per_call: f64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Linux {}, {} CPUs; {:.1} % of the CPU time was stolen",
            self.kernel,
            self.cpus,
            self.stolen_cpu * 100.0
        )?;
        writeln!(
            f,
            "transfers of {} s; medians of ratios to the built-in CUBIC in the same round (5-95 %)",
            self.round_s
        )?;
        self.write_throughput(f)?;
        self.write_exchanges(f)?;
        self.write_programs(f)
    }
}

impl Report {
    fn write_throughput(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut loopback = "";
        for row in &self.throughput {
            if row.loopback != loopback {
                loopback = row.loopback;
                writeln!(
                    f,
                    "\n{}: {} rounds, and {} that other processes disturbed",
                    loopback, row.rounds, row.disturbed_rounds
                )?;
                writeln!(
                    f,
                    "{:<22}{:<26}{:<26}{:<26}{:>8}{:>10}{:>12}",
                    "",
                    "throughput",
                    "after the start",
                    "CPU time per byte",
                    "Gbit/s",
                    "bytes/ACK",
                    "CPU ns/ACK"
                )?;
            }
            writeln!(
                f,
                "  {:<20}{:<26}{:<26}{:<26}{:>8.2}{:>10.0}{:>12.0}",
                row.congestion_control,
                row.throughput.to_string(),
                row.steady_throughput.to_string(),
                row.cpu_per_byte.to_string(),
                row.bytes_per_s * 8e-9,
                row.bytes_per_ack,
                row.cpu_ns_per_ack
            )?;
        }
        Ok(())
    }

    fn write_exchanges(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(row) = self.exchanges.first() {
            writeln!(
                f,
                "\nsmall exchanges: {} rounds, and {} that other processes disturbed\n\
                 {:<22}{:<26}{:<26}{:>12}",
                row.rounds, row.disturbed_rounds, "", "time", "CPU time", "ns/exchange"
            )?;
        }
        for row in &self.exchanges {
            writeln!(
                f,
                "  {:<20}{:<26}{:<26}{:>12.0}",
                row.congestion_control,
                row.time.to_string(),
                row.cpu_time.to_string(),
                row.ns_per_exchange
            )?;
        }
        Ok(())
    }

    fn write_programs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut heading = String::new();
        for row in &self.programs {
            let next = format!("{}: {}", row.startup, row.situation);
            if next != heading {
                heading = next;
                let same = |other: &&Program| {
                    other.startup == row.startup && other.situation == row.situation
                };
                let programs = self.programs.iter().filter(same);
                let all_ns: f64 = programs.map(|p| p.ns_per_call * p.calls_per_ack).sum();
                writeln!(
                    f,
                    "\n{heading:<46}{:>10}{:>12}{:>12}",
                    "calls", "calls/ACK", "ns/call"
                )?;
                writeln!(
                    f,
                    "  {:<44}{:>10}{:>12}{:>12.0}",
                    "all programs, for an ACK", "", "", all_ns
                )?;
            }
            writeln!(
                f,
                "  {:<44}{:>10}{:>12.2}{:>12.0}",
                row.program, row.calls, row.calls_per_ack, row.ns_per_call
            )?;
        }
        Ok(())
    }
}
