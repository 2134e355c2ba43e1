//! The summary table in all its forms.

use crate::sweep;

use onramp_report::{table, TableOptions};
use onramp_results::Record;
use onramp_testing::samples::record;

fn text(records: &[Record]) -> String {
    let text = table(records, &TableOptions::default());
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "too wide: {line}");
    }
    text
}

#[test]
fn one_run_of_each() {
    insta::assert_snapshot!(text(&[
        record("geo", "none", "cubic", 1),
        record("geo", "paced", "cubic", 1)
    ]));
}

#[test]
fn one_row_alone() {
    insta::assert_snapshot!(text(&[record("geo", "none", "cubic", 1)]));
}

#[test]
fn nothing_at_all() {
    assert_eq!(text(&[]), "no results\n");
}

#[test]
fn repeats_that_differ() {
    let mut records = Vec::new();
    for (run, late) in [(1, 0.0), (2, 0.31), (3, 0.04)] {
        for startup in ["none", "paced"] {
            let mut one = record("geo", startup, "cubic", run);
            let late = if startup == "none" {
                late
            } else {
                late / 100.0
            };
            one.completion_s = one.completion_s.map(|completion_s| completion_s + late);
            one.retransmitted_segments = u64::from(run) * 3;
            one.exit_reason = if startup == "none" {
                "none"
            } else {
                ["estimate", "loss", "loss"][run as usize - 1]
            }
            .into();
            records.push(one);
        }
    }
    records.push(Record {
        initial_window: "4".into(),
        ..record("geo", "none", "cubic", 1)
    });
    insta::assert_snapshot!(text(&records));
}

#[test]
fn many_groups_are_summed_up() {
    let runs = sweep::runs(2 * 5_040);
    let records: Vec<Record> = runs.into_iter().map(|run| run.record).collect();
    insta::assert_snapshot!(text(&records));
}

#[test]
fn no_plain_cubic_to_compare_with() {
    insta::assert_snapshot!(text(&[
        record("geo", "paced", "cubic", 1),
        record("geo", "none", "bbr", 1)
    ]));
}

#[test]
fn suspect_runs_are_marked_and_explained() {
    let mut records = vec![
        record("geo", "none", "cubic", 1),
        record("geo", "paced", "cubic", 1),
    ];
    records[1].suspect = true;
    records[1].lateness_p99_us = 812.4;
    insta::assert_snapshot!(text(&records));
}

#[test]
fn competing_traffic_before_and_during() {
    let mut records = vec![
        record("rival", "none", "cubic", 1),
        record("rival", "paced", "cubic", 1),
    ];
    for (record, during) in records.iter_mut().zip([2.9e6, 2.75e6]) {
        record.traffic_before_bytes_per_s = Some(5.91e6);
        record.traffic_during_bytes_per_s = Some(during);
        record.lost_packets = 12;
    }
    insta::assert_snapshot!(text(&records));
}

#[test]
fn simulator_and_kernel_side_by_side() {
    let mut records = Vec::new();
    for host in ["sim", "kernel"] {
        for startup in ["none", "paced"] {
            let mut one = record("geo", startup, "cubic", 1);
            one.host = host.to_owned();
            let times = if host == "kernel" { 3.1 } else { 1.0 };
            one.completion_s = one.completion_s.map(|completion_s| completion_s * times);
            records.push(one);
        }
    }
    insta::assert_snapshot!(text(&records));
}

#[test]
fn flows_that_the_end_of_the_run_cut_short() {
    let mut records = Vec::new();
    for (recovery, finished) in [("reno", 0), ("newreno", 2), ("sack", 4)] {
        for flow in 1..=4 {
            let mut one = record("wan", "none", "reno", 1);
            (one.stack, one.recovery, one.timers) = ("lite".into(), recovery.into(), "bsd".into());
            (one.flow, one.timeouts) = (flow, Some(u64::from(flow) / 2));
            if flow > finished {
                (one.finished, one.completion_s, one.excess_rtts) = (false, None, None);
                one.delivered_bytes = u64::from(flow) * 200_000;
            }
            records.push(one);
        }
    }
    insta::assert_snapshot!(text(&records));
}

#[test]
fn a_narrow_terminal_gets_a_second_block() {
    let records = [
        record("geo", "none", "cubic", 1),
        record("geo", "paced", "cubic", 1),
    ];
    let text = table(
        &records,
        &TableOptions {
            width: 60,
            colour: false,
        },
    );
    insta::assert_snapshot!(text);
}

#[test]
fn colour_changes_nothing_but_colour() {
    let records = [
        record("geo", "none", "cubic", 1),
        record("geo", "paced", "cubic", 1),
    ];
    let plain = text(&records);
    let colour = table(
        &records,
        &TableOptions {
            width: 100,
            colour: true,
        },
    );
    assert!(colour.contains("\u{1b}[32m"));
    let mut bare = String::new();
    for (at, part) in colour.split('\u{1b}').enumerate() {
        bare += if at == 0 {
            part
        } else {
            part.split_once('m').unwrap().1
        };
    }
    assert_eq!(bare, plain);
}

#[test]
fn names_cannot_move_the_cursor() {
    let text = text(&[record("\u{1b}[2J\nevil", "none", "cubic\u{7}", 1)]);
    assert!(!text.contains(['\u{1b}', '\u{7}']));
}

#[test]
fn traffic_beside_start_ups() {
    let mut records = vec![
        record("rival", "none", "cubic", 1),
        record("rival", "paced", "cubic", 1),
    ];
    for (case, beside, completions) in [
        (1, "cubic", [0.0824, 0.31, 3.1]),
        (2, "paced + cubic", [0.0912, 0.4, 7.2]),
    ] {
        records[case as usize - 1].traffic_before_bytes_per_s = Some(5.91e6);
        for (completion_s, flow) in completions.into_iter().zip(2..) {
            let mut flow = Record {
                role: "traffic".into(),
                case,
                flow,
                ..record("rival", "none", "cubic", 1)
            };
            (flow.beside, flow.beside_bytes, flow.path) =
                (beside.into(), Some(1_000_000), "codel, jitter 5 ms".into());
            flow.size_bytes = 10_000;
            flow.completion_s = Some(completion_s);
            records.push(flow);
        }
    }
    insta::assert_snapshot!(text(&records));
}
