//! `--rto-min` and `--delack-max` of `load` and `exec`.

use crate::common::*;
use std::process::Command;

const TIMERS: [&str; 4] = ["--rto-min", "20 ms", "--delack-max", "10 ms"];

/// Prints the retransmission timeouts in microseconds (`tcpi_rto`) of both ends of a connection.
const PRINT_TIMEOUTS: &str = r#"
import socket, struct
listener = socket.create_server(("127.0.0.1", 0))
connecting = socket.create_connection(listener.getsockname())
for end in (listener.accept()[0], connecting):
    print(struct.unpack_from("I", end.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104), 8)[0])
"#;

fn timeouts_us(printed: &str) -> Vec<u32> {
    let timeouts: Vec<u32> = printed.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(timeouts.len(), 2, "{printed}");
    timeouts
}

#[test]
fn exec_shortens_the_timeouts_of_its_program_alone() {
    let Some(_machine) = machine() else { return };
    let python = ["python3", "-c", PRINT_TIMEOUTS];
    let in_exec = || {
        let ran = onramp(["exec"].iter().chain(&TIMERS).chain(&["--"]).chain(&python));
        timeouts_us(&ran.code(0).stdout)
    };
    let is_short = |timeouts: &Vec<u32>| timeouts.iter().all(|us| *us < 100_000);
    let short = undisturbed(in_exec, is_short);
    assert!(is_short(&short), "{short:?}");
    let mut outside = Command::new(python[0]);
    outside.args(&python[1..]);
    let usual = timeouts_us(&run(outside).code(0).stdout);
    assert!(usual.iter().all(|us| *us >= 200_000), "{usual:?}");
}

#[test]
fn load_shows_its_timers_and_unload_removes_them() {
    let Some(_machine) = machine() else { return };
    let _undo = Loaded::new("standard", &TIMERS);
    onramp(["status"]).code(0).says(&[
        "onramp_standard times out 20 ms or more after an RTT, instead of 200 ms.",
        "onramp_standard delays ACKs by 10 ms at most.",
    ]);
    let entry = status()
        .into_iter()
        .find(|loaded| loaded["name"] == "onramp_standard")
        .unwrap();
    assert_eq!(
        (&entry["rto_min_s"], &entry["delack_max_s"]),
        (&0.02.into(), &0.01.into())
    );
    onramp(["load", "standard", "--rto-min", "20 ms"])
        .code(2)
        .warns(&["maximum of the ACK delay is 10 ms, not the kernel's"]);
    onramp(["unload", "standard"]).code(0);
    assert!(status()
        .iter()
        .all(|loaded| loaded["name"] != "onramp_standard"));
}

#[test]
fn a_timer_that_the_kernel_does_not_take_is_refused() {
    for (wrong, why) in [
        ("20", "unit"),
        ("0 ms", "0 ms is out of range: this kernel takes"),
        ("201 ms", "201 ms is out of range: this kernel takes"),
    ] {
        for option in ["--rto-min", "--delack-max"] {
            onramp(["load", option, wrong]).code(2).warns(&[why]);
        }
    }
}

#[test]
fn doctor_shows_which_timers_the_kernel_takes() {
    let checks = onramp(["doctor", "--json"]).json();
    let checks = checks.as_array().unwrap();
    let timers = checks
        .iter()
        .find(|check| check["what"] == "timers (--rto-min, --delack-max)")
        .unwrap();
    assert_eq!(timers["verdict"], "ok");
    assert_has(
        timers["found"].as_str().unwrap(),
        &["to 200 ms, in ticks of"],
    );
}
