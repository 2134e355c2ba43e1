//! `onramp sim --trace`: the files, and tshark's analysis of the captures.

use crate::common::*;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const ALL: &str = "csv,pcapng,qlog,xplot";

/// Runs `onramp sim --trace` into a new directory, and returns its `traces`.
#[track_caller]
fn traced(file: &Path, formats: &str, out: &Path, more: &[&str]) -> (Ran, PathBuf) {
    let arguments = [
        OsStr::new("sim"),
        file.as_os_str(),
        "--out".as_ref(),
        out.as_os_str(),
    ];
    let arguments = arguments
        .into_iter()
        .chain(["--trace", formats].map(OsStr::new));
    let ran = onramp(arguments.chain(more.iter().map(OsStr::new))).code(0);
    (ran, out.join("traces"))
}

/// Names and contents of the files in a directory.
fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    listing(dir)
        .into_iter()
        .map(|name| (name.clone(), fs::read(dir.join(name)).unwrap()))
        .collect()
}

/// The lines of tshark for a capture, with verified checksums; `None`, with a note, without tshark.
fn tshark(capture: &Path, arguments: &[&str]) -> Option<Vec<String>> {
    let checks = [
        "-o",
        "tcp.check_checksum:TRUE",
        "-o",
        "ip.check_checksum:TRUE",
        "-r",
    ];
    match Command::new("tshark")
        .args(checks)
        .arg(capture)
        .args(arguments)
        .output()
    {
        Ok(output) => {
            assert!(output.status.success(), "{output:?}");
            Some(
                String::from_utf8(output.stdout)
                    .unwrap()
                    .lines()
                    .map(str::to_owned)
                    .collect(),
            )
        }
        Err(error) => {
            assert!(std::env::var_os("CI").is_none(), "CI has tshark: {error}");
            eprintln!("skipped: it needs tshark ({error})");
            None
        }
    }
}

/// The packets at the sender's interface. tshark treats packets with the same addresses and
/// sequence numbers as duplicates, so it must not see several interfaces at once.
fn at_sender(capture: &Path) -> Option<PathBuf> {
    let own = capture.with_extension("sender.pcapng");
    tshark(
        capture,
        &[
            "-Y",
            "frame.interface_name == \"sender\"",
            "-w",
            own.to_str().unwrap(),
        ],
    )?;
    Some(own)
}

fn frames(capture: &Path, filter: &str) -> usize {
    tshark(capture, &["-Y", filter]).unwrap().len()
}

/// The simulator's record of the only transfer.
fn retransmitted(out: &Path) -> usize {
    let results = fs::read(out.join("results.json")).unwrap();
    let results: serde_json::Value = serde_json::from_slice(&results).unwrap();
    results[0]["retransmitted_segments"].as_u64().unwrap() as usize
}

#[test]
fn tracing_changes_no_result_and_threads_change_no_file() {
    let dir = tempfile::tempdir().unwrap();
    let transfers =
        "[[transfer]]\nsize = [\"30 kB\", \"1 MB\"]\nstartup = [\"standard\", \"paced\"]\n";
    let file = scenario(
        dir.path(),
        "four",
        "queue = \"20 packets\"\nloss = \"1 %\"",
        transfers,
    );
    let [plain, one, two] = ["plain", "one", "two"].map(|name| dir.path().join(name));
    onramp([
        OsStr::new("sim"),
        file.as_os_str(),
        "--out".as_ref(),
        plain.as_os_str(),
    ])
    .code(0);
    let (ran, traces) = traced(&file, ALL, &one, &["--threads", "1"]);
    ran.says(&["Traces: 16 files, listed in ", "traces/files.json"]);
    traced(&file, ALL, &two, &["--threads", "2"]);
    assert_eq!(
        fs::read(plain.join("results.json")).unwrap(),
        fs::read(one.join("results.json")).unwrap()
    );
    assert_eq!(contents(&traces), contents(&two.join("traces")));
    let names = listing(&traces);
    for name in [
        "case-1-30kB-standard.csv",
        "case-2-30kB-paced.pcapng",
        "case-4-1MB-paced-flow-0.sqlog",
    ] {
        assert!(names.contains(name), "{name} in {names:?}");
    }
    assert!(
        !listing(&one).iter().any(|name| name.starts_with('.')),
        "nothing unfinished is left"
    );
}

#[test]
fn tshark_finds_no_problem_in_a_clean_capture() {
    let dir = tempfile::tempdir().unwrap();
    let transfer = "[[transfer]]\nsize = \"1 MB\"\nstartup = \"paced\"\n";
    let file = scenario(dir.path(), "clean", "queue = \"1000 packets\"", transfer);
    let (_, traces) = traced(&file, "pcapng", &dir.path().join("out"), &[]);
    let Some(own) = at_sender(&traces.join("case-1.pcapng")) else {
        return;
    };
    let all = frames(&own, "frame");
    assert!(all > 700, "{all}");
    assert_eq!(
        frames(
            &own,
            "ip.checksum.status == \"Good\" && tcp.checksum.status == \"Good\""
        ),
        all
    );
    assert_eq!(
        frames(&own, "tcp.analysis.flags && !tcp.analysis.window_update"),
        0
    );
    assert_eq!(
        frames(&own, "_ws.malformed || _ws.expert.severity >= \"Warning\""),
        0
    );
    // Each of the two hosts sees every packet, and each packet enters one link.
    assert_eq!(
        frames(
            &traces.join("case-1.pcapng"),
            "frame.interface_name contains \">\""
        ),
        all_sent(&traces)
    );
}

/// The number of packets that hosts sent.
fn all_sent(traces: &Path) -> usize {
    // For raw IP the direction is only in the packet's flags: 2 is outbound.
    frames(
        &traces.join("case-1.pcapng"),
        "frame.packet_flags_direction == 2",
    )
}

#[test]
fn tshark_counts_the_retransmissions_that_the_simulator_reports() {
    let dir = tempfile::tempdir().unwrap();
    let transfer = "[[transfer]]\nsize = \"3 MB\"\nstartup = \"standard\"\n";
    let path = "queue = \"1000 packets\"\nloss_every = \"300 packets\"";
    let out = dir.path().join("out");
    let (_, traces) = traced(
        &scenario(dir.path(), "lossy", path, transfer),
        "pcapng",
        &out,
        &[],
    );
    let capture = traces.join("case-1.pcapng");
    let Some(own) = at_sender(&capture) else {
        return;
    };
    let retransmitted = retransmitted(&out);
    assert!(retransmitted >= 6, "{retransmitted}");
    assert_eq!(frames(&own, "tcp.analysis.retransmission"), retransmitted);
    assert_eq!(frames(&own, "tcp.analysis.out_of_order"), 0);
    assert_eq!(
        frames(&capture, "frame.comment == \"dropped: lost at random\""),
        retransmitted
    );
}

/// If several segments of a window are lost, tshark calls some retransmissions "out of order":
/// those within the initial RTT after the last new segment that do not start at the last ACK
/// (docs/traces.md). At the sender's own interface no segment can be out of order.
#[test]
fn segments_that_tshark_calls_out_of_order_at_the_sender_are_retransmissions() {
    let dir = tempfile::tempdir().unwrap();
    let transfer = "[[transfer]]\nsize = \"3 MB\"\nstartup = \"standard\"\n";
    let out = dir.path().join("out");
    let path = "queue = \"20 packets\"";
    let (_, traces) = traced(
        &scenario(dir.path(), "burst", path, transfer),
        "pcapng",
        &out,
        &[],
    );
    let Some(own) = at_sender(&traces.join("case-1.pcapng")) else {
        return;
    };
    let retransmitted = retransmitted(&out);
    assert!(retransmitted > 0);
    assert_eq!(
        frames(
            &own,
            "tcp.analysis.retransmission || tcp.analysis.out_of_order"
        ),
        retransmitted
    );
    // The same without tshark's heuristics: data that does not extend beyond the data sent before.
    let fields = [
        "-Y",
        "tcp.srcport == 8400 && tcp.len > 0",
        "-T",
        "fields",
        "-e",
        "tcp.nxtseq",
    ];
    let ends = tshark(&own, &fields).unwrap();
    let mut sent = 0;
    let again = ends
        .iter()
        .map(|end| end.parse::<u64>().unwrap())
        .filter(|end| {
            let is_old = *end <= sent;
            sent = sent.max(*end);
            is_old
        });
    assert_eq!(again.count(), retransmitted);
}

#[test]
fn a_trace_ends_at_its_limit_with_a_note() {
    let dir = tempfile::tempdir().unwrap();
    let file = scenario(dir.path(), "long", "", "[[transfer]]\nsize = \"1 MB\"\n");
    let (ran, traces) = traced(
        &file,
        ALL,
        &dir.path().join("out"),
        &["--trace-packets", "100"],
    );
    ran.warns(&[
        "note: case-1.pcapng ends at its limit (--trace-packets 100)",
        "note: case-1.csv ends",
    ]);
    assert_eq!(
        fs::read_to_string(traces.join("case-1.csv"))
            .unwrap()
            .lines()
            .count(),
        1 + 100
    );
    assert!(fs::read_to_string(traces.join("case-1-flow-0.xpl"))
        .unwrap()
        .ends_with("not here\ngo\n"));
    if let Some(lines) = tshark(&traces.join("case-1.pcapng"), &[]) {
        assert_eq!(lines.len(), 100);
    }
}

#[test]
fn files_of_an_earlier_run_are_removed_and_other_files_stay() {
    let dir = tempfile::tempdir().unwrap();
    let two = scenario(
        dir.path(),
        "two",
        "",
        "[[transfer]]\nsize = \"10 kB\"\nstartup = [\"standard\", \"paced\"]\n",
    );
    let one = scenario(dir.path(), "one", "", "[[transfer]]\nsize = \"10 kB\"\n");
    let out = dir.path().join("out");
    let (_, traces) = traced(&two, "csv", &out, &[]);
    fs::write(traces.join("notes.csv"), "mine").unwrap();
    traced(&one, "csv", &out, &[]);
    assert_eq!(
        Vec::from_iter(listing(&traces)),
        ["0.json", "case-1.csv", "files.json", "notes.csv"]
    );
}

#[test]
fn wrong_options_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = scenario(dir.path(), "x", "", "[[transfer]]\nsize = \"10 kB\"\n");
    let file = file.to_str().unwrap();
    onramp(["sim", file, "--trace", "csv"])
        .code(2)
        .warns(&["--out"]);
    onramp(["sim", file, "--trace", "pcap", "--out", "o"])
        .code(2)
        .warns(&["pcap", "pcapng"]);
    onramp([
        "sim",
        file,
        "--trace",
        "csv",
        "--trace-packets",
        "0",
        "--out",
        "o",
    ])
    .code(2)
    .warns(&["0"]);
}
