//! The Grafana dashboard and the alert rules ask for metrics and labels that are exported.

use crate::promtool;

use onramp_service::metrics::METRICS;
use serde_json::{json, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn packaged(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../packaging")
        .join(name)
}

fn dashboard() -> Value {
    let text = std::fs::read_to_string(packaged("grafana/onramp.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

fn panels(dashboard: &Value) -> &[Value] {
    dashboard["panels"].as_array().expect("panels")
}

/// The labels of each sample.
fn labels_of_samples() -> BTreeMap<String, BTreeSet<&'static str>> {
    let samples = METRICS.iter().flat_map(|metric| {
        let of_target = ["job", "instance"];
        metric.sample_names().into_iter().map(move |sample| {
            let le = sample.ends_with("_bucket").then_some("le");
            let labels = metric.labels.iter().copied().chain(of_target).chain(le);
            (sample, labels.collect())
        })
    });
    samples.collect()
}

/// The metrics that an expression asks for, with the labels that it compares.
fn asked(expression: &str) -> Vec<(String, Vec<&str>)> {
    let asked = expression.match_indices("onramp_").map(|(start, _)| {
        let (name, rest) = expression[start..]
            .split_once('{')
            .unwrap_or_else(|| panic!("{expression}: a metric of every job"));
        let (matchers, _) = rest.split_once('}').expect("a closing brace");
        let labels = matchers.split(',').map(|matcher| {
            let end = matcher.find(['=', '!']).expect("a comparison");
            matcher[..end].trim()
        });
        (name.to_owned(), labels.collect())
    });
    asked.collect()
}

/// The expressions of the dashboard, each with its legend.
fn expressions(dashboard: &Value) -> Vec<(String, String)> {
    let targets = panels(dashboard)
        .iter()
        .flat_map(|panel| panel["targets"].as_array().into_iter().flatten());
    let annotations = dashboard["annotations"]["list"].as_array().unwrap();
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    let expressions: Vec<_> = targets
        .chain(annotations)
        .map(|target| (text(target, "expr"), text(target, "legendFormat")))
        .collect();
    assert!(expressions.len() > 25, "{}", expressions.len());
    expressions
}

#[test]
fn expressions_of_the_dashboard_ask_for_exported_metrics() {
    let samples = labels_of_samples();
    for (expression, legend) in expressions(&dashboard()) {
        let asked = asked(&expression);
        assert!(!asked.is_empty(), "{expression}");
        let selectors = expression.matches('{').count();
        assert_eq!(asked.len(), selectors, "{expression}: a foreign metric");
        for (name, compared) in asked {
            let labels = samples.get(&name);
            let labels = labels.unwrap_or_else(|| panic!("{expression}: {name} is not exported"));
            let in_legend = legend
                .split("{{")
                .skip(1)
                .filter_map(|rest| rest.split("}}").next());
            for label in compared.into_iter().chain(in_legend) {
                assert!(
                    labels.contains(label),
                    "{expression}: {name} has no label {label}"
                );
            }
        }
    }
}

#[test]
fn panels_are_described_and_do_not_overlap() {
    let dashboard = dashboard();
    let mut ids = BTreeSet::new();
    let mut cells = BTreeMap::new();
    for panel in panels(&dashboard) {
        let title = panel["title"].as_str().unwrap();
        assert!(
            ids.insert(panel["id"].as_u64().unwrap()),
            "{title}: the id is taken"
        );
        let place = |key: &str| panel["gridPos"][key].as_u64().unwrap();
        assert!(place("x") + place("w") <= 24, "{title}");
        for x in place("x")..place("x") + place("w") {
            for y in place("y")..place("y") + place("h") {
                if let Some(other) = cells.insert((x, y), title) {
                    panic!("{title} lies over {other}");
                }
            }
        }
        if panel["type"] != "row" {
            assert!(
                panel["description"]
                    .as_str()
                    .is_some_and(|text| text.ends_with('.')),
                "{title}"
            );
            assert!(
                panel["fieldConfig"]["defaults"]["unit"].is_string(),
                "{title}"
            );
            assert_eq!(panel["datasource"]["uid"], "${datasource}", "{title}");
        }
    }
}

#[test]
fn variables_are_used_and_defined() {
    let dashboard = dashboard();
    let defined: BTreeSet<&str> = dashboard["templating"]["list"]
        .as_array()
        .unwrap()
        .iter()
        .map(|variable| variable["name"].as_str().unwrap())
        .collect();
    let text = dashboard.to_string();
    for name in &defined {
        let is_used = text.contains(&format!("${name}")) || text.contains(&format!("${{{name}}}"));
        assert!(is_used, "${name} is not used");
    }
    let word = |rest: &str| -> String {
        let rest = rest.trim_start_matches('{');
        rest.chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect()
    };
    for name in text
        .split('$')
        .skip(1)
        .map(word)
        .filter(|name| !name.starts_with("__"))
    {
        assert!(defined.contains(name.as_str()), "${name} is not defined");
    }
}

/// Names in the rules, in their tests, and in the manual.
#[test]
fn alert_rules_and_the_manual_name_exported_metrics() {
    let samples = labels_of_samples();
    for file in [
        "prometheus/onramp-rules.yml",
        "prometheus/onramp-rules-test.yml",
    ] {
        let text = std::fs::read_to_string(packaged(file)).unwrap();
        let names = text
            .split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .filter(|word| word.starts_with("onramp_"));
        let unknown: Vec<&str> = names.filter(|name| !samples.contains_key(*name)).collect();
        assert_eq!(unknown, Vec::<&str>::new(), "{file}");
    }
    let manual = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/metrics.md");
    let manual = std::fs::read_to_string(manual).unwrap();
    for metric in METRICS {
        let name = metric.sample_names().remove(0).replace("_bucket", "");
        assert!(
            manual.contains(&format!("`{name}`")),
            "docs/metrics.md lacks `{name}`"
        );
    }
}

#[test]
fn promtool_accepts_the_rules_and_their_tests_pass() {
    for arguments in [
        ["check", "rules", "onramp-rules.yml"],
        ["test", "rules", "onramp-rules-test.yml"],
    ] {
        let mut command = promtool::command(&arguments);
        assert_accepts(command.current_dir(packaged("prometheus")));
    }
}

#[test]
fn promtool_accepts_the_expressions_of_the_dashboard() {
    let rules = expressions(&dashboard()).into_iter().enumerate();
    let rules = rules.map(|(number, (expression, _))| {
        let expression = expression.replace("$__rate_interval", "5m");
        json!({ "record": format!("dashboard:{number}"), "expr": expression })
    });
    let rules = rules.collect::<Value>();
    // JSON is YAML.
    let file = tempfile::NamedTempFile::new().unwrap();
    let groups = json!({ "groups": [{ "name": "dashboard", "rules": rules }] });
    std::fs::write(file.path(), groups.to_string()).unwrap();
    let mut command = promtool::command(&["check", "rules"]);
    assert_accepts(command.arg(file.path()));
}

fn assert_accepts(command: &mut Command) {
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}
