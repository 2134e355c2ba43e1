//! The table that `onramp compare` prints.

use crate::text::{out, say};
use onramp_lab::Comparison;
use onramp_report::aligned_columns;
use onramp_scenario::units::{format_rate, format_size};

const HEADINGS: [&str; 8] = [
    "path",
    "size",
    "start-up",
    "sim s",
    "kernel s",
    "difference",
    "resent",
    "",
];

pub fn print(comparisons: &[Comparison], within_percent: f64) {
    let mut rows = vec![HEADINGS.map(str::to_owned).to_vec()];
    rows.extend(comparisons.iter().map(|one| cells(one).to_vec()));
    // Text is flush left, numbers are flush right.
    let is_right: Vec<bool> = (0..HEADINGS.len()).map(|at| (3..7).contains(&at)).collect();
    out(format_args!("{}", aligned_columns(&rows, &is_right)));
    let judged = comparisons.iter().filter(|row| row.clean).count();
    let within = comparisons
        .iter()
        .filter(|row| row.clean && row.within)
        .count();
    say!(
        "\n{within} of {judged} clean cases within {within_percent} %. \
         resent: retransmitted segments, simulator / kernel."
    );
    if comparisons.iter().any(|row| !row.clean) {
        say!(
            "not judged: random losses, jitter or competing flows make every run different; \
             compare medians."
        );
    }
    if comparisons.iter().any(|row| row.kernel.suspect) {
        say!("†: this machine was busy, and the kernel's time may be wrong.");
    }
}

fn cells(comparison: &Comparison) -> [String; 8] {
    let (sim, kernel) = (&comparison.sim, &comparison.kernel);
    let seconds = |completion: Option<f64>| {
        completion.map_or("–".to_owned(), |seconds| format!("{seconds:.3}"))
    };
    let verdict = match (comparison.clean, comparison.within) {
        (false, _) => "not judged",
        (true, true) => "",
        (true, false) => "MISSED",
    };
    [
        format!(
            "{}: {}, {} ms, queue {}, receiver {}",
            sim.scenario,
            format_rate(sim.rate_bits_per_s),
            sim.rtt_ms,
            sim.queue,
            sim.receiver_buffer
        ),
        format_size(sim.size_bytes),
        format!(
            "{}{}",
            sim.algorithms(),
            if kernel.suspect { " †" } else { "" }
        ),
        seconds(sim.completion_s),
        seconds(kernel.completion_s),
        format!("{:+.1} %", comparison.difference_percent),
        format!(
            "{} / {}",
            sim.retransmitted_segments, kernel.retransmitted_segments
        ),
        verdict.to_owned(),
    ]
}
