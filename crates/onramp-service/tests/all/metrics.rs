//! The metrics' texts and the HTTP endpoint, read as their users read them.

use crate::promtool;

use onramp_service::counts::Counts;
use onramp_service::http::MAX_CLIENTS;
use onramp_service::metrics::{
    fetch_counts, text, Endpoint, EndpointError, Format, Latest, MetricKind, METRICS,
};
use onramp_testing::samples::counts;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

/// The samples of a text, by their name with labels.
fn samples(text: &str) -> BTreeMap<String, f64> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let samples = lines.map(|line| {
        let (name, value) = line.rsplit_once(' ').expect("a name and a value");
        (name.to_owned(), value.parse().expect("a number"))
    });
    samples.collect()
}

/// The name of a sample without its labels.
fn bare(name: &str) -> &str {
    name.split('{').next().unwrap_or(name)
}

#[test]
fn every_metric_is_exported_with_its_type_unit_and_help() {
    let text = text(&counts(1_000), Format::OpenMetrics);
    let names: BTreeSet<String> = samples(&text)
        .keys()
        .map(|name| bare(name).to_owned())
        .collect();
    for metric in METRICS {
        let name = metric.name();
        assert!(
            text.contains(&format!("# TYPE {name} {}\n", metric.kind.name())),
            "{name}"
        );
        assert!(
            text.contains(&format!("# HELP {name} {}", metric.help)),
            "{name}"
        );
        if !metric.unit.is_empty() {
            assert!(
                text.contains(&format!("# UNIT {name} {}\n", metric.unit)),
                "{name}"
            );
        }
        for sample in metric.sample_names() {
            assert!(names.contains(&sample), "{sample}");
        }
    }
    let known: BTreeSet<String> = METRICS
        .iter()
        .flat_map(|metric| metric.sample_names())
        .collect();
    assert_eq!(
        names.difference(&known).collect::<Vec<_>>(),
        Vec::<&String>::new()
    );
    assert!(text.ends_with("# EOF\n"));
}

#[test]
fn the_numbers_are_those_of_the_counts() {
    let counts = counts(200);
    let samples = samples(&text(&counts, Format::OpenMetrics));
    let web = counts.policy("web").unwrap();
    let startup = r#"{policy="web",group="startup"}"#;
    let value = |name: &str| samples[name];
    assert_eq!(
        value(&format!("onramp_connections_total{startup}")),
        10_000.0
    );
    let sum = value(&format!("onramp_time_to_100k_seconds_sum{startup}"));
    assert!((sum - web.with_startup.time_to_100_kb.sum() as f64 / 1e6).abs() < 1e-6 * sum);
    let infinite = r#"onramp_time_to_100k_seconds_bucket{le="+Inf",policy="web",group="startup"}"#;
    assert_eq!(value(infinite), 10_000.0);
    assert_eq!(
        value(r#"onramp_policy_state{policy="mobile",state="switched-off"}"#),
        1.0
    );
    assert_eq!(
        value(r#"onramp_policy_state{policy="mobile",state="on"}"#),
        0.0
    );
    assert_eq!(value(r#"onramp_policy_share_ratio{policy="web"}"#), 0.05);
    let estimate = value(r#"onramp_canary_time_to_100k_ratio{policy="web",bound="estimate"}"#);
    assert!((estimate - 0.8).abs() < 0.02, "{estimate}");
    // A policy without a control group has no comparison.
    let backup = r#"onramp_canary_time_to_100k_ratio{policy="backup",bound="estimate"}"#;
    assert!(!samples.contains_key(backup));
}

/// The counts of a histogram rise to the number of values, and an octave's limit has the same count
/// as in the kernel's buckets.
#[test]
fn the_buckets_are_those_of_the_kernel_merged() {
    let counts = counts(200);
    let samples = samples(&text(&counts, Format::OpenMetrics));
    let kernel = &counts.policies[0].with_startup.time_to_100_kb;
    let mut before = 0.0;
    let mut limits = 0;
    for bucket in kernel.buckets() {
        let below = bucket.below.map_or("+Inf".to_owned(), |below| {
            let limit = below as f64 / 1e6;
            if limit.fract() == 0.0 {
                format!("{limit:.1}")
            } else {
                limit.to_string()
            }
        });
        before += bucket.count as f64;
        let name = format!(
            r#"onramp_time_to_100k_seconds_bucket{{le="{below}",policy="web",group="startup"}}"#
        );
        if let Some(&count) = samples.get(&name) {
            assert_eq!(count, before, "{name}");
            limits += 1;
        }
    }
    assert_eq!(limits, 16 * 4 + 2);
}

#[test]
fn the_number_of_series_depends_on_the_policies_alone() {
    let series = |size| samples(&text(&counts(size), Format::OpenMetrics)).len();
    assert_eq!(series(1_000), series(2_000));
    let three_policies = series(1_000);
    assert!(three_policies < 3 * 500, "{three_policies}");
}

#[test]
fn names_of_policies_are_escaped() {
    let mut counts = counts(1);
    counts.policies[0].name = "a\"b\\c\nd".to_owned();
    let text = text(&counts, Format::OpenMetrics);
    assert!(text.contains(r#"onramp_connections_total{policy="a\"b\\c\nd",group="startup"}"#));
}

#[test]
fn without_a_service_only_registrations_are_exported() {
    let all = counts(1);
    let counts = Counts {
        registrations: all.registrations,
        ..Counts::default()
    };
    let text = text(&counts, Format::OpenMetrics);
    let is_registration = |name: &str| {
        name.starts_with("onramp_registration") || name.starts_with("onramp_lost_events")
    };
    assert!(
        samples(&text).keys().all(|name| is_registration(name)),
        "{text}"
    );
    assert_eq!(
        onramp_service::metrics::text(&Counts::default(), Format::OpenMetrics),
        "# EOF\n"
    );
}

#[test]
fn the_older_format_has_the_same_samples() {
    let counts = counts(100);
    let (new, old) = (
        text(&counts, Format::OpenMetrics),
        text(&counts, Format::Prometheus),
    );
    assert_eq!(samples(&new), samples(&old));
    for metric in METRICS {
        let (suffix, kind) = match metric.kind {
            MetricKind::Counter => ("_total", "counter"),
            MetricKind::Info => ("_info", "gauge"),
            kind => ("", kind.name()),
        };
        let line = format!("# TYPE {}{suffix} {kind}\n", metric.name());
        assert!(old.contains(&line), "{line}");
    }
    assert!(!old.contains("# EOF") && !old.contains("# UNIT"));
}

/// Prometheus' own checker reads the older format, and its lints find names against conventions.
#[test]
fn promtool_accepts_the_text() {
    let mut check = promtool::command(&["check", "metrics"]);
    let mut check = check.stdin(std::process::Stdio::piped()).spawn().unwrap();
    let text = text(&counts(100), Format::Prometheus);
    check
        .stdin
        .take()
        .unwrap()
        .write_all(text.as_bytes())
        .unwrap();
    let output = check.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && said.is_empty(), "{said}");
}

fn endpoint(counts: Counts) -> (Endpoint, SocketAddr, Arc<Latest>) {
    let latest = Arc::new(Latest::new(counts));
    let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
    let endpoint = Endpoint::start(&[any], None, Arc::clone(&latest)).unwrap();
    let address = endpoint.addresses()[0];
    (endpoint, address, latest)
}

fn request(address: SocketAddr, request: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn prometheus_gets_the_format_that_it_accepts() {
    let counts = counts(10);
    let (_endpoint, address, latest) = endpoint(counts.clone());
    let open = "GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: application/openmetrics-text\r\n\r\n";
    let (head, body) = request(address, open)
        .split_once("\r\n\r\n")
        .map(own)
        .unwrap();
    assert!(
        head.contains("content-type: application/openmetrics-text; version=1.0.0"),
        "{head}"
    );
    assert_eq!(body, text(&counts, Format::OpenMetrics));
    let plain = "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n";
    assert!(request(address, plain).ends_with(&text(&counts, Format::Prometheus)));
    latest.set(onramp_testing::samples::counts(20));
    assert!(request(address, plain).ends_with(&text(&latest.get(), Format::Prometheus)));
}

fn own((head, body): (&str, &str)) -> (String, String) {
    (head.to_owned(), body.to_owned())
}

#[test]
fn other_requests_are_refused() {
    let (_endpoint, address, _) = endpoint(counts(1));
    let status = |line: &str| {
        let answer = request(address, &format!("{line}\r\nHost: x\r\n\r\n"));
        answer.lines().next().unwrap_or("").to_owned()
    };
    assert_eq!(status("GET /other HTTP/1.1"), "HTTP/1.1 404 Not Found");
    assert_eq!(
        status("POST /metrics HTTP/1.1"),
        "HTTP/1.1 405 Method Not Allowed"
    );
    assert_eq!(status("HEAD /metrics HTTP/1.1"), "HTTP/1.1 200 OK");
    assert_eq!(status("nonsense"), "HTTP/1.1 400 Bad Request");
    let long = format!("GET /{} HTTP/1.1", "x".repeat(60_000));
    // The request is refused while it is sent, so the client may not read the answer.
    let mut stream = TcpStream::connect(address).unwrap();
    let _ = stream.write_all(long.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    assert!(!answer.starts_with(b"HTTP/1.1 200"));
}

/// Clients that say nothing, half of a request, or read nothing keep nobody out.
#[test]
fn a_thousand_silent_clients_keep_nobody_out() {
    let (_endpoint, address, _) = endpoint(counts(100));
    let silent: Vec<TcpStream> = (0..1_000)
        .filter_map(|number| {
            let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(30)).ok()?;
            let begun: &[u8] = match number % 3 {
                0 => b"",
                1 => b"GET /metr",
                _ => b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n",
            };
            let _ = stream.write_all(begun); // the endpoint may have ended it
            Some(stream)
        })
        .collect();
    assert!(silent.len() > 900, "{}", silent.len());
    let answer = request(address, "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n");
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
}

/// A local user who floods the socket ends none of Prometheus' requests.
#[test]
fn clients_of_the_socket_end_no_client_of_an_address() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("onramp.sock");
    let latest = Arc::new(Latest::new(counts(1)));
    let any: SocketAddr = "127.0.0.1:0".parse().unwrap();
    let endpoint = Endpoint::start(&[any], Some(&path), latest).unwrap();
    let mut slow = TcpStream::connect(endpoint.addresses()[0]).unwrap();
    slow.write_all(b"GET /metrics HTTP/1.1\r\n").unwrap();
    // Both are served by one thread in the order of their arrival.
    fetch_counts(&path).unwrap();
    let flood: Vec<UnixStream> = (0..2 * MAX_CLIENTS)
        .map(|_| UnixStream::connect(&path).unwrap())
        .collect();
    fetch_counts(&path).unwrap();
    slow.write_all(b"Host: x\r\n\r\n").unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    drop(flood);
}

#[test]
fn the_socket_gives_the_counts_and_is_gone_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("onramp.sock");
    // A service that was killed left its socket.
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let error = fetch_counts(&path).unwrap_err();
    assert!(matches!(error, EndpointError::NoService { .. }), "{error}");
    let counts = counts(50);
    let latest = Arc::new(Latest::new(counts.clone()));
    let endpoint = Endpoint::start(&[], Some(&path), Arc::clone(&latest)).unwrap();
    let json = serde_json::to_string(&counts).unwrap();
    assert!(fetch_counts(&path).unwrap() == serde_json::from_str(&json).unwrap());
    let second = Endpoint::start(&[], Some(&path), latest).unwrap_err();
    assert!(second.to_string().contains("onramp.sock: "), "{second}");
    drop(endpoint);
    assert!(!path.exists());
    assert!(matches!(
        fetch_counts(&path),
        Err(EndpointError::NoService { .. })
    ));
}

#[test]
fn what_is_no_socket_stays_where_a_socket_is_to_be() {
    let folder = tempfile::tempdir().unwrap();
    let precious = folder.path().join("precious");
    std::fs::write(&precious, "precious").unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&precious, &link).unwrap();
    for path in [&precious, &link] {
        let refused = Endpoint::start(&[], Some(path), Arc::new(Latest::default())).unwrap_err();
        assert!(refused.to_string().contains("no socket"), "{refused}");
        assert_eq!(std::fs::read(&precious).unwrap(), b"precious");
    }
    assert!(link.is_symlink());
}

#[test]
fn an_address_in_use_is_named() {
    let (_endpoint, address, latest) = endpoint(counts(1));
    let error = Endpoint::start(&[address], None, latest).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with(&format!("listen on {address}: ")),
        "{error}"
    );
}

/// The service starts before the network has its addresses.
#[test]
fn an_address_that_the_host_does_not_have_yet_is_bound() {
    let latest = Arc::new(Latest::default());
    for address in ["192.0.2.77:0", "[2001:db8::77]:0"] {
        let address: std::net::SocketAddr = address.parse().unwrap();
        let endpoint = Endpoint::start(&[address], None, Arc::clone(&latest)).unwrap();
        assert_eq!(endpoint.addresses()[0].ip(), address.ip());
    }
}
