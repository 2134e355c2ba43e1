//! The table that `onramp compare` prints.

use crate::commands::lab::TRIES;
use onramp_cli::text::{out, say};
use onramp_lab::Comparison;
use onramp_report::{aligned_columns, head};
use onramp_scenario::units::{format_rate, format_size};

const HEADINGS: &str = "path | size | start-up | sim s | kernel s | difference | resent | ";

pub fn print(comparisons: &[Comparison], within_percent: f64) {
    let mut rows = vec![head(HEADINGS)];
    rows.extend(comparisons.iter().map(|one| cells(one).to_vec()));
    // Text is flush left, numbers are flush right.
    let is_right: Vec<bool> = (0..rows[0].len()).map(|at| (3..7).contains(&at)).collect();
    out(format_args!("{}", aligned_columns(&rows, &is_right)));
    for line in verdicts(comparisons, within_percent) {
        say!("{line}");
    }
}

/// How many cases agree, and which are not judged.
fn verdicts(comparisons: &[Comparison], within_percent: f64) -> Vec<String> {
    let of = |test: fn(&Comparison) -> bool| comparisons.iter().filter(|one| test(one)).count();
    let within = of(|one| one.is_judged() && one.within);
    let judged = of(Comparison::is_judged);
    let mut lines = vec![format!(
        "\n{within} of {judged} judged cases within {within_percent} %. \
         resent: retransmitted segments, simulator / kernel."
    )];
    let repeated: u32 = comparisons.iter().map(|one| one.tries - 1).sum();
    if repeated > 0 {
        lines.push(format!(
            "{}, because this machine was busy during the run before.",
            match repeated {
                1 => "1 run was repeated".to_owned(),
                runs => format!("{runs} runs were repeated"),
            }
        ));
    }
    if comparisons.iter().any(|one| one.kernel.suspect) {
        lines.push(format!(
            "† suspect, not judged: this machine was busy in all {TRIES} tries, and the kernel's \
             time may be wrong."
        ));
    }
    if comparisons.iter().any(|one| !one.clean) {
        lines.push(
            "not judged: random losses, jitter or competing flows make every run different; \
             compare medians."
                .to_owned(),
        );
    }
    lines
}

fn cells(comparison: &Comparison) -> [String; 8] {
    let (sim, kernel) = (&comparison.sim, &comparison.kernel);
    let seconds = |completion: Option<f64>| {
        completion.map_or("–".to_owned(), |seconds| format!("{seconds:.3}"))
    };
    let verdict = match (comparison.clean, kernel.suspect, comparison.within) {
        (false, ..) => "not judged",
        (true, true, _) => "suspect",
        (true, false, true) => "",
        (true, false, false) => "MISSED",
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

#[cfg(test)]
mod tests {
    use super::*;
    use onramp_results::Record;

    const SCENARIO: &str = "name = \"one\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 ms\"\n\
                            [[transfer]]\nsize = \"1 MB\"\n";

    /// A case that took two seconds in the simulator, and so long on the kernel.
    fn compared(kernel_s: f64, suspect: bool, tries: u32) -> Comparison {
        let case = &onramp_scenario::parse("one.toml", SCENARIO).unwrap().cases[0];
        let [mut sim, mut kernel] = ["sim", "kernel"].map(|host| Record::of_case(case, host));
        sim.complete(2.0);
        kernel.complete(kernel_s);
        kernel.suspect = suspect;
        let comparison = Comparison::new(case, &[&sim], &[&kernel], 10.0);
        Comparison {
            tries,
            ..comparison
        }
    }

    #[test]
    fn a_suspect_run_is_shown_and_not_judged() {
        let all = [
            compared(2.0, false, 1),
            compared(2.0, false, 3),
            compared(3.5, true, 3),
        ];
        assert!(all.iter().all(|one| !one.misses()));
        assert_eq!(cells(&all[2])[7], "suspect");
        let lines = verdicts(&all, 10.0);
        assert!(lines[0].starts_with("\n2 of 2 judged cases"), "{lines:?}");
        assert!(lines[1].starts_with("4 runs were repeated"), "{lines:?}");
        assert!(lines[2].contains("in all 3 tries"), "{lines:?}");
    }

    #[test]
    fn an_undisturbed_run_that_differs_is_missed() {
        let all = [compared(3.5, false, 1)];
        assert!(all[0].misses());
        assert_eq!(cells(&all[0])[7], "MISSED");
        assert_eq!(verdicts(&all, 10.0).len(), 1, "nothing was repeated");
    }
}
