//! `onramp sim`: the same results on every machine, without root.

use crate::common::*;

const TRANSFERS: &str =
    "[[transfer]]\nsize = [\"50 kB\", \"300 kB\"]\nstartup = [\"none\", \"paced\"]\nrepeat = 2\n";

#[test]
fn results_do_not_depend_on_the_number_of_threads_or_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let file = scenario(dir.path(), "same", "loss = \"1 %\"\n", TRANSFERS);
    let run = |threads| {
        onramp([
            "sim",
            file.to_str().unwrap(),
            "--json",
            "--threads",
            threads,
        ])
        .code(0)
    };
    let one = run("1");
    let records = one.json();
    let records = records.as_array().unwrap();
    assert_eq!(records.len(), 8);
    assert!(records
        .iter()
        .all(|record| record["host"] == "sim" && record["finished"] == true));
    assert_eq!(one.stdout, run("2").stdout);
    assert_eq!(one.stdout, run("1").stdout);
    assert!(one.stderr.is_empty(), "quiet in a pipe: {}", one.stderr);
}

#[test]
fn out_writes_a_report() {
    let dir = tempfile::tempdir().unwrap();
    let file = scenario(dir.path(), "report", "", TRANSFERS);
    let out = dir.path().join("out");
    let ran = onramp([
        "sim",
        file.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ])
    .code(0);
    ran.says(&["paced", "Report:", "report.html"]);
    assert!(listing(&out).contains("report.html") && listing(&out.join("traces")).len() >= 8);
}

#[test]
fn figures_are_files() {
    let dir = tempfile::tempdir().unwrap();
    let transfer = "[[transfer]]\nsize = \"300 kB\"\nstartup = [\"none\", \"onramp\"]\n";
    let file = scenario(dir.path(), "drawn", "", transfer);
    let figures = dir.path().join("figures");
    let [file, place] = [&file, &figures].map(|path| path.to_str().unwrap());
    let ran = onramp(["sim", file, "--figures", place]).code(0);
    ran.says(&["Figures: 7 files in "]);
    assert_eq!(
        Vec::from_iter(listing(&figures)),
        [
            "1-completion-times.svg",
            "1-congestion-window-over-time.svg",
            "1-delay-of-packets.svg",
            "1-queue-of-the-link-sender-receiver-over-time.svg",
            "1-rates-over-time.svg",
            "1-sequence-over-time.svg",
            "1-start-up-events.svg",
        ]
    );
    for name in listing(&figures) {
        let text = std::fs::read_to_string(figures.join(&name)).unwrap();
        roxmltree::Document::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn a_report_of_many_cases_has_traces_only_where_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    let report = |repeats: u32, option: Option<&str>| {
        let transfer = format!("[[transfer]]\nsize = \"10 kB\"\nrepeat = {repeats}\n");
        let file = scenario(dir.path(), "many", "", &transfer);
        let out = dir
            .path()
            .join(format!("{repeats}{}", option.unwrap_or_default()));
        let arguments = [
            "sim",
            file.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
        ];
        let ran = onramp(arguments.into_iter().chain(option)).code(0);
        let traces = out.join("traces");
        (
            if traces.exists() {
                listing(&traces).len()
            } else {
                0
            },
            ran,
        )
    };
    let (traces, ran) = report(51, None);
    assert_eq!(traces, 0);
    ran.warns(&["no traces", "51 cases are more than 50", "--all-traces"]);
    for (repeats, option, expected) in [
        (51, Some("--all-traces"), 51),
        (50, None, 50),
        (50, Some("--no-traces"), 0),
    ] {
        let (traces, ran) = report(repeats, option);
        assert_eq!(
            (traces, ran.stderr.as_str()),
            (expected, ""),
            "{repeats} {option:?}"
        );
    }
}

#[test]
fn every_avoidance_runs_in_the_simulator() {
    let dir = tempfile::tempdir().unwrap();
    let names = [
        "cubic", "bbr", "bbr3", "reno", "vegas", "westwood", "pipe", "dctcp", "prague",
    ];
    let transfers = format!("[[transfer]]\nsize = \"50 kB\"\navoidance = {names:?}\n");
    let file = scenario(dir.path(), "each", "", &transfers);
    let ran = onramp(["sim", file.to_str().unwrap(), "--json"]).code(0);
    assert_eq!(ran.json().as_array().unwrap().len(), names.len());
}

/// Keys, certificates and connection IDs are random, sizes and times are not.
#[test]
fn quic_gives_the_same_results_in_every_process() {
    let file = format!("{}/../../scenarios/quic.toml", env!("CARGO_MANIFEST_DIR"));
    let json = || onramp(["sim", &file, "--json"]).code(0).stdout;
    assert_eq!(json(), json());
}

#[test]
fn packet_traces_of_quic_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = scenario(
        dir.path(),
        "quic",
        "",
        "[[transfer]]\nsize = \"1 B\"\ntransport = \"quic\"\n",
    );
    let out = dir.path().join("out");
    let arguments = [
        "sim",
        file.to_str().unwrap(),
        "--trace",
        "pcapng",
        "--out",
        out.to_str().unwrap(),
    ];
    let ran = onramp(arguments).code(2);
    ran.warns(&["`transfer.transport`", "--trace", "leave it out"]);
}

/// Whole tables, so that every change is seen. They were recorded with a release build. A debug
/// build prints the same, so that no result depends on the build.
#[test]
fn the_scenarios_results() {
    for name in [
        "demo",
        "geo-50",
        "long-100",
        "short-10",
        "asymmetric",
        "ack-thinning",
        "rival",
        "lossy",
        "wifi",
        "background",
        "double-slow-start",
        "toolbox",
        "astart",
        "quic",
    ] {
        let file = format!("{}/../../scenarios/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        let ran = onramp(["sim", &file, "--skip-missing"]).code(0);
        insta::assert_snapshot!(name, ran.stdout);
    }
}
