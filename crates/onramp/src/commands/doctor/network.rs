//! Settings of this host's network that act on the start of a connection, beside Onramp.

use super::{check, list, setting, verdict, Check};
use onramp_kernel::{Avoidance, QueueDiscipline, StartRoute};

/// Segments of the initial window that Linux uses by itself (RFC 6928).
const USUAL_INITIAL_WINDOW: u32 = 10;

pub(super) fn checks() -> Vec<Check> {
    let mut checks = vec![default_avoidance()];
    match onramp_kernel::start_routes() {
        Ok(routes) => checks.extend([initial_windows(&routes), controls(&routes)]),
        Err(error) => checks.push(verdict("routes", Err(error))),
    }
    let disciplines = onramp_kernel::queue_disciplines();
    checks.push(match disciplines {
        Ok(disciplines) => queues(&disciplines),
        Err(error) => verdict("queue disciplines", Err(error)),
    });
    checks.extend([saved_ssthresh(), idle()]);
    checks
}

/// What follows a start-up where nothing else is asked for.
fn default_avoidance() -> Check {
    let name = onramp_kernel::default_in_this_namespace().unwrap_or_default();
    let is_ours = onramp_kernel::loaded()
        .unwrap_or_default()
        .iter()
        .any(|loaded| loaded.name == name);
    let mend = (!is_ours && Avoidance::named(&name).is_none()).then(|| {
        format!("no start-up can hand over to {name}: cubic follows, or what --avoidance names")
    });
    check("default congestion control", name, mend)
}

fn initial_windows(routes: &[StartRoute]) -> Check {
    let windows: Vec<(&StartRoute, u32)> = routes
        .iter()
        .filter_map(|route| Some((route, route.initial_window?)))
        .collect();
    let found = match windows.is_empty() {
        true => format!("{USUAL_INITIAL_WINDOW} segments"),
        false => list(
            windows
                .iter()
                .map(|(route, window)| format!("{} {window} segments", route.destination)),
        ),
    };
    let is_large = windows
        .iter()
        .any(|(_, window)| *window > USUAL_INITIAL_WINDOW);
    check(
        "initial window (initcwnd)",
        found,
        is_large.then(|| {
            "such a window leaves as one burst, with a start-up and without: measure `onramp` \
             with initcwnd 10 and keep the faster (docs/other-remedies.md)"
                .to_owned()
        }),
    )
}

/// What routes set so that a start-up is not chosen, or ends early.
fn controls(routes: &[StartRoute]) -> Check {
    let named = |route: &StartRoute| {
        let name = route.congestion_control.as_ref()?;
        Some(format!("{} congctl {name}", route.destination))
    };
    let limited = |route: &StartRoute| {
        let segments = route.ssthresh?;
        Some(format!("{} ssthresh {segments}", route.destination))
    };
    let found: Vec<String> = routes
        .iter()
        .flat_map(|route| [named(route), limited(route)])
        .flatten()
        .collect();
    let mend = (!found.is_empty()).then(|| {
        "connections over a route with congctl do not take the default congestion control, and a \
         start-up ends at the ssthresh of a route: ip route change ... without them"
            .to_owned()
    });
    check("routes that decide the start", list(found), mend)
}

fn queues(disciplines: &[QueueDiscipline]) -> Check {
    // TCP paces by itself where fq does not, so no discipline is wrong.
    let found = match disciplines.is_empty() {
        true => "none: TCP paces by itself".to_owned(),
        false => {
            let mut named: Vec<String> = disciplines
                .iter()
                .map(|found| format!("{} {}", found.interface, found.kind))
                .collect();
            // An interface with several queues has a discipline for each.
            named.dedup();
            list(named)
        }
    };
    check("queue disciplines", found, None)
}

/// The ssthresh of past connections, which the kernel can keep for each destination.
fn saved_ssthresh() -> Check {
    let name = "net.ipv4.tcp_no_ssthresh_metrics_save";
    let value = setting(name);
    let mend = (value == "0").then(|| {
        format!(
            "the kernel keeps the ssthresh of past connections for each destination, and a \
             start-up ends there: run sysctl -w {name}=1"
        )
    });
    check(name, value, mend)
}

/// What happens after a pause, once a start-up has ended. Until then `onramp` decides.
fn idle() -> Check {
    let name = "net.ipv4.tcp_slow_start_after_idle";
    let value = setting(name);
    let mend = (value == "1").then(|| {
        format!(
            "until the start-up `onramp` has ended, its measured window outlives a pause; then the \
             kernel's congestion control decides, and CUBIC uses slow start: if large objects \
             follow pauses, run sysctl -w {name}=0, and use fq or BBR, so that the window does not \
             leave as one burst (docs/other-remedies.md)"
        )
    });
    check(name, value, mend)
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    fn route(destination: &str, initial_window: Option<u32>) -> StartRoute {
        StartRoute {
            destination: destination.to_owned(),
            initial_window,
            congestion_control: None,
            ssthresh: None,
        }
    }

    #[test]
    fn larger_initial_windows_are_named_with_their_routes() {
        let usual = initial_windows(&[]);
        assert_eq!((usual.found.as_str(), usual.mend), ("10 segments", None));
        let small = initial_windows(&[route("10.0.0.0/8", Some(4))]);
        assert_eq!(
            (small.found.as_str(), small.mend),
            ("10.0.0.0/8 4 segments", None)
        );
        let large = initial_windows(&[route("default", Some(32)), route("10.0.0.0/8", Some(10))]);
        assert_eq!(large.found, "default 32 segments, 10.0.0.0/8 10 segments");
        assert!(large.verdict == Verdict::Advice && large.mend.is_some());
    }

    #[test]
    fn routes_that_choose_a_control_or_limit_ssthresh_are_named() {
        let with_both = StartRoute {
            congestion_control: Some("reno".to_owned()),
            ssthresh: Some(20),
            ..route("default", None)
        };
        let check = controls(&[with_both, route("fd00::/8", Some(32))]);
        assert_eq!(check.found, "default congctl reno, default ssthresh 20");
        assert!(check.mend.is_some());
        assert_eq!(controls(&[]).found, "none");
    }

    #[test]
    fn a_long_list_is_cut() {
        let named = (0..9).map(|number| number.to_string());
        assert_eq!(list(named), "0, 1, 2, 3, 4, 5, 3 more");
    }
}
