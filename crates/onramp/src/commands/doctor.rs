//! `onramp doctor`.

use super::{print_json, Answer};
use crate::failure::{DONE, HOST_LACKS};
use crate::text;
use crate::text::say;
use onramp_kernel::{probe, Avoidance};
use serde::Serialize;
use std::fs;
use std::path::PathBuf;

/// One thing that was looked at.
#[derive(Serialize)]
struct Check {
    what: &'static str,
    verdict: Verdict,
    found: String,
    /// The line that mends it, or why it matters.
    mend: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Ok,
    /// It works, but worse than it could.
    Advice,
    /// A part of Onramp does not work.
    Lacks,
}

pub fn run(json: bool) -> Answer {
    let checks = checks();
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
    checks.push(jit());
    checks.push(verdict(
        "cgroup v2 (exec)",
        onramp_kernel::cgroup2_mount().map(cgroup),
    ));
    checks.push(verdict(
        "namespaces and TUN (lab)",
        onramp_lab::preflight().map(|()| "work".to_owned()),
    ));
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
    checks.push(idle());
    checks
}

/// An error says itself what is lacking and what mends it.
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

fn kernel() -> Check {
    let release = probe::kernel_release();
    let mut numbers = release
        .split(['.', '-'])
        .map(|part| part.parse::<u32>().unwrap_or(0));
    let version = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let new_enough = version >= (6, 1);
    Check {
        what: "kernel",
        verdict: if new_enough {
            Verdict::Ok
        } else {
            Verdict::Lacks
        },
        found: release,
        mend: (!new_enough).then(|| "Linux 6.1 or later is needed: boot a newer kernel".to_owned()),
    }
}

fn permission() -> Check {
    verdict(
        "permission",
        probe::check_permission().map(|()| "CAP_BPF and CAP_NET_ADMIN".to_owned()),
    )
}

fn links(has: bool) -> Check {
    Check {
        what: "BPF links for them",
        verdict: if has { Verdict::Ok } else { Verdict::Advice },
        found: if has { "yes" } else { "no (Linux 6.4)" }.to_owned(),
        mend: (!has).then(|| {
            "what a killed `exec` or `lab` registered stays until the next onramp command"
                .to_owned()
        }),
    }
}

fn has_avoidance(btf: &probe::Btf<'_>, avoidance: Avoidance) -> Check {
    let what = match avoidance {
        Avoidance::Cubic => "CUBIC to follow",
        Avoidance::Bbr => "BBR to follow",
        Avoidance::Reno => "Reno to follow",
    };
    match probe::check_avoidance(btf, avoidance) {
        Ok(()) => Check {
            what,
            verdict: Verdict::Ok,
            found: "yes".to_owned(),
            mend: None,
        },
        // Any one of them suffices.
        Err(error) => Check {
            what,
            verdict: Verdict::Advice,
            found: "no".to_owned(),
            mend: Some(error.to_string()),
        },
    }
}

fn sysctl(name: &str) -> Option<String> {
    let path = format!("/proc/sys/{}", name.replace('.', "/"));
    fs::read_to_string(path)
        .ok()
        .map(|value| value.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn jit() -> Check {
    let name = "net.core.bpf_jit_enable";
    // Root's own: unreadable means that permission is lacking, which has its own line.
    let value = sysctl(name).unwrap_or_else(|| "unknown".to_owned());
    let off = value == "0";
    Check {
        what: "BPF JIT",
        verdict: if off { Verdict::Lacks } else { Verdict::Ok },
        found: value,
        mend: off.then(|| {
            format!(
                "the kernel's functions are callable only from compiled BPF: sysctl -w {name}=1"
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

fn processors() -> Check {
    let count = std::thread::available_parallelism().map_or(1, |count| count.get());
    Check {
        what: "processors (lab)",
        verdict: if count >= 2 {
            Verdict::Ok
        } else {
            Verdict::Advice
        },
        found: count.to_string(),
        mend: (count < 2).then(|| {
            "with one, the emulated path and the hosts on it wait for each other".to_owned()
        }),
    }
}

/// How long a path the largest automatic buffer fills.
fn buffer(what: &'static str, name: &str, whose: &str) -> Check {
    const GEO_RTT_S: f64 = 0.6;
    const GEO_BITS_PER_S: f64 = 250e6;
    let value = sysctl(name).unwrap_or_default();
    let largest: u64 = value
        .split(' ')
        .nth(2)
        .and_then(|bytes| bytes.parse().ok())
        .unwrap_or(0);
    // About half of a buffer is payload, the rest is the kernel's bookkeeping (tcp_adv_win_scale =
    // 1).
    let fills = largest as f64 / 2.0 * 8.0 / GEO_RTT_S;
    let enough = fills >= GEO_BITS_PER_S;
    Check {
        what,
        verdict: if enough { Verdict::Ok } else { Verdict::Advice },
        found: format!("{} at most: fills {} at 600 ms", text::bytes(largest), text::rate((fills / 8.0) as u64)),
        mend: (!enough).then(|| {
            let first = value.split(' ').take(2).collect::<Vec<_>>().join(" ");
            format!("if this host is {whose} on long, fast paths: sysctl -w {name}=\"{first} 67108864\"")
        }),
    }
}

fn switch(name: &'static str) -> Check {
    let value = sysctl(name).unwrap_or_else(|| "unknown".to_owned());
    let off = value == "0";
    Check {
        what: name,
        verdict: if off { Verdict::Advice } else { Verdict::Ok },
        found: value,
        mend: off.then(|| format!("long, fast paths need it: sysctl -w {name}=1")),
    }
}

fn idle() -> Check {
    let name = "net.ipv4.tcp_slow_start_after_idle";
    let value = sysctl(name).unwrap_or_else(|| "unknown".to_owned());
    let on = value == "1";
    Check {
        what: name,
        verdict: if on { Verdict::Advice } else { Verdict::Ok },
        found: value,
        mend: on.then(|| {
            format!("a connection that pauses falls back to slow start; where that hurts: sysctl -w {name}=0")
        }),
    }
}
