//! `load`, `unload`, `status`, `ss`, `list` and `doctor`: their output as text and as JSON, and
//! their exit codes.

use crate::common::process::{Asking, Background, ANSWERING};
use crate::common::*;
use serde_json::Value;

const LOADED_KEYS: [&str; 20] = [
    "avoidance",
    "connections",
    "default_in",
    "delack_max_s",
    "initial_bytes_per_s",
    "initial_rate_is_learned",
    "initial_rate_prefixes",
    "memory",
    "memory_lifetime_s",
    "name",
    "other_references",
    "owner_pid",
    "packet_pairs",
    "paper_initial_window",
    "references",
    "registered",
    "restricted",
    "rto_min_s",
    "service",
    "startup",
];

/// What `status` shows of a start-up that `load` registered, beside what `load` printed.
const COUNTED_KEYS: [&str; 2] = ["governor", "totals"];

/// The entry of a start-up that `load` registered, without its totals.
fn loaded_entry(name: &str) -> Option<Value> {
    let mut entry = counted_entry(name)?;
    for key in COUNTED_KEYS {
        entry
            .as_object_mut()
            .unwrap()
            .remove(key)
            .expect("status counts");
    }
    Some(entry)
}

/// The same, with its totals.
fn counted_entry(name: &str) -> Option<Value> {
    status()
        .into_iter()
        .find(|loaded| loaded["name"] == name && loaded["owner_pid"].is_null())
}

#[test]
fn status_and_ss_show_totals_and_the_governor() {
    let Some(_machine) = machine() else { return };
    let _undo = Loaded::new("standard", &["--governor", "10 %"]);
    let entry = counted_entry("onramp_standard").expect("status shows it");
    insta::assert_snapshot!(keys(&entry["totals"]).join(" "), @"delivered_bytes estimates \
        events_lost exits governed live paced_flights_lost retransmitted_segments sent_segments \
        started startup_retransmitted_segments startup_sent_segments startup_time_s startup_times");
    insta::assert_snapshot!(keys(&entry["governor"]).join(" "), @"average bound destinations holds \
        startups");
    assert_eq!(entry["governor"]["bound"], 0.1);
    assert_eq!(entry["governor"]["holds"], false);
    let summary = onramp(["ss", "--summary", "--json"]).code(0).json();
    assert!(summary.as_array().unwrap().contains(&entry), "{summary}");
    let line = "onramp_standard: 0 connections so far, 0 controlled now";
    onramp(["status"]).code(0).says(&["GOVERNOR", "10 %", line]);
    onramp(["ss"]).code(0).says(&[line]);
    onramp(["ss", "-s"])
        .code(0)
        .says(&[line, "governor: bound 10 %"]);
    for (wrong, why) in [("0 %", "above 0 %"), ("maybe", "expected on, off")] {
        onramp(["load", "--governor", wrong]).code(2).warns(&[why]);
    }
}

#[test]
fn a_governor_that_is_off_does_not_exist() {
    let Some(_machine) = machine() else { return };
    let _undo = Loaded::new("standard", &["--governor", "off"]);
    let entry = counted_entry("onramp_standard").expect("status shows it");
    assert_eq!(entry["governor"], Value::Null);
}

#[test]
fn load_and_unload_as_text() {
    let Some(_machine) = machine() else { return };
    wait_until_free("onramp");
    let undo = Loaded("onramp");
    let cubic = ["load", "--avoidance", "cubic"];
    onramp(cubic)
        .code(0)
        .says(&["onramp is registered: onramp, then cubic.", "onramp exec"]);
    let table = onramp(["status"]).code(0).stdout;
    assert!(table.starts_with("NAME"), "{table}");
    let row = table
        .lines()
        .find(|line| line.starts_with("onramp ") && line.ends_with("onramp unload"));
    let row = row.expect("a row");
    for cell in ["onramp", "cubic", "host"] {
        assert!(row.contains(cell), "{row}");
    }
    assert!(onramp_kernel::registered_names()
        .unwrap()
        .iter()
        .any(|name| name == "onramp"));
    // Without --avoidance the registered one is meant.
    for again in [&cubic[..], &["load"]] {
        onramp(again)
            .code(0)
            .says(&["onramp is registered already, with these options"]);
    }
    let other = ["--avoidance", "reno", "--memory", "careful", "--restricted"];
    onramp(["load"].iter().chain(&other)).code(2).warns(&[
        "`onramp` is registered already, with other options",
        "avoidance is cubic, not reno",
        "memory is off, not careful",
        "restricted is off, not on",
        "onramp unload onramp",
    ]);
    onramp(["unload", "onramp"])
        .code(0)
        .says(&["onramp is no longer registered."]);
    assert!(!onramp_kernel::registered_names()
        .unwrap()
        .iter()
        .any(|name| name == "onramp"));
    onramp(["unload", "onramp"])
        .code(2)
        .warns(&["`onramp` is not loaded"]);
    onramp(["unload"]).code(0).says(&["Nothing is loaded."]);
    drop(undo);
}

#[test]
fn load_and_unload_as_json() {
    let Some(_machine) = machine() else { return };
    wait_until_free("onramp_standard");
    let undo = Loaded("standard");
    let arguments = [
        "load",
        "standard",
        "--avoidance",
        "reno",
        "--initial-window",
        "paper",
        "--json",
    ];
    let loaded = onramp(arguments).code(0).json();
    assert_eq!(keys(&loaded), LOADED_KEYS);
    assert_eq!(
        loaded_entry("onramp_standard").expect("status shows it"),
        loaded
    );
    assert_eq!(loaded["startup"], "standard");
    assert_eq!(loaded["avoidance"], "reno");
    assert_eq!(
        (&loaded["paper_initial_window"], &loaded["registered"]),
        (&true.into(), &true.into())
    );
    assert_eq!(loaded["connections"], 0);
    onramp(["status"]).code(0).says(&["paper"]);

    let again = onramp(["load", "standard", "--initial-window", "paper", "--json"]);
    assert_eq!(again.code(0).json(), loaded);
    let error = onramp(["load", "standard", "--json"]).code(2).json_error();
    assert_eq!(error["exit_code"], 2);
    assert!(
        error["error"]
            .as_str()
            .unwrap()
            .contains("registered already"),
        "{error}"
    );
    // `unload` accepts the name of the congestion control as well as that of the start-up.
    let unloaded = onramp(["unload", "onramp_standard", "--json"])
        .code(0)
        .json();
    let [unloaded] = unloaded.as_array().unwrap().as_slice() else {
        panic!("one was unloaded: {unloaded}");
    };
    for key in keys(unloaded)
        .iter()
        .filter(|key| LOADED_KEYS.contains(key))
    {
        assert_eq!(unloaded[key], loaded[key], "{key}");
    }
    assert_eq!(unloaded["restored_defaults"], Value::Array(Vec::new()));
    assert_eq!(unloaded["moved"], Value::Null);
    assert_eq!(unloaded["references_left"], 0);
    assert!(loaded_entry("onramp_standard").is_none());
    let error = onramp(["unload", "standard", "--json"])
        .code(2)
        .json_error();
    assert!(
        error["error"].as_str().unwrap().contains("not loaded"),
        "{error}"
    );
    assert_eq!(
        onramp(["unload", "--json"]).code(0).json(),
        Value::Array(Vec::new())
    );
    drop(undo);
}

#[test]
fn unload_without_a_name_asks_for_one_unless_it_is_clear() {
    let Some(_machine) = machine() else { return };
    let exec = Background::onramp([
        "exec",
        "--avoidance",
        "reno",
        "--",
        "python3",
        "-c",
        ANSWERING,
    ]);
    exec.first_line();
    let of_exec = registered_by(exec.pid()).pop().unwrap();
    let message = onramp(["unload", &of_exec]).code(2).stderr;
    assert!(
        message.contains(&format!("`{of_exec}` belongs to process {}", exec.pid())),
        "{message}"
    );
    let _standard = Loaded::new("standard", &[]);
    let of_process = format!("{of_exec} (of process {})", exec.pid());
    onramp(["unload"])
        .code(2)
        .warns(&["which start-up?", "onramp_standard", &of_process, "--all"]);
    let _paced = Loaded::new("paced", &[]);
    onramp(["unload", "--all"]).code(0).says(&[
        "onramp_standard is no longer registered.",
        "onramp_paced is no longer registered.",
    ]);
    assert_eq!(registered_by(exec.pid()), [of_exec]);
    exec.signal(nix::sys::signal::Signal::SIGTERM);
    exec.wait().code(143);
    let _alone = Loaded::new("paced", &[]);
    onramp(["unload"])
        .code(0)
        .says(&["onramp_paced is no longer registered."]);
}

#[test]
fn exec_uses_what_load_registered_with_the_same_options() {
    let Some(_machine) = machine() else { return };
    let _loaded = Loaded::new("onramp", &[]);
    let others: [&[&str]; 4] = [
        &["--avoidance", "reno"],
        &["--events"],
        &["--memory", "careful"],
        &["--packet-pairs"],
    ];
    for (arguments, is_loaded) in
        std::iter::once((&[][..], true)).chain(others.map(|other| (other, false)))
    {
        let program = ["--", "python3", "-c", ANSWERING];
        let exec = Background::onramp(["exec"].iter().chain(arguments).chain(&program));
        let line = exec.first_line();
        let mut asking = Asking::connect(line.split_once(' ').unwrap().1.parse().unwrap());
        let name = asking.congestion_control();
        assert_eq!(name == "onramp", is_loaded, "{arguments:?}: {name}");
        assert_eq!(
            registered_by(exec.pid()).is_empty(),
            is_loaded,
            "{arguments:?}"
        );
        assert_eq!(
            loaded_entry("onramp").unwrap()["connections"],
            usize::from(is_loaded)
        );
        onramp(["ss"]).code(0).says(&["ESTAB", &name]);
        exec.signal(nix::sys::signal::Signal::SIGTERM);
        exec.wait().code(143);
    }
    assert_eq!(
        loaded_entry("onramp").unwrap()["registered"],
        true,
        "it stays registered until it is unloaded"
    );
}

#[test]
fn packet_pairs_are_refused_for_start_ups_that_do_not_send_them() {
    let senders: Vec<&str> = onramp_core::startup_names()
        .iter()
        .copied()
        .filter(|name| onramp_core::sends_pairs(name))
        .collect();
    let message = format!(
        "start-up paced sends no packet pairs; these do: {}",
        senders.join(", ")
    );
    for command in [
        &["load", "paced", "--packet-pairs"][..],
        &["exec", "--startup", "paced", "--packet-pairs", "--", "true"],
    ] {
        onramp(command).code(2).warns(&[&message]);
    }
}

#[test]
fn ss_shows_each_connection() {
    let Some(_machine) = machine() else { return };
    let exec = Background::onramp(["exec", "--", "python3", "-c", ANSWERING]);
    let port = exec.first_line().split_once(' ').unwrap().1.to_owned();
    let mut asking = Asking::connect(port.parse().unwrap());
    let name = asking.congestion_control();
    let local = format!("127.0.0.1:{port}");
    let all = connections();
    let connection = all
        .iter()
        .find(|connection| connection["local"] == local)
        .expect("it is there");
    insta::assert_snapshot!(keys(connection).join(" "), @"acked_bytes age_s congestion_control \
        controlled_by cwnd_bytes estimate_bytes_per_s exit_cwnd_bytes exit_reason exit_time_s \
        handed_over_time_s local network_namespace pacing_bytes_per_s pairs phase remote \
        retransmitted_segments srtt_s ssthresh_bytes state");
    assert_eq!(connection["congestion_control"], name);
    assert_eq!(connection["state"], "ESTAB");
    assert_eq!(connection["acked_bytes"], name.len() + 1);
    let table = onramp(["ss"]).code(0).stdout;
    let heading: Vec<&str> = table.lines().next().unwrap().split_whitespace().collect();
    // Another connection of this machine may have packet pairs, which adds a column.
    insta::assert_snapshot!(heading[..13].join(" "), @"STATE LOCAL REMOTE CONTROL PHASE EXIT AT \
        ESTIMATE PACING CWND SSTHRESH SRTT RETRANS");
    assert!(
        table
            .lines()
            .any(|line| line.starts_with("ESTAB") && line.contains(&local)),
        "{table}"
    );
    exec.signal(nix::sys::signal::Signal::SIGTERM);
    exec.wait().code(143);
}

#[test]
fn list_shows_every_start_up_and_every_avoidance() {
    let list = onramp(["list", "--json"]).code(0).json();
    assert_eq!(keys(&list), ["avoidances", "startups"]);
    let startups = list["startups"].as_array().unwrap();
    let text = onramp(["list"]).code(0).stdout;
    for &name in onramp_core::startup_names() {
        let startup = startups
            .iter()
            .find(|startup| startup["name"] == name)
            .expect("there is one");
        assert_eq!(keys(startup), ["congestion_control", "name", "summary"]);
        let row = text
            .lines()
            .find(|line| line.starts_with(name))
            .expect("a row");
        assert!(
            row.contains(&onramp_core::congestion_control(name))
                && row.contains(startup["summary"].as_str().unwrap()),
            "{row}"
        );
    }
    let avoidances: Vec<_> = list["avoidances"].as_array().unwrap().iter().collect();
    let names: Vec<_> = avoidances
        .iter()
        .map(|avoidance| &avoidance["name"])
        .collect();
    assert_eq!(
        names,
        ["cubic", "bbr", "bbr3", "reno", "vegas", "westwood", "pipe", "dctcp", "prague"]
    );
    for avoidance in avoidances {
        assert_eq!(
            keys(avoidance),
            ["in_the_simulator", "in_this_kernel", "name"]
        );
        assert_eq!(avoidance["in_the_simulator"], true, "{avoidance}");
    }
}

#[test]
fn doctor_exits_with_3_exactly_if_something_is_missing() {
    let text = onramp(["doctor"]);
    let json = onramp(["doctor", "--json"]);
    assert_eq!(text.code, json.code);
    let checks = json.json();
    let checks = checks.as_array().unwrap();
    for check in checks {
        assert_eq!(keys(check), ["found", "mend", "verdict", "what"]);
        let verdict = check["verdict"].as_str().unwrap();
        assert!(["ok", "advice", "lacks"].contains(&verdict), "{check}");
        assert_eq!(
            check["mend"].is_null(),
            verdict == "ok",
            "a problem has a remedy: {check}"
        );
        let what = check["what"].as_str().unwrap();
        assert!(
            text.stdout.lines().any(|line| line.contains(what)),
            "{what}"
        );
    }
    let lacks = checks.iter().any(|check| check["verdict"] == "lacks");
    assert_eq!(text.code, Some(if lacks { 3 } else { 0 }));
    if let Some(_machine) = machine() {
        text.code(0); // otherwise the other tests could not run
    }
}

#[test]
fn doctor_and_status_show_the_initial_rate() {
    let Some(_machine) = machine() else { return };
    let found = || {
        let checks = onramp(["doctor", "--json"]).json();
        let mut checks = checks.as_array().unwrap().iter();
        let check = checks.find(|check| check["what"] == "initial rate");
        let check = check.expect("root may look");
        assert_eq!(check["verdict"], "ok");
        check["found"].as_str().unwrap().to_owned()
    };
    for (choice, shown) in [
        ("auto", "auto (now 5.02 Mbit/s)"),
        ("10 Mbit/s", "fixed (10.0 Mbit/s)"),
        ("off", "off"),
    ] {
        let _loaded = Loaded::new("onramp", &["--initial-rate", choice]);
        assert_has(&found(), &[&format!("onramp {shown}")]);
        onramp(["status"]).code(0).says(&[shown]);
    }
    let found = found();
    assert!(!found.contains("onramp off"), "it is unloaded: {found}");
}

#[test]
fn a_wrong_command_line_is_bad_input() {
    for arguments in [
        &[][..],
        &["lod"],
        &["load", "--avoidance", "vegas"],
        &["lab"],
        &["status", "--colour"],
    ] {
        let ran = onramp(arguments).code(2);
        assert!(
            ran.stdout.is_empty() && !ran.stderr.is_empty(),
            "{arguments:?}: {ran:#?}"
        );
    }
    onramp(["--help"]).code(0).says(&["Exit codes:", "replay"]);
    onramp(["--version"])
        .code(0)
        .says(&[env!("CARGO_PKG_VERSION")]);
}

#[test]
fn a_standard_output_that_cannot_be_written_is_reported() {
    let mut list = command(["list"]);
    list.stdout(
        std::fs::OpenOptions::new()
            .write(true)
            .open("/dev/full")
            .unwrap(),
    );
    let output = list.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(
        error.starts_with("onramp: cannot write to standard output: No space left"),
        "{error}"
    );
}

#[test]
fn with_json_a_wrong_command_line_is_reported_as_json() {
    let error = onramp(["exec", "--json", "--startup", "pace", "--", "true"])
        .code(2)
        .json_error();
    assert!(
        error["error"]
            .as_str()
            .unwrap()
            .contains("invalid value 'pace'"),
        "{error}"
    );
    let error = onramp(["--json", "sim"]).code(2).json_error();
    assert_eq!(
        error["error"],
        "the following required arguments were not provided: <FILE>..."
    );
}

#[test]
fn metrics_without_a_service_are_those_of_registrations() {
    let Some(_machine) = machine() else { return };
    let _loaded = Loaded::new("paced", &[]);
    let metrics = ["metrics", "--socket", "/nowhere/onramp.sock"];
    let text = onramp(metrics).code(0).stdout;
    let labels = "{congestion_control=\"onramp_paced\"";
    for sample in [
        format!("onramp_registration_info{labels},startup=\"paced\",avoidance=\"cubic\"}} 1\n"),
        format!("onramp_registration_connections_total{labels}}} 0\n"),
    ] {
        assert!(text.contains(&sample), "{text}");
    }
    assert!(text.ends_with("# EOF\n"), "{text}");
    let older = onramp([&metrics[..], &["--format", "prometheus"]].concat())
        .code(0)
        .stdout;
    assert!(
        older.contains("# TYPE onramp_registration_connections_total counter\n"),
        "{older}"
    );
}
