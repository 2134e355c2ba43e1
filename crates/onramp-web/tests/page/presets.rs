//! The presets: each runs, and its sentence is true.

use crate::transfers::{files, pair, text, transfers, Transfer};
use onramp_results::Record;

fn preset(name: &str) -> String {
    text("presets", name)
}

/// The time with the second start-up as a share of the first one's.
fn ratio([first, second]: &[Transfer; 2]) -> f64 {
    second.completion_s() / first.completion_s()
}

#[test]
fn every_preset_runs_with_both_start_ups() {
    let files = files("presets");
    assert_eq!(files.len(), 8);
    for file in files {
        let name = file
            .file_stem()
            .and_then(|name| name.to_str())
            .expect("text");
        let [cubic, onramp] = pair(&preset(name));
        assert_eq!(cubic.record.scenario, name);
        assert_eq!(
            [&*cubic.record.startup, &*onramp.record.startup],
            ["none", "onramp"]
        );
        assert_eq!(cubic.record.seed, onramp.record.seed, "{name}");
    }
}

#[test]
fn over_a_geostationary_satellite_onramp_wastes_one_round_trip_and_cubic_seven() {
    let both = pair(&preset("geostationary"));
    assert_eq!(both[0].wasted_rtts().round(), 7.0);
    assert_eq!(both[1].wasted_rtts().round(), 1.0);
    assert!(ratio(&both) < 0.5);
}

#[test]
fn the_hand_over_stops_both_and_onramp_has_delivered_more_by_then() {
    let delivered = pair(&preset("low-orbit")).map(|transfer| {
        let reads = &transfer.trace.receiver;
        let mut pauses = reads
            .windows(2)
            .filter(|pair| pair[1].time_s - pair[0].time_s > 1.0);
        let pause = pauses.next().expect("a hand-over");
        assert!(pauses.next().is_none(), "one hand-over");
        assert!((pause[1].time_s - pause[0].time_s - 1.5).abs() < 0.01);
        pause[0].received_bytes
    });
    assert!(delivered[0] * 11 / 10 < delivered[1], "{delivered:?}");
}

#[test]
fn across_the_atlantic_the_default_receive_window_limits_the_gain() {
    let preset = preset("transatlantic");
    let gain = 1.0 - ratio(&pair(&preset));
    assert!((0.24..0.26).contains(&gain), "{gain}");
    let gain = 1.0 - ratio(&pair(&preset.replace("linux-default", "64 MiB")));
    assert!((0.42..0.5).contains(&gain), "{gain}");
}

/// The ratios of the 25 seeds that the page runs, in ascending order.
fn ratios(name: &str) -> Vec<f64> {
    let all = transfers(&(preset(name) + "repeat = 25\n"));
    let times = |startup: &str| -> Vec<f64> {
        let of = all
            .iter()
            .filter(|transfer| transfer.record.startup == startup);
        of.map(Transfer::completion_s).collect()
    };
    let ratios = times("onramp").into_iter().zip(times("none"));
    let mut ratios: Vec<f64> = ratios.map(|(onramp, cubic)| onramp / cubic).collect();
    ratios.sort_by(f64::total_cmp);
    assert_eq!(ratios.len(), 25);
    ratios
}

#[test]
fn over_lte_the_median_is_a_seventh_faster_and_two_seeds_are_slower() {
    let ratios = ratios("lte");
    assert!((0.84..0.88).contains(&ratios[12]), "{ratios:?}");
    assert!(ratios[22] < 1.0 && ratios[23] > 1.0, "{ratios:?}");
}

#[test]
fn over_wifi_the_median_is_68_percent_and_costs_a_round_trip_more_than_a_clean_path() {
    assert_eq!((100.0 * ratios("wifi")[12]).round(), 68.0);
    let preset = preset("wifi");
    let wifi = pair(&preset);
    let clean: String = preset
        .lines()
        .filter(|line| !line.starts_with("aggregate") && !line.starts_with("jitter"))
        .map(|line| format!("{line}\n"))
        .collect();
    let clean = pair(&clean);
    assert!(wifi[1].wasted_rtts() > clean[1].wasted_rtts() + 1.0);
}

#[test]
fn behind_a_cable_modem_onramp_takes_two_thirds_of_the_time() {
    let ratio = ratio(&pair(&preset("cable")));
    assert!((0.64..0.7).contains(&ratio), "{ratio}");
}

#[test]
fn behind_a_policer_onramp_loses_less_and_is_a_little_faster() {
    let both = pair(&preset("policed"));
    let [cubic, onramp] = [&both[0], &both[1]].map(|transfer| transfer.record.policed_packets);
    assert!(200 < onramp && onramp < cubic, "{cubic} {onramp}");
    assert_eq!((100.0 - 100.0 * ratio(&both)).round(), 11.0);
}

#[test]
fn in_a_data_centre_onramp_changes_nothing() {
    let [cubic, onramp] = pair(&preset("data-centre"));
    assert_eq!(onramp.record.exit_reason, "path");
    let result = |record: &Record| (record.completion_s, record.dropped_packets);
    assert_eq!(result(&cubic.record), result(&onramp.record));
    assert_eq!(cubic.trace.segments, onramp.trace.segments);
}
