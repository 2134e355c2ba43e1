//! Measures the lab itself: completion, lateness and ACK spacing.
//!
//! `measure [RATE [RTT [SIZE [RUNS [AVOIDANCE]]]]]`, for example `measure "250 Mbit/s" "600 ms" "20
//! MB" 5 cubic`

use onramp_lab::{run, BuiltIn, Emission, RunOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut argument = |default: &str| arguments.next().unwrap_or_else(|| default.into());
    let (rate, rtt, size) = (argument("50 Mbit/s"), argument("600 ms"), argument("5 MB"));
    let (runs, avoidance) = (argument("5"), argument("cubic"));
    let text = format!(
        "name = \"measure\"\n[path]\nrate = \"{rate}\"\nrtt = \"{rtt}\"\nqueue = \"1 \
         bdp\"\n[receiver]\nbuffer = \"64 MiB\"\n\
         [[transfer]]\nsize = \"{size}\"\nstartup = \"none\"\navoidance = \"{avoidance}\"\nrepeat \
             = {runs}\n"
    );
    let scenario = onramp_scenario::parse("measure", &text)?;
    let options = RunOptions {
        trace: std::env::var_os("TRACE").is_some(),
        ..RunOptions::default()
    };
    let mut completions = Vec::new();
    for case in &scenario.cases {
        let outcome = run(case, &mut BuiltIn, &options)?;
        let record = &outcome.record;
        let completion_s = record.completion_s.unwrap_or(f64::NAN);
        println!(
            "completion {:.6} s  bound {:.6}  excess {:.3} RTT  late p50 {:.2} p99 {:.2} max \
             {:.1} us{}  retrans {}  \
             dropped {}  packets {}/{}",
            completion_s,
            record.bound_s,
            record.excess_rtts.unwrap_or(f64::NAN),
            outcome.link.lateness_p50_us,
            record.lateness_p99_us,
            record.lateness_max_us,
            if record.suspect { " SUSPECT" } else { "" },
            record.retransmitted_segments,
            record.dropped_packets,
            outcome.link.forward.offered.packets,
            outcome.link.reverse.offered.packets,
        );
        spacing(
            &outcome.link.forward_emissions,
            &outcome.link.reverse_emissions,
            case.path.forward.rate_bits_per_s,
        );
        for note in &outcome.notes {
            println!("  note: {note}");
        }
        if options.trace {
            println!(
                "  trace: {} samples, {} segments",
                outcome.trace.sender.len(),
                outcome.trace.segments.len()
            );
        }
        completions.push(completion_s);
    }
    let (low, high) = completions
        .iter()
        .fold((f64::MAX, 0f64), |(l, h), c| (l.min(*c), h.max(*c)));
    println!("spread {:.4} %", (high - low) / low * 100.0);
    Ok(())
}

/// The train of the initial window: ten data segments and their ACKs, when they were due and when
/// they were delivered.
fn spacing(data: &[Emission], acks: &[Emission], rate: u64) {
    let gaps = |emissions: &[Emission], time: fn(&Emission) -> u64| -> Vec<f64> {
        emissions
            .windows(2)
            .map(|pair| (time(&pair[1]) - time(&pair[0])) as f64 / 1e3)
            .collect()
    };
    let data: Vec<Emission> = data
        .iter()
        .copied()
        .filter(|e| e.wire_bytes == 1500)
        .take(10)
        .collect();
    // SYN, the handshake's ACK and the request come first.
    let acks = &acks[3..acks.len().min(13)];
    println!(
        "  a segment takes {:.1} us; gaps in us",
        1500.0 * 8e6 / rate as f64
    );
    println!("  data written {:.1?}", gaps(&data, |e| e.at_ns));
    println!("  acks due     {:.1?}", gaps(acks, |e| e.due_ns));
    println!("  acks written {:.1?}", gaps(acks, |e| e.at_ns));
}
