//! Connections that stay open: answers after an idle time.

use onramp_sim::{run, Options};

const ANSWERS: u64 = 3;

/// The times of the last of three answers, in pairs: CUBIC, then onramp.
fn last_answers(answer_kb: u64, idle_s: u64) -> Vec<[f64; 2]> {
    let size_kb = ANSWERS * answer_kb;
    let text = format!(
        "name = \"idle\"\n[path]\nrate = [\"10 Mbit/s\", \"50 Mbit/s\", \"100 Mbit/s\"]\n\
         rtt = [\"20 ms\", \"100 ms\", \"300 ms\"]\nqueue = \"1 bdp\"\n\
         [receiver]\nbuffer = \"64 MiB\"\n\
         [[transfer]]\nsize = \"{size_kb} kB\"\nwrite = \"{answer_kb} kB\"\n\
         write_every = \"{idle_s} s\"\nstartup = [\"none\", \"onramp\"]\n"
    );
    let scenario = onramp_scenario::parse("idle.toml", &text).expect("the scenario is right");
    let idle_time_s = ((ANSWERS - 1) * idle_s) as f64;
    let time_s = |case| {
        let outcome = run(case, &Options::default()).expect("the case can be simulated");
        outcome.records[0].completion_s.unwrap() - idle_time_s
    };
    let times: Vec<f64> = scenario.cases.iter().map(time_s).collect();
    times.chunks(2).map(|pair| [pair[0], pair[1]]).collect()
}

#[test]
fn an_answer_after_an_idle_time_is_never_a_twentieth_later_than_with_cubic_and_often_sooner() {
    // The answers of 1 and 5 MB fill the pipe, which ends the start-up.
    for answer_kb in [30, 100, 300, 1000, 5000] {
        let idle_times_s: &[u64] = if answer_kb < 1000 { &[2, 30] } else { &[30] };
        for &idle_s in idle_times_s {
            let pairs = last_answers(answer_kb, idle_s);
            for (place, [cubic_s, onramp_s]) in pairs.iter().enumerate() {
                assert!(
                    *onramp_s <= 1.05 * cubic_s,
                    "{answer_kb} kB, {idle_s} s, path {place}: {pairs:?}"
                );
            }
            let sooner = pairs
                .iter()
                .filter(|[cubic_s, onramp_s]| *onramp_s < 0.8 * cubic_s);
            assert!(sooner.count() >= 4, "{answer_kb} kB, {idle_s} s: {pairs:?}");
        }
    }
}
