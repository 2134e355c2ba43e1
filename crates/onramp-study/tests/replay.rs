//! `lab --record`, then `replay`: the kernel's build of core/ and the native build make the same
//! decisions, and differences are reported.

use crate::common::*;
use onramp_core::{
    needs_pairs, phase_name, reserves, startup_names, InitialRate, EXIT_LOSS, EXIT_TIMEOUT,
    LOSS_TIMEOUT, PHASE_DONE,
};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

/// Runs the scenario file in the lab, and records it.
fn record_into(file: &Path, recording: &Path) {
    onramp([
        "lab".as_ref(),
        file.as_os_str(),
        "--record".as_ref(),
        recording.as_os_str(),
    ])
    .code(0);
}

/// Records transfers over a path with so many losses that some happen in a start-up. The seed of
/// the scenario decides which.
fn record(dir: &Path, startups: &str) -> PathBuf {
    let transfers = format!("[[transfer]]\nsize = \"300 kB\"\nstartup = {startups}\nrepeat = 3\n");
    let file = scenario(dir, "lossy", "loss = \"3 %\"\n", &transfers);
    let recording = dir.join("recording.jsonl");
    record_into(&file, &recording);
    assert_eq!(
        Vec::from_iter(listing(dir)),
        ["lossy.toml", "recording.jsonl"]
    );
    recording
}

fn replay(file: &Path, arguments: &[&str]) -> Ran {
    onramp(
        ["replay".as_ref(), file.as_os_str()]
            .into_iter()
            .chain(arguments.iter().map(|a| a.as_ref())),
    )
}

fn lines(file: &Path) -> Vec<Value> {
    fs::read_to_string(file)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
#[ignore = "takes long: make test-kernel"]
fn the_kernel_and_the_native_build_make_the_same_decisions() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    // A start-up that reserves needs a rate.
    let all = startup_names().iter().copied();
    let startups: Vec<_> = all.filter(|name| !reserves(name)).collect();
    let recording = record(dir.path(), &format!("{startups:?}"));
    let lines = lines(&recording);
    let mut connections = 0;
    for &startup in &startups {
        let of_it: Vec<&Value> = lines
            .iter()
            .filter(|line| line["startup"] == startup)
            .collect();
        let count = |input: &str| {
            of_it
                .iter()
                .filter(|line| line["input"].get(input).is_some())
                .count()
        };
        // With pairs, the receiver runs the start-up too, because it answers them.
        let ends = if needs_pairs(startup) { 2 } else { 1 };
        assert_eq!(count("start"), 3 * ends, "{startup}");
        connections += count("start");
        // Some losses are in a start-up that does not end by itself before.
        let ends_by_itself = of_it.iter().any(|line| {
            let [phase, exit] = ["phase", "exit"].map(|key| &line["decision"][key]);
            *phase == PHASE_DONE && *exit != EXIT_LOSS && *exit != EXIT_TIMEOUT
        });
        assert!(
            ends_by_itself || count("ack") > 10 && count("loss") > 0,
            "{startup}: {} acks, {} losses",
            count("ack"),
            count("loss")
        );
    }
    let reports = |line: &&Value| {
        line["input"]["ack"]["pair_interval_ns"]
            .as_u64()
            .is_some_and(|ns| ns > 0)
    };
    assert!(
        lines.iter().filter(reports).count() >= 3,
        "no pair was reported"
    );
    replay(&recording, &[]).code(0).says(&[
        &format!("{connections} connections"),
        &format!("{} decisions: all the same", lines.len()),
    ]);
    let summary = replay(&recording, &["--json"]).code(0).json();
    assert_eq!(keys(&summary), ["connections", "decisions", "differences"]);
    assert_eq!(summary["decisions"], lines.len());
    assert_eq!(summary["differences"], Value::Array(Vec::new()));
}

/// Each value has a registration of its own, and the recording says which it was.
#[test]
fn parameters_are_recorded_and_replayed() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let transfers = "[[transfer]]\nsize = \"2 MB\"\nstartup = \"hystart\"\n\
                     [transfer.parameters]\ncss_rounds = [5, 1]\n";
    let file = scenario(dir.path(), "rounds", "queue = \"4 bdp\"\n", transfers);
    let recording = dir.path().join("recording.jsonl");
    record_into(&file, &recording);
    let lines = lines(&recording);
    let starts = lines
        .iter()
        .filter(|line| line["input"].get("start").is_some());
    let parameters: Vec<_> = starts.map(|line| line.get("parameters")).collect();
    assert_eq!(
        parameters,
        [None, Some(&serde_json::json!({"css_rounds": 1}))]
    );
    let last_ack = |transfer| {
        let is_ack =
            |line: &&Value| line["transfer"] == transfer && line["input"].get("ack").is_some();
        lines.iter().filter(is_ack).count()
    };
    assert!(
        last_ack(1) < last_ack(0),
        "one round ends earlier than five"
    );
    replay(&recording, &[])
        .code(0)
        .says(&[&format!("{} decisions: all the same", lines.len())]);
    let text = fs::read_to_string(&recording).unwrap();
    fs::write(
        &recording,
        text.replace("\"css_rounds\":1}", "\"css_rounds\":1000}"),
    )
    .unwrap();
    replay(&recording, &[])
        .code(2)
        .warns(&["no parameter `css_rounds`", "1000"]);
}

/// A queue that marks early, so that every start-up sees a mark.
const MARKING: &str = r#"
name = "marks"
[path]
rate = "20 Mbit/s"
rtt = "40 ms"
queue = "400 packets"
discipline = "red"
ecn = true
[path.red]
min = "2 packets"
max = "6 packets"
probability = "50 %"
weight = "20 %"
gentle = true
[receiver]
buffer = "16 MiB"
[[transfer]]
size = "1 MB"
avoidance = "cubic"
ecn = true
"#;

#[test]
#[ignore = "takes long: make test-kernel"]
fn the_kernel_and_the_native_build_answer_marks_alike() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let startups = [
        "standard", "paced", "hystart", "search", "suss", "bbrstart", "rapid", "lift", "onramp",
    ];
    let file = dir.path().join("marks.toml");
    fs::write(&file, format!("{MARKING}startup = {startups:?}\n")).unwrap();
    let recording = dir.path().join("recording.jsonl");
    record_into(&file, &recording);
    let lines = lines(&recording);
    for startup in startups {
        let marks = lines.iter().filter(|line| {
            let loss = &line["input"]["loss"];
            line["startup"] == startup && !loss.is_null() && loss["lost_bytes"] == 0
        });
        assert!(marks.count() > 0, "{startup}: no mark in its start-up");
    }
    replay(&recording, &[])
        .code(0)
        .says(&[&format!("{} decisions: all the same", lines.len())]);
}

/// A competing flow that has filled the path and its queue when the transfers start.
const COMPETING: &str = r#"
name = "rival"
[path]
rate = "20 Mbit/s"
rtt = "40 ms"
queue = "0.5 bdp"
[receiver]
buffer = "16 MiB"
[[traffic]]
startup = "none"
avoidance = "cubic"
lead = "2 s"
[[transfer]]
size = "2 MB"
startup = "onramp"
avoidance = ["cubic", "reno"]
repeat = 2
"#;

/// A narrow return path: its ACKs arrive four times as far apart as the segments that they
/// acknowledge.
const NARROW: &str = r#"
name = "narrow"
[path]
rate = "20 Mbit/s"
rtt = "60 ms"
queue = "1 bdp"
[path.reverse]
rate = "200 kbit/s"
queue = "64 KiB"
[receiver]
buffer = "16 MiB"
[sender]
packet_pairs = true
[[transfer]]
size = "500 kB"
startup = "onramp"
repeat = 2
"#;

#[test]
fn onramp_uses_the_rate_that_the_receiver_measures_by_packet_pairs_or_timestamps() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let [file, recording] = ["narrow.toml", "recording.jsonl"].map(|name| dir.path().join(name));
    let record = |text: &str| {
        fs::write(&file, text).unwrap();
        record_into(&file, &recording);
        lines(&recording)
    };
    let reports = |line: &&Value| {
        line["input"]["ack"]["pair_interval_ns"]
            .as_u64()
            .is_some_and(|ns| ns > 0)
    };
    // 20 Mbit/s in packets of 1500 bytes, in bytes of payload per second.
    let path = 20e6 / 8.0 * 1440.0 / 1500.0;
    let share_of_path = |lines: &[Value]| {
        let rates = lines
            .iter()
            .map(|line| line["decision"]["estimate_bytes_per_s"].as_f64().unwrap());
        rates
            .into_iter()
            .find(|&rate| rate > 0.0)
            .expect("a rate is measured")
            / path
    };
    let with = record(NARROW);
    assert!(
        with.iter().filter(reports).count() >= 16,
        "too few pairs were reported"
    );
    let share = share_of_path(&with);
    assert!((0.8..1.25).contains(&share), "{share}");
    replay(&recording, &[])
        .code(0)
        .says(&[&format!("{} decisions: all the same", with.len())]);

    // Without the option, the timestamps of ACKs show the same rate to a millisecond.
    fs::remove_file(&recording).unwrap();
    let without = record(&NARROW.replace("packet_pairs = true", "packet_pairs = false"));
    assert_eq!(without.iter().filter(reports).count(), 0);
    let share = share_of_path(&without);
    assert!((0.8..1.25).contains(&share), "{share}");
    replay(&recording, &[]).code(0);
}

#[test]
fn the_lab_begins_at_the_initial_rate_of_the_scenario() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let recording = dir.path().join("recording.jsonl");
    let rates = ["off", "2 Mbit/s"];
    let transfers: String = rates
        .map(|rate| {
            format!(
                "[[transfer]]\nsize = \"30 kB\"\nstartup = \"onramp\"\ninitial_rate = \"{rate}\"\n"
            )
        })
        .concat();
    record_into(&scenario(dir.path(), "rates", "", &transfers), &recording);
    let of_start = |line: &Value| line["input"]["start"]["initial_bytes_per_s"].as_u64();
    let started: Vec<u64> = lines(&recording).iter().filter_map(of_start).collect();
    let expected = [InitialRate::Off, InitialRate::BitsPerS(2_000_000)];
    assert_eq!(started, expected.map(InitialRate::bytes_per_s));
}

#[test]
#[ignore = "takes long: make test-kernel"]
fn the_kernel_and_the_native_build_hold_and_retreat_at_the_same_time() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let [file, recording] = ["rival.toml", "recording.jsonl"].map(|name| dir.path().join(name));
    fs::write(&file, COMPETING).unwrap();
    record_into(&file, &recording);
    let lines = lines(&recording);
    let phase = |line: &Value| phase_name(line["decision"]["phase"].as_u64().unwrap() as u32);
    for expected in ["pacing", "approach", "hold", "retreat"] {
        assert!(
            lines.iter().any(|line| phase(line) == expected),
            "no connection was in phase {expected}"
        );
    }
    replay(&recording, &[])
        .code(0)
        .says(&[&format!("{} decisions: all the same", lines.len())]);
}

/// The receiver's link fails again and again while windows are in flight, so that the sender has an
/// RTO. (If the last segment before an outage arrived and was not acknowledged yet, Linux undoes
/// the RTO, and nothing restarts.)
const OUTAGE: &str = r#"
name = "outage"
[[node]]
name = "server"
[[node]]
name = "terminal"
[[node]]
name = "client"
[[link]]
from = "server"
to = "terminal"
rate = "10 Mbit/s"
delay = "19 ms"
queue = "1 bdp"
[[link]]
from = "terminal"
to = "client"
rate = "100 Mbit/s"
delay = "1 ms"
[[transfer]]
from = "server"
to = "client"
size = "8 MB"
startup = ["astart", "hoe"]
avoidance = "cubic"
"#;

/// A scenario file whose link loses everything for 600 ms, ten times.
fn write_outages(file: &Path) {
    let outage = |from_ms: u64| [(from_ms, 100), (from_ms + 600, 0)];
    let changes: String = (0..10)
        .flat_map(|n| outage(1000 + 1600 * n))
        .map(|(at_ms, loss)| format!("[[link.change]]\nat = \"{at_ms} ms\"\nloss = \"{loss} %\"\n"))
        .collect();
    let scenario = OUTAGE.replace("[[transfer]]", &format!("{changes}[[transfer]]"));
    fs::write(file, scenario).unwrap();
}

/// The lines of a recording, connection by connection. Each registration counts its own
/// connections.
fn by_connection(lines: &[Value]) -> Vec<Vec<&Value>> {
    let connection =
        |line: &Value| ["startup", "transfer", "connection"].map(|key| line[key].clone());
    let mut connections: Vec<Vec<&Value>> = Vec::new();
    for line in lines {
        match connections
            .iter_mut()
            .find(|lines| connection(lines[0]) == connection(line))
        {
            Some(lines) => lines.push(line),
            None => connections.push(vec![line]),
        }
    }
    connections
}

fn phase(line: &Value) -> &'static str {
    phase_name(line["decision"]["phase"].as_u64().unwrap() as u32)
}

fn ssthresh(line: &Value) -> u64 {
    line["decision"]["ssthresh_bytes"].as_u64().unwrap()
}

fn loss_kind(line: &Value) -> Option<u64> {
    line["input"]["loss"]["kind"].as_u64()
}

/// After each RTO of `astart` that was not undone, slow start begins again. Returns how often it
/// did, and how often ssthresh was raised after it.
fn restarts_and_raises(lines: &[&Value]) -> (usize, usize) {
    let (mut restarts, mut raises) = (0, 0);
    for (timeout, line) in lines.iter().enumerate() {
        if loss_kind(line) != Some(u64::from(LOSS_TIMEOUT)) {
            continue;
        }
        assert_eq!(phase(line), "avoidance");
        let until_loss: Vec<_> = lines[timeout + 1..]
            .iter()
            .take_while(|line| loss_kind(line).is_none())
            .collect();
        let Some(first) = until_loss.first() else {
            continue;
        };
        if first["input"]["ack"]["cwnd_bytes"].as_u64().unwrap() >= ssthresh(line) {
            continue; // the RTO was undone
        }
        assert_eq!(phase(first), "slow-start");
        assert!(until_loss
            .iter()
            .all(|line| ["slow-start", "linear"].contains(&phase(line))));
        restarts += 1;
        raises += usize::from(
            until_loss
                .iter()
                .any(|later| ssthresh(later) > ssthresh(line)),
        );
    }
    (restarts, raises)
}

/// Recordings until one has a raise: whether the eligible rate exceeds ssthresh after an outage
/// depends on the machine.
const RECORDINGS: usize = 10;

#[test]
#[ignore = "takes long: make test-kernel"]
fn an_rto_restarts_astart_and_does_not_restart_hoe() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("outage.toml");
    write_outages(&file);
    let (mut restarts, mut raises) = (0, 0);
    for number in 0..RECORDINGS {
        let recording = dir.path().join(format!("recording-{number}.jsonl"));
        record_into(&file, &recording);
        let lines = lines(&recording);
        let connections = by_connection(&lines);
        assert_eq!(connections.len(), 2);
        for lines in connections {
            if lines[0]["startup"] == "hoe" {
                let end = lines.iter().position(|line| phase(line) == "done");
                assert_eq!(
                    end,
                    Some(lines.len() - 1),
                    "an ended start-up gets no more inputs"
                );
            } else {
                let (more_restarts, more_raises) = restarts_and_raises(&lines);
                restarts += more_restarts;
                raises += more_raises;
            }
        }
        replay(&recording, &[]).code(0).says(&[
            "2 connections",
            &format!("{} decisions: all the same", lines.len()),
        ]);
        if raises > 0 {
            break;
        }
    }
    assert!(
        restarts > 0 && raises > 0,
        "{restarts} restarts, {raises} times raised"
    );
}

#[test]
fn a_changed_recording_is_detected() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let recording = record(dir.path(), r#""paced""#);
    let good = fs::read_to_string(&recording).unwrap();
    let with_line = |number: usize, change: &dyn Fn(&str) -> String| {
        let changed: Vec<String> = good
            .lines()
            .enumerate()
            .map(|(i, line)| {
                if i + 1 == number {
                    change(line)
                } else {
                    line.to_owned()
                }
            })
            .collect();
        fs::write(&recording, changed.join("\n")).unwrap();
    };

    // A cwnd that is one byte larger.
    with_line(3, &|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        let cwnd = line["decision"]["cwnd_bytes"].as_u64().unwrap();
        line["decision"]["cwnd_bytes"] = (cwnd + 1).into();
        line.to_string()
    });
    replay(&recording, &[])
        .code(1)
        .says(&["\"line\":3", "1 difference"]);
    let differences = replay(&recording, &["--json"]).code(1).json()["differences"].clone();
    assert_eq!(differences.as_array().unwrap().len(), 1);
    let [kernel, native] =
        ["kernel", "native"].map(|side| differences[0][side]["cwnd_bytes"].as_u64().unwrap());
    assert_eq!((&differences[0]["line"], kernel), (&3.into(), native + 1));

    let place = |number: usize| format!("recording.jsonl:{number}:");
    with_line(5, &|_| "garbage".to_owned());
    replay(&recording, &[]).code(2).warns(&[
        &place(5),
        "expected a line that `onramp lab --record` wrote",
    ]);
    with_line(5, &|line| line[..line.len() / 2].to_owned());
    replay(&recording, &["--json"]).code(2).warns(&[&place(5)]);
    with_line(1, &|line| line.replace("\"paced\"", "\"pacd\""));
    replay(&recording, &[])
        .code(2)
        .warns(&[&place(1), "there is no start-up `pacd`"]);
    with_line(1, &|_| good.lines().nth(1).unwrap().to_owned());
    replay(&recording, &[])
        .code(2)
        .warns(&[&place(1), "expected the connection's start first"]);
    with_line(4, &|line| {
        let mut line: Value = serde_json::from_str(line).unwrap();
        line["input"]["ack"]["mss_bytes"] = 0.into();
        line.to_string()
    });
    replay(&recording, &[])
        .code(2)
        .warns(&[&place(4), "mss_bytes is 0"]);
}

#[test]
fn a_recording_that_is_missing_or_not_text_is_bad_input() {
    let dir = tempfile::tempdir().unwrap();
    replay(&dir.path().join("missing"), &[])
        .code(2)
        .warns(&["missing", "No such file or directory"]);
    replay(dir.path(), &[]).code(2).warns(&["Is a directory"]);
    let binary = dir.path().join("binary");
    fs::write(&binary, b"\xff\xfe\n").unwrap();
    replay(&binary, &[]).code(2).warns(&["binary"]);
}

#[test]
fn an_endless_file_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    for device in ["/dev/zero", "/dev/urandom"] {
        replay(Path::new(device), &[])
            .code(2)
            .warns(&[device, "it is a device or a socket, and may have no end"]);
    }
    // A line that does not end, from a pipe: the writer is told when nobody reads any more.
    let pipe = dir.path().join("pipe");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    let endless = std::thread::spawn({
        let pipe = pipe.clone();
        move || {
            let mut pipe = fs::File::create(pipe).unwrap();
            while std::io::Write::write_all(&mut pipe, &[b'['; 4096]).is_ok() {}
        }
    });
    replay(&pipe, &[])
        .code(2)
        .warns(&["pipe:1: ", "it has more than 65536 bytes"]);
    endless.join().unwrap();
}
