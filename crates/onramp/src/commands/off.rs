//! `onramp off`: ends everything of Onramp on this host, and shows that nothing is left.

use super::serve::restored;
use super::unload::explain;
use crate::cli::OffArguments;
use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use onramp_cli::failure::{DONE, MISSED};
use onramp_cli::text::say;
use onramp_cli::{print_json, Answer};
use onramp_kernel::{policy, probe};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The unit of the packages.
const UNIT: &str = "onramp.service";

/// How long a service may take to stop before it is killed. It usually takes a tenth of a second.
const STOP_WITHIN: Duration = Duration::from_secs(5);

pub fn run(arguments: &OffArguments, json: bool) -> Answer {
    probe::check_permission()?;
    let mut said = Vec::new();
    let is_enabled = end_unit(&mut said);
    end_process(&arguments.pins, &mut said);
    let off = onramp_kernel::off(&arguments.pins)?;
    if is_enabled {
        said.push(format!(
            "{UNIT} is enabled: it starts again at the next boot. To prevent that, run: systemctl \
             disable {UNIT}"
        ));
    }
    let code = match off.left.is_empty() {
        true => DONE,
        false => MISSED,
    };
    if json {
        print_json(&serde_json::json!({
            "service": said,
            "detached": off.detached,
            "restored_defaults": off.restored_defaults,
            "unloaded": off.unloaded,
            "left": off.left,
        }));
        return Ok(code);
    }
    said.iter().for_each(|sentence| say!("{sentence}."));
    for default in &off.restored_defaults {
        say!("{}.", restored(default));
    }
    off.unloaded.iter().for_each(explain);
    if off.left.is_empty() {
        say!("Nothing of Onramp is left in this kernel: no start-up, no program, no pin.");
    }
    for left in &off.left {
        eprintln!("onramp: still there: {left}");
    }
    Ok(code)
}

/// Asks systemd to stop the service. Returns whether it starts again at the next boot.
fn end_unit(said: &mut Vec<String>) -> bool {
    if unit_runs() {
        systemctl(&["stop", "--no-block", UNIT]);
        if is_over(|| !unit_runs()) {
            said.push(format!("systemd has stopped {UNIT}"));
        } else {
            systemctl(&["kill", "--signal=SIGKILL", UNIT]);
            is_over(|| !unit_runs());
            said.push(format!("{UNIT} did not stop in time, and was killed"));
        }
    }
    property("UnitFileState") == "enabled"
}

fn unit_runs() -> bool {
    // Also between its attempts to start again
    !["", "inactive", "failed"].contains(&property("ActiveState").as_str())
}

/// A property of the unit; empty where systemd does not run or does not know the unit.
fn property(name: &str) -> String {
    systemctl(&["show", "--value", "--property", name, UNIT])
}

fn systemctl(arguments: &[&str]) -> String {
    let output = Command::new("systemctl").args(arguments).output();
    output.map_or(String::new(), |output| {
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    })
}

/// Ends a service that systemd did not start.
fn end_process(pins: &Path, said: &mut Vec<String>) {
    let Some(pid) = policy::service_pid(pins) else {
        return;
    };
    let process = Pid::from_raw(pid as i32);
    let ends = |signal| {
        let _ = kill(process, signal); // it may have ended
        is_over(|| policy::service_pid(pins) != Some(pid))
    };
    if ends(Signal::SIGTERM) {
        said.push(format!("Process {pid}, the service, has stopped"));
    } else {
        ends(Signal::SIGKILL);
        said.push(format!(
            "Process {pid}, the service, did not stop in time, and was killed"
        ));
    }
}

/// Waits until something is over, at most [`STOP_WITHIN`].
fn is_over(is_over: impl Fn() -> bool) -> bool {
    let deadline = Instant::now() + STOP_WITHIN;
    while !is_over() {
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}
