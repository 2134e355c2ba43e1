//! `onramp off`: ends everything of Onramp on this host, and shows that nothing is left.

use super::unload::explain;
use crate::cli::OffArguments;
use nix::sys::signal::{kill, Signal};
use nix::unistd::Pid;
use onramp_cli::failure::{DONE, MISSED};
use onramp_cli::text::say;
use onramp_cli::{print_json, Answer};
use onramp_kernel::{ends_within, policy, probe};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The unit of the packages.
const UNIT: &str = "onramp.service";

/// How long a service may take to stop before it is killed. What it leaves is ended here, so that
/// it loses nothing but its last line in the journal.
const STOP_WITHIN: Duration = Duration::from_millis(400);
// All of `off` is to take a second.
const _: () = assert!(STOP_WITHIN.as_millis() < 500);

/// How long the kernel may take to end a killed process that waits for a device, say.
const KILL_WITHIN: Duration = Duration::from_secs(5);

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
            "unloaded": off.unloaded,
            "walks": off.walks,
            "left": off.left,
        }));
        return Ok(code);
    }
    said.iter().for_each(|sentence| say!("{sentence}."));
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
    let shown = ["show", "--property=ActiveState,UnitFileState", UNIT];
    let shown = Command::new("systemctl").args(shown).output();
    // Nothing where systemd does not run, or does not know the unit
    let shown = shown.map_or(String::new(), |output| {
        String::from_utf8_lossy(&output.stdout).into_owned()
    });
    let has = |line: &str| shown.lines().any(|other| other == line);
    // Also between its attempts to start again
    let runs = shown.contains("ActiveState=")
        && !has("ActiveState=inactive")
        && !has("ActiveState=failed");
    if runs {
        said.push(stop_unit());
    }
    has("UnitFileState=enabled")
}

/// Stops the unit, or kills it. Returns what happened.
fn stop_unit() -> String {
    let mut stopping = match Command::new("systemctl").args(["stop", UNIT]).spawn() {
        Ok(child) => child,
        Err(error) => return format!("cannot run systemctl stop {UNIT}: {error}"),
    };
    if ends_within(stopping.id(), STOP_WITHIN) {
        let stopped = stopping.wait().is_ok_and(|status| status.success());
        return match stopped {
            true => format!("systemd has stopped {UNIT}"),
            false => format!("systemd could not stop {UNIT}"),
        };
    }
    let kill = ["kill", "--signal=SIGKILL", UNIT];
    let _ = Command::new("systemctl").args(kill).output(); // it may have ended
    ends_within(stopping.id(), KILL_WITHIN);
    let _ = stopping.kill(); // it may have ended
    let _ = stopping.wait(); // it has ended
    format!("{UNIT} did not stop in time, and was killed")
}

/// Ends a service that systemd did not start.
fn end_process(pins: &Path, said: &mut Vec<String>) {
    let Some(pid) = policy::service_pid(pins) else {
        return;
    };
    let ends = |signal, at_most| {
        let _ = kill(Pid::from_raw(pid as i32), signal); // it may have ended
        ends_within(pid, at_most)
    };
    if ends(Signal::SIGTERM, STOP_WITHIN) {
        said.push(format!("Process {pid}, the service, has stopped"));
    } else {
        ends(Signal::SIGKILL, KILL_WITHIN);
        said.push(format!(
            "Process {pid}, the service, did not stop in time, and was killed"
        ));
    }
}
