//! `onramp doctor`: checks of this host. Each problem comes with its remedy.

mod network;
mod receiver;

use super::status::initial_rate;
use crate::cli::DoctorArguments;
use onramp_cli::failure::{DONE, HOST_LACKS};
use onramp_cli::tasks::ONRAMP_STUDY;
use onramp_cli::text;
use onramp_cli::text::say;
use onramp_cli::{print_json, Answer};
use onramp_config::units::format_time;
use onramp_kernel::{probe, Avoidance, Loaded, Timer};
use serde::Serialize;
use std::fs;
use std::path::PathBuf;
use std::time::Duration;

/// The result of a check.
#[derive(Serialize)]
struct Check {
    what: &'static str,
    verdict: Verdict,
    found: String,
    /// The command that solves the problem, or why the problem matters; null if there is none.
    mend: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Ok,
    /// Onramp works, but not as well as it could.
    Advice,
    /// A part of Onramp does not work.
    Lacks,
}

pub fn run(arguments: &DoctorArguments, json: bool) -> Answer {
    let checks = match arguments.receiver {
        true => receiver::checks(),
        false => checks(),
    };
    let code = if checks.iter().any(|check| check.verdict == Verdict::Lacks) {
        HOST_LACKS
    } else {
        DONE
    };
    if json {
        print_json(&checks);
        return Ok(code);
    }
    let rows: Vec<Vec<String>> = checks
        .iter()
        .map(|check| {
            let verdict = match check.verdict {
                Verdict::Ok => "ok",
                Verdict::Advice => "advice",
                Verdict::Lacks => "LACKS",
            };
            vec![
                verdict.to_owned(),
                check.what.to_owned(),
                check.found.clone(),
            ]
        })
        .collect();
    for (line, check) in text::columns(&rows).lines().zip(&checks) {
        say!("{line}");
        if let Some(mend) = &check.mend {
            say!("        -> {mend}");
        }
    }
    Ok(code)
}

fn checks() -> Vec<Check> {
    let mut checks = vec![kernel(), permission()];
    let btf = probe::kernel_btf();
    checks.push(verdict(
        "type information (BTF)",
        btf.as_ref().map(|_| probe::KERNEL_BTF.to_owned()),
    ));
    if let Ok(btf) = &btf {
        let form = probe::control_form(btf).map(|form| match form {
            probe::ControlForm::V1 => "cong_control as before Linux 6.10".to_owned(),
            probe::ControlForm::V2 => "cong_control as since Linux 6.10".to_owned(),
            probe::ControlForm::V3 => "with cwnd_event_tx_start, as in Linux 7.3".to_owned(),
        });
        checks.push(verdict(
            "congestion controls in BPF",
            form.as_ref().map(String::clone),
        ));
        checks.push(links(probe::has_struct_ops_links(btf)));
        checks.extend(
            Avoidance::ALL
                .iter()
                .map(|&avoidance| has_avoidance(btf, avoidance)),
        );
    }
    checks.push(allowed());
    checks.extend(others());
    // Reading them needs root. Without it, the check `permission` has said so.
    let registered = onramp_kernel::registered();
    checks.extend(registered.iter().map(|all| initial_rates(all)));
    checks.push(jit());
    checks.push(verdict(
        "cgroup v2 (exec)",
        onramp_kernel::cgroup2_mount().map(cgroup),
    ));
    checks.push(timers());
    checks.push(lab());
    checks.push(processors());
    checks.push(buffer("send buffer", "net.ipv4.tcp_wmem", "a sender"));
    checks.push(buffer("receive buffer", "net.ipv4.tcp_rmem", "a receiver"));
    checks.extend(
        [
            "net.ipv4.tcp_window_scaling",
            "net.ipv4.tcp_timestamps",
            "net.ipv4.tcp_sack",
        ]
        .map(switch),
    );
    checks.extend(network::checks());
    checks
}

/// The check of a result. The message of an error says what is missing and what to do.
fn verdict<E: ToString>(what: &'static str, result: Result<String, E>) -> Check {
    match result {
        Ok(found) => Check {
            what,
            verdict: Verdict::Ok,
            found,
            mend: None,
        },
        Err(error) => Check {
            what,
            verdict: Verdict::Lacks,
            found: "no".to_owned(),
            mend: Some(error.to_string()),
        },
    }
}

/// A check that is right, or gives advice.
fn check(what: &'static str, found: String, mend: Option<String>) -> Check {
    let verdict = match mend {
        None => Verdict::Ok,
        Some(_) => Verdict::Advice,
    };
    Check {
        what,
        verdict,
        found,
        mend,
    }
}

/// The hosts of the lab, which `onramp-study` can make or not.
fn lab() -> Check {
    let what = "namespaces and TUN (lab)";
    let Ok(output) = crate::study::program()
        .args(["preflight", "--json"])
        .output()
    else {
        return check(what, format!("{ONRAMP_STUDY} is not installed"), None);
    };
    let error: Option<serde_json::Value> = serde_json::from_slice(&output.stderr).ok();
    let error = error.and_then(|error| Some(error["error"].as_str()?.to_owned()));
    verdict(
        what,
        match (output.status.success(), error) {
            (true, _) => Ok("work".to_owned()),
            (false, Some(error)) => Err(error),
            (false, None) => Err(format!("{ONRAMP_STUDY} preflight: {}", output.status)),
        },
    )
}

fn kernel() -> Check {
    let release = probe::kernel_release();
    let mut numbers = release
        .split(['.', '-'])
        .map(|part| part.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let is_new_enough = version >= (6, 1);
    Check {
        what: "kernel",
        verdict: if is_new_enough {
            Verdict::Ok
        } else {
            Verdict::Lacks
        },
        found: release,
        mend: (!is_new_enough)
            .then(|| "Onramp needs Linux 6.1 or later: boot a newer kernel".to_owned()),
    }
}

fn permission() -> Check {
    verdict(
        "permission",
        probe::check_permission().map(|()| "CAP_BPF and CAP_NET_ADMIN".to_owned()),
    )
}

/// Who may choose which congestion control.
fn allowed() -> Check {
    let what = "net.ipv4.tcp_allowed_congestion_control";
    let allowed = match onramp_kernel::allowed_names() {
        Ok(allowed) => allowed,
        Err(error) => return verdict(what, Err(error)),
    };
    // Without the permission nothing is known to be loaded; that has its own check.
    let loaded = onramp_kernel::loaded().unwrap_or_default();
    let names: Vec<String> = loaded
        .into_iter()
        .filter(|loaded| loaded.registered && !allowed.contains(&loaded.name))
        .map(|loaded| loaded.name)
        .collect();
    let found = allowed.join(" ");
    let mend = (!names.is_empty()).then(|| {
        let names = names.join(" ");
        format!(
            "only programs with CAP_NET_ADMIN may choose {names}; if every program may, load \
             without --restricted, or run sysctl -w {what}=\"{found} {names}\""
        )
    });
    check(what, found, mend)
}

/// Programs of others that choose the congestion control of sockets too. `None` if this process may
/// not look.
fn others() -> Option<Check> {
    let others = onramp_kernel::other_programs().ok()?;
    let mend = (!others.is_empty()).then(|| {
        "these BPF programs of others (bpftune, for example) may choose or replace the congestion \
         control of a socket after a program did: if `onramp ss` misses connections, look at them \
         with bpftool prog show and stop their service"
            .to_owned()
    });
    let found = list(others.iter().map(ToString::to_string));
    Some(check("other programs that choose", found, mend))
}

/// How fast segments leave behind the initial window, before any ACK.
fn initial_rates(registered: &[Loaded]) -> Check {
    let rates = registered
        .iter()
        .map(|loaded| format!("{} {}", loaded.name, initial_rate(loaded)));
    let found = match registered.is_empty() {
        true => "no start-up is loaded".to_owned(),
        false => list(rates),
    };
    check("initial rate", found, None)
}

/// Joins what was found, at most this many.
fn list(found: impl IntoIterator<Item = String>) -> String {
    const MOST: usize = 6;
    let mut found: Vec<String> = found.into_iter().collect();
    let more = found.len().saturating_sub(MOST);
    found.truncate(MOST);
    match (found.is_empty(), more) {
        (true, _) => return "none".to_owned(),
        (false, 0) => {}
        (false, more) => found.push(format!("{more} more")),
    }
    found.join(", ")
}

fn links(has_links: bool) -> Check {
    let found = if has_links { "yes" } else { "no (Linux 6.4)" };
    let mend = (!has_links).then(|| {
        "a start-up of a killed `exec` or `lab` stays registered until the next onramp command"
            .to_owned()
    });
    check("BPF links for them", found.to_owned(), mend)
}

fn has_avoidance(btf: &probe::Btf<'_>, avoidance: Avoidance) -> Check {
    let what = match avoidance {
        Avoidance::Cubic => "CUBIC to follow",
        Avoidance::Bbr => "BBR to follow",
        Avoidance::Reno => "Reno to follow",
    };
    // One avoidance is enough.
    let mend = probe::check_avoidance(btf, avoidance).err();
    let found = if mend.is_none() { "yes" } else { "no" };
    check(what, found.to_owned(), mend.map(|error| error.to_string()))
}

fn sysctl(name: &str) -> Option<String> {
    let path = format!("/proc/sys/{}", name.replace('.', "/"));
    fs::read_to_string(path)
        .ok()
        .map(|value| value.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A sysctl, as it is shown. Where it cannot be read it is unknown.
fn setting(name: &str) -> String {
    sysctl(name).unwrap_or_else(|| "unknown".to_owned())
}

fn jit() -> Check {
    let name = "net.core.bpf_jit_enable";
    // Only root can read this file. A missing permission is reported by its own check.
    let value = setting(name);
    let is_off = value == "0";
    Check {
        what: "BPF JIT",
        verdict: if is_off { Verdict::Lacks } else { Verdict::Ok },
        found: value,
        mend: is_off.then(|| {
            format!(
                "only compiled BPF programs can call functions of the kernel: run sysctl -w \
                 {name}=1"
            )
        }),
    }
}

fn cgroup(path: PathBuf) -> String {
    if path.starts_with("/proc/self/fd") {
        "not mounted here: exec mounts one of its own".to_owned()
    } else {
        path.display().to_string()
    }
}

/// The timers that `load` and `exec` can set.
fn timers() -> Check {
    let shown = |time: Duration| format_time(time.as_nanos() as u64);
    let (range, tick) = (Timer::range(), Timer::tick());
    let found = format!(
        "{} to {}, in ticks of {}",
        shown(*range.start()),
        shown(*range.end()),
        shown(tick)
    );
    check("timers (--rto-min, --delack-max)", found, None)
}

fn processors() -> Check {
    let count = std::thread::available_parallelism().map_or(1, |count| count.get());
    let mend = (count < 2).then(|| {
        "with one processor, the emulated path and its hosts wait for each other: use a machine \
         with two or more"
            .to_owned()
    });
    check("processors (lab)", count.to_string(), mend)
}

/// Checks the maximum of an automatic buffer: it should fill a geostationary satellite path.
fn buffer(what: &'static str, name: &str, role: &str) -> Check {
    const GEO_RTT_S: f64 = 0.6;
    const GEO_BITS_PER_S: f64 = 250e6;
    let value = sysctl(name).unwrap_or_default();
    let max_bytes: u64 = value
        .split(' ')
        .nth(2)
        .and_then(|bytes| bytes.parse().ok())
        .unwrap_or(0);
    // About half of a buffer is payload. The other half is overhead of the kernel
    // (tcp_adv_win_scale = 1).
    let bits_per_s = max_bytes as f64 / 2.0 * 8.0 / GEO_RTT_S;
    let found = format!(
        "{} at most: fills {} at 600 ms",
        text::bytes(max_bytes),
        text::rate((bits_per_s / 8.0) as u64)
    );
    let mend = (bits_per_s < GEO_BITS_PER_S).then(|| {
        let first = value.split(' ').take(2).collect::<Vec<_>>().join(" ");
        format!(
            "if this host is {role} on long, fast paths: run sysctl -w {name}=\"{first} 67108864\""
        )
    });
    check(what, found, mend)
}

fn switch(name: &'static str) -> Check {
    let value = setting(name);
    let mend =
        (value == "0").then(|| format!("long, fast paths need this: run sysctl -w {name}=1"));
    check(name, value, mend)
}

#[cfg(test)]
mod tests {
    #[test]
    fn where_nothing_is_loaded_no_initial_rate_is_in_force() {
        let check = super::initial_rates(&[]);
        assert_eq!(
            (check.found.as_str(), check.mend),
            ("no start-up is loaded", None)
        );
    }
}
