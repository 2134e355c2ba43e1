//! The configuration: `--check`, and a service that refuses a wrong one.

use super::service::{wait_until_it_says, with_site};
use crate::common::{machine, onramp, run, Ran};
use nix::sys::signal::Signal;
use std::fs;

const WEB: &str = "[[policy]]\nname = \"web\"\nlocal_port = PORT\nstartup = \"onramp\"\n\
                   avoidance = \"cubic\"\n";

fn check(text: &str, arguments: &[&str]) -> Ran {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), text).unwrap();
    let path = file.path().to_str().unwrap();
    onramp([&["serve", "--check", "--config", path][..], arguments].concat())
}

#[test]
fn the_packaged_configuration_begins_with_what_it_does() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/config.toml");
    let text = fs::read_to_string(file).unwrap();
    let first = text.lines().next().unwrap();
    assert!(first.contains("this file changes no connection"), "{first}");
    onramp(["serve", "--check", "--config", file])
        .code(0)
        .says(&["canary: no connection gets onramp (percent = 0)."]);
}

#[test]
fn a_check_says_what_the_policies_do() {
    let text =
        WEB.replace("PORT", "[443, \"8000-8100\"]") + "percent = 2.5\nunit = \"a.service\"\n";
    let row = [
        "web",
        "local port 443 or 8000-8100, in a.service",
        "onramp    cubic  2.5 %",
    ];
    check(&text, &[])
        .code(0)
        .says(&["1 policy", "POLICY"])
        .says(&["web: 2.5 % of the connections get onramp. The others are the control group."])
        .says(&row);
    for (percent, effect) in [
        (
            "percent = 0",
            "web: no connection gets onramp (percent = 0).",
        ),
        ("percent = 100", "web: every connection gets onramp."),
    ] {
        let text = text.replace("percent = 2.5", percent);
        check(&text, &[]).code(0).says(&[effect]);
    }
    let json = check(&text, &["--json"]).code(0).json();
    assert_eq!(json["policies"][0]["percent"], 2.5);
    assert!(json["warnings"].as_array().unwrap().is_empty());
    let more = "memory = \"at-once\"\ngovernor = \"10 %\"\nretransmission_budget = \"5 %\"\n\
                rto_min = \"20 ms\"\n";
    let row = ["BUDGET", "2.5 %   5 %     10 %      at-once"];
    check(&format!("{text}{more}"), &[]).code(0).says(&row);
    let json = check(&format!("{text}{more}"), &["--json"]).code(0).json();
    let policy = &json["policies"][0];
    assert_eq!(policy["retransmission_budget"], 0.05);
    assert_eq!(policy["governor"], 0.1);
    assert_eq!(policy["memory"], "at-once");
    assert_eq!(policy["rto_min_s"], 0.02);
    assert!(policy["delack_max_s"].is_null());
    let wrong = text.replace("percent", "precent");
    check(&wrong, &[])
        .code(2)
        .warns(&["did you mean `percent`?", ":6:"]);
    let error = check(&wrong, &["--json"]).code(2).json_error();
    assert!(
        error["error"][0]
            .as_str()
            .unwrap()
            .contains("did you mean `percent`?"),
        "{error}"
    );
}

#[test]
fn a_check_warns_of_what_is_probably_not_meant() {
    let web = WEB.replace("PORT", "443");
    let text = format!("{web}{}", web.replace("\"web\"", "\"b\"") + "user = 0\n");
    let hidden = ":6: policy `b` never matches: `web` (line 1) has all its connections; put `b`";
    let alone = ":1: policy `web` has no control group: no comparison";
    check(&text, &[])
        .code(0)
        .says(&["2 policies"])
        .warns(&["warning: ", alone, hidden]);
    let json = check(&text, &["--json"]).code(0).json();
    let warnings = json["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 2, "{json}");
    assert!(warnings[1].as_str().unwrap().contains(hidden), "{json}");
    check("[service]\n", &[])
        .code(2)
        .warns(&["has no policy: no connection would be changed"]);
}

#[test]
fn a_wrong_configuration_is_refused_and_the_one_from_before_stays() {
    let Some(_machine) = machine() else { return };
    with_site(|site| {
        site.write("[[policy]]\nname = \"web\"\n");
        site.run(&[]).code(2).warns(&["`startup` is missing"]);
        site.write(WEB);
        let service = site.start();
        assert!(site.next_control().starts_with("onramp."));
        site.write(&WEB.replace("onramp", "warp"));
        service.signal(Signal::SIGHUP);
        wait_until_it_says(&service, "the configuration is refused", 1);
        wait_until_it_says(
            &service,
            "config.toml:7: start-up `warp` cannot be chosen",
            1,
        );
        assert!(site.next_control().starts_with("onramp."));
        // A right one takes the place of the first.
        site.write(&WEB.replace("\"onramp\"", "\"paced\""));
        service.signal(Signal::SIGHUP);
        wait_until_it_says(&service, "in force: web: paced, on", 1);
        assert!(site.next_control().starts_with("onramp_paced."));
        let counts = site.counts();
        assert_eq!(counts["service"]["reloads"], 1);
        assert_eq!(counts["service"]["reloads_refused"], 1);
    });
}

#[test]
fn a_host_without_a_bpf_file_system_is_told_what_to_do() {
    let Some(_machine) = machine() else { return };
    with_site(|site| {
        site.write(WEB);
        let mut command = std::process::Command::new(&site.program);
        command
            .args(["serve", "--pins", "/tmp/onramp", "--config"])
            .arg(site.config());
        run(command)
            .code(3)
            .warns(&["not in a BPF file system", "mount -t bpf -o mode=700 bpf"]);
    });
}
