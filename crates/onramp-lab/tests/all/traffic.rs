//! Traffic of finite transfers: their starts, sizes and results.

use crate::common;

use common::{case_with, lab_runs_here};
use onramp_lab::{run, BuiltIn, Error, Outcome, RunOptions};
use onramp_results::TRAFFIC;
use onramp_scenario::{Arrival, Arrivals, Case};
use onramp_testing::undisturbed;

fn outcome(case: &Case) -> Outcome {
    run(case, &mut BuiltIn, &RunOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_seed_determines_starts_and_sizes_of_measured_transfers() {
    if !lab_runs_here() {
        return;
    }
    let traffic =
        "[[traffic]]\nsize = [\"2 kB\", \"20 kB\", \"60 kB\"]\narrivals = \"40 /s\"\ncount = \
         30\nlead = \"100 ms\"\n\
                   measured = true\n";
    let case = case_with("50 Mbit/s", "20 ms", "200 kB", traffic);
    let expected: Vec<Arrival> = Arrivals::of_traffic(&case, 0).unwrap().collect();
    // In order; half of them may be late where other processes have the processors.
    let lateness_s = |outcome: &Outcome| -> Vec<f64> {
        let pairs = outcome.traffic.iter().zip(&expected);
        let mut all: Vec<f64> = pairs
            .map(|(record, arrival)| record.start_s - arrival.start_ns as f64 / 1e9)
            .collect();
        all.sort_by(f64::total_cmp);
        all
    };
    let is_in_time = |all: &[f64]| all[0] >= 0.0 && all[all.len() / 2] < 0.02;
    let outcome = undisturbed(
        || outcome(&case),
        |outcome| is_in_time(&lateness_s(outcome)),
    );
    let lateness_s = lateness_s(&outcome);
    assert!(is_in_time(&lateness_s), "{lateness_s:?}");
    assert_eq!(outcome.traffic.len(), 30);
    for (place, (record, arrival)) in outcome.traffic.iter().zip(expected).enumerate() {
        assert_eq!(
            (
                record.role.as_str(),
                record.flow as usize,
                record.beside.as_str()
            ),
            (TRAFFIC, place + 2, "cubic")
        );
        assert_eq!(
            (record.size_bytes, record.delivered_bytes),
            (arrival.size_bytes, arrival.size_bytes)
        );
        assert!(
            record.finished && record.completion_s.unwrap() > 0.99 * record.bound_s,
            "{record:?}"
        );
        assert_eq!(record.traffic_during_bytes_per_s, None);
    }
    assert!(
        outcome.record.finished && outcome.record.traffic_during_bytes_per_s.is_none(),
        "{:?}",
        outcome.record
    );
}

#[test]
fn the_goodput_of_unmeasured_transfers_is_reported() {
    if !lab_runs_here() {
        return;
    }
    // The offered load is 4 MB/s, and the path can carry 6 MB/s.
    let traffic = "[[traffic]]\nsize = \"40 kB\"\narrivals = \"100 /s\"\nlead = \"1 s\"\n";
    let case = case_with("50 Mbit/s", "20 ms", "50 kB", traffic);
    let rate = |outcome: &Outcome| {
        let record = &outcome.record;
        let rates = [
            record.traffic_before_bytes_per_s,
            record.traffic_during_bytes_per_s,
        ];
        rates.map(Option::unwrap).iter().sum::<f64>() / 2.0
    };
    let is_offered = |outcome: &Outcome| (2e6..6e6).contains(&rate(outcome));
    let outcome = undisturbed(|| outcome(&case), is_offered);
    assert!(outcome.traffic.is_empty());
    assert!(is_offered(&outcome), "{}", rate(&outcome));
}

#[test]
fn a_stop_ends_active_transfers_and_arrivals() {
    if !lab_runs_here() {
        return;
    }
    let traffic = "[[traffic]]\nsize = \"1 MB\"\ncount = 2\nlead = \"0 s\"\nstop = \"400 \
        ms\"\nmeasured = true\n\
                   [[traffic]]\nsize = \"1 kB\"\narrivals = \"20 /s\"\nlead = \"0 s\"\nstop = \
                       \"400 ms\"\nmeasured = true\n";
    let case = case_with("10 Mbit/s", "20 ms", "20 kB", traffic);
    let has_carried = |delivered_bytes: u64| (50_000..500_000).contains(&delivered_bytes);
    let outcome = undisturbed(
        || outcome(&case),
        |outcome| {
            outcome
                .traffic
                .iter()
                .all(|record| match record.size_bytes {
                    1_000_000 => has_carried(record.delivered_bytes),
                    _ => record.start_s < 0.41,
                })
        },
    );
    let (long, short): (Vec<_>, Vec<_>) = outcome
        .traffic
        .iter()
        .partition(|record| record.size_bytes == 1_000_000);
    assert_eq!(
        (long.len(), short.len()),
        (2, Arrivals::of_traffic(&case, 1).unwrap().count())
    );
    for record in long {
        assert!(
            !record.finished && has_carried(record.delivered_bytes),
            "{record:?}"
        );
    }
    assert!(
        short.iter().all(|record| record.start_s < 0.41),
        "{short:?}"
    );
}

#[test]
fn the_end_of_the_run_cuts_off_measured_transfers_and_later_arrivals() {
    if !lab_runs_here() {
        return;
    }
    let traffic = "[run]\nduration = \"500 ms\"\n[[traffic]]\nsize = \"1 MB\"\narrivals = \"10 \
        /s\"\ncount = 100\n\
                   lead = \"0 s\"\nmeasured = true\n";
    let case = case_with("10 Mbit/s", "20 ms", "20 kB", traffic);
    let has_cut_off_one = |outcome: &Outcome| {
        let mut records = outcome.traffic.iter();
        records.any(|record| !record.finished && record.delivered_bytes > 0)
    };
    let outcome = undisturbed(|| outcome(&case), has_cut_off_one);
    let started = Arrivals::of_traffic(&case, 0)
        .unwrap()
        .filter(|arrival| arrival.start_ns <= 500_000_000)
        .count();
    assert_eq!(outcome.traffic.len(), started);
    assert!(has_cut_off_one(&outcome), "{:?}", outcome.traffic);
}

#[test]
fn too_many_active_arrivals_are_an_error() {
    if !lab_runs_here() {
        return;
    }
    let traffic = "[[traffic]]\nsize = \"1 MB\"\narrivals = \"10000 /s\"\nlead = \"0 s\"\n";
    let error = run(
        &case_with("1 Mbit/s", "20 ms", "1 MB", traffic),
        &mut BuiltIn,
        &RunOptions::default(),
    )
    .unwrap_err();
    assert!(matches!(error, Error::Arrivals { .. }), "{error}");
    assert!(
        error.to_string().starts_with("`traffic.arrivals`"),
        "{error}"
    );
}

#[test]
fn datagrams_share_the_path_at_their_rate() {
    if !lab_runs_here() {
        return;
    }
    let packets = |kind: &str, rate: &str, ends: &str| {
        format!(
            "[[traffic]]\nkind = \"{kind}\"\nrate = \"{rate}\"\npacket = \"1000 B\"\n\
             lead = \"2 s\"\n{ends}"
        )
    };
    let back = "from = \"receiver\"\nto = \"sender\"\n";
    let forward = packets("constant", "5 Mbit/s", "");
    let both = forward.clone() + &packets("poisson", "1 Mbit/s", back);
    let run = |traffic: &str| outcome(&case_with("20 Mbit/s", "50 ms", "1 MB", traffic));
    let seconds = |outcome: &Outcome| outcome.record.completion_s.unwrap();
    // A quarter of the path is the traffic's.
    let takes_longer =
        |(alone, beside): &(Outcome, Outcome)| seconds(beside) > seconds(alone) + 0.05;
    let pair = undisturbed(|| (run(""), run(&both)), takes_longer);
    let (alone, beside) = &pair;
    assert!(
        takes_longer(&pair),
        "{} and {}",
        seconds(alone),
        seconds(beside)
    );
    // 972 bytes of payload in each packet, 750 packets a second on average.
    let before = beside.record.traffic_before_bytes_per_s.unwrap();
    assert!((before / 729_000.0 - 1.0).abs() < 0.15, "{before}");
    let [there, return_path] = [beside.link.forward, beside.link.reverse];
    assert!(there.delivered.packets > alone.link.forward.delivered.packets + 1500);
    let acks = alone.link.reverse.delivered.packets;
    assert!(
        (200..600).contains(&(return_path.delivered.packets - acks)),
        "{return_path:?}"
    );
}
