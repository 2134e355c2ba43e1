//! `load --default`, `unload` and `status` over several network namespaces, and `doctor` in a user
//! namespace.

use crate::common::*;
use std::process::Command;

/// A named network namespace, removed when this value is dropped.
struct Namespace(String);

impl Namespace {
    fn new(name: &str) -> Namespace {
        let name = format!("onramp-test-{}-{name}", std::process::id());
        let add = Command::new("ip").args(["netns", "add", &name]).status();
        assert!(add.unwrap().success());
        Namespace(name)
    }

    #[track_caller]
    fn onramp(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new("ip");
        command
            .args(["netns", "exec", &self.0, env!("CARGO_BIN_EXE_onramp")])
            .args(arguments);
        run(command)
    }

    fn sysctl(&self, name: &str, value: Option<&str>) -> String {
        let path = format!("/proc/sys/net/ipv4/{name}");
        let script = match value {
            Some(value) => format!("echo {value} > {path} && cat {path}"),
            None => format!("cat {path}"),
        };
        let arguments = ["netns", "exec", &self.0, "sh", "-c", &script];
        let output = Command::new("ip").args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    fn default(&self) -> String {
        self.sysctl("tcp_congestion_control", None)
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let delete = ["netns", "delete", &self.0];
        let _ = Command::new("ip").args(delete).status();
    }
}

#[test]
fn unload_puts_back_the_default_of_every_network_namespace() {
    let Some(_machine) = machine() else { return };
    wait_until_free("onramp_gamma");
    let [web, mail] = ["web", "mail"].map(Namespace::new);
    let before = web.default();
    mail.sysctl("tcp_congestion_control", Some("reno"));
    let undo = Loaded("gamma");
    let load = ["load", "gamma", "--avoidance", "cubic", "--default"];
    web.onramp(&load).code(0).says(&[
        "onramp_gamma is registered: gamma, then cubic.",
        &format!("It is the default of this network namespace now, in the place of {before}."),
    ]);
    assert_eq!(web.default(), "onramp_gamma");
    assert_eq!(mail.default(), "reno");
    web.onramp(&load).code(0).says(&["registered already"]);
    // The other namespace changes by hand: what it had before is known from the time of `load`.
    mail.sysctl("tcp_congestion_control", Some("onramp_gamma"));
    let late = Namespace::new("late");
    late.sysctl("tcp_congestion_control", Some("onramp_gamma"));

    let all = status();
    let entry = all.iter().find(|one| one["name"] == "onramp_gamma");
    let default_in = entry.unwrap()["default_in"].as_array().unwrap();
    let mounts: Vec<&str> = default_in
        .iter()
        .map(|namespace| namespace["mount"].as_str().unwrap())
        .collect();
    for namespace in [&web, &mail, &late] {
        let ends = |mount: &&str| mount.ends_with(&namespace.0);
        assert!(mounts.iter().any(ends), "{mounts:?}");
    }
    assert_eq!(mounts.len(), 3);
    let named = format!(
        "onramp_gamma is the default of network namespace {}.",
        web.0
    );
    onramp(["status"]).code(0).says(&["3 namespaces", &named]);

    let unloaded = onramp(["unload", "gamma"]).code(0);
    for (namespace, default) in [(&web, before.as_str()), (&mail, "reno"), (&late, &before)] {
        let again = format!("network namespace {} is {default} again.", namespace.0);
        assert_has(&unloaded.stdout, &[&again]);
        assert_eq!(namespace.default(), default);
    }
    assert!(status().iter().all(|one| one["name"] != "onramp_gamma"));
    drop(undo);
}

#[test]
fn a_start_up_that_was_the_default_before_another_is_not_put_back_when_it_has_gone() {
    let Some(_machine) = machine() else { return };
    for name in ["onramp_gamma", "onramp_spaced"] {
        wait_until_free(name);
    }
    let host = Namespace::new("chain");
    let before = host.default();
    let (first, second) = (Loaded("gamma"), Loaded("spaced"));
    host.onramp(&["load", "gamma", "--default"]).code(0);
    // What follows the default is what follows: `gamma` is followed by the host's default.
    let gamma = status()
        .into_iter()
        .find(|one| one["name"] == "onramp_gamma");
    let loaded = host.onramp(&["load", "spaced", "--default", "--json"]);
    assert_eq!(
        loaded.code(0).json()["avoidance"],
        gamma.unwrap()["avoidance"]
    );
    onramp(["unload", "gamma"]).code(0);
    assert_eq!(host.default(), "onramp_spaced");
    onramp(["unload", "spaced"]).code(0);
    assert_eq!(host.default(), before);
    drop((first, second));
}

#[test]
fn load_keeps_bbr_where_it_is_the_default() {
    let Some(_machine) = machine() else { return };
    let has = |name: &str| {
        let names = onramp_kernel::allowed_names().unwrap();
        names.iter().any(|allowed| allowed == name)
    };
    wait_until_free("onramp_gamma");
    let host = Namespace::new("bbr");
    let undo = Loaded("gamma");
    if has("bbr") {
        host.sysctl("tcp_congestion_control", Some("bbr"));
        host.onramp(&["load", "gamma"]).code(0).says(&[
            "gamma, then bbr.",
            "This host's default is bbr, so bbr follows.",
        ]);
        onramp(["unload", "gamma"]).code(0);
        let told = host.onramp(&["load", "gamma", "--avoidance", "cubic"]);
        told.code(0).says(&["gamma, then cubic."]);
        onramp(["unload", "gamma"]).code(0);
    }
    host.sysctl("tcp_congestion_control", Some("reno"));
    host.onramp(&["load", "gamma"])
        .code(0)
        .says(&["gamma, then reno."]);
    drop(undo);
}

#[test]
fn a_restricted_start_up_is_not_made_a_default() {
    let Some(_machine) = machine() else { return };
    onramp(["load", "gamma", "--restricted", "--default"])
        .code(2)
        .warns(&["--restricted", "--default"]);
    let _loaded = Loaded::new("gamma", &["--restricted"]);
    onramp(["status"]).code(0).says(&["restricted"]);
    // Root may use it for itself.
    onramp(["exec", "--startup", "gamma", "--", "true"]).code(0);
}

#[test]
fn doctor_says_that_root_of_a_user_namespace_is_not_enough() {
    let doctor = [env!("CARGO_BIN_EXE_onramp"), "doctor", "--json"];
    let mut command = Command::new("unshare");
    command.arg("-Ur").args(doctor);
    let possible = Command::new("unshare").args(["-Ur", "true"]).status();
    if !possible.is_ok_and(|status| status.success()) {
        eprintln!("left out: this host makes no user namespaces");
        return;
    }
    let checks = run(command).code(3).json();
    let mut checks = checks.as_array().unwrap().iter();
    let permission = checks.find(|check| check["what"] == "permission").unwrap();
    assert_eq!(permission["verdict"], "lacks");
    let mend = permission["mend"].as_str().unwrap();
    assert_has(mend, &["user namespace", "CAP_BPF"]);
}

#[test]
fn doctor_names_who_may_choose_and_who_else_chooses() {
    let Some(_machine) = machine() else { return };
    let check = |what: &str| {
        let checks = onramp(["doctor", "--json"]).json();
        let mut checks = checks.as_array().unwrap().clone().into_iter();
        checks.find(|check| check["what"] == what).expect(what)
    };
    let allowed = "net.ipv4.tcp_allowed_congestion_control";
    let found = check(allowed)["found"].as_str().unwrap().to_owned();
    for name in onramp_kernel::allowed_names().unwrap() {
        assert!(found.contains(&name), "{found}");
    }
    let loaded = Loaded::new("gamma", &["--restricted"]);
    let restricted = check(allowed);
    assert_eq!(restricted["verdict"], "advice");
    assert_has(restricted["mend"].as_str().unwrap(), &["onramp_gamma"]);
    drop(loaded);
    // Programs of Onramp are not somebody else's.
    let others = check("other programs that choose");
    assert!(
        !others["found"].as_str().unwrap().contains("onramp_"),
        "{others}"
    );
}

#[test]
fn doctor_names_the_routes_that_act_on_the_start() {
    let Some(_machine) = machine() else { return };
    let script = "ip link set lo up && \
        ip route add 10.77.0.0/16 dev lo initcwnd 32 && \
        ip route add 10.78.0.0/16 dev lo congctl reno ssthresh 20 && \
        exec \"$0\" doctor --json";
    let mut command = Command::new("unshare");
    command.args(["-n", "sh", "-c", script, env!("CARGO_BIN_EXE_onramp")]);
    let checks = run(command).json();
    let found = |what: &str| {
        let mut checks = checks.as_array().unwrap().iter();
        let check = checks.find(|check| check["what"] == what).expect(what);
        assert_eq!(check["verdict"], "advice");
        check["found"].as_str().unwrap().to_owned()
    };
    assert_eq!(
        found("initial window (initcwnd)"),
        "10.77.0.0/16 32 segments"
    );
    assert_eq!(
        found("routes that decide the start"),
        "10.78.0.0/16 congctl reno, 10.78.0.0/16 ssthresh 20"
    );
}
