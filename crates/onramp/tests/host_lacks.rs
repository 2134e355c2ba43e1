//! Hosts that lack something: root, type information, an avoidance. The exit code is 3, and the
//! message says what is missing.

use crate::common::sandbox::{mount_file, mount_tmpfs, with_own_mounts};
use crate::common::*;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

const TRANSFER: &str = "[[transfer]]\nsize = \"100 kB\"\n";
const NOBODY: u32 = 65_534;

fn as_nobody(dir: &Path, arguments: &[&str]) -> Ran {
    let mut command = Command::new(dir.join("onramp"));
    command
        .args(arguments)
        .current_dir(dir)
        .uid(NOBODY)
        .gid(NOBODY);
    run(command)
}

/// The remedy of a check that fails in `doctor --json`.
#[track_caller]
fn lacks(doctor: &Ran, what: &str) -> String {
    assert_eq!(doctor.code, Some(3));
    let checks = doctor.json();
    let check = checks
        .as_array()
        .unwrap()
        .iter()
        .find(|check| check["what"] == what)
        .expect("doctor makes this check");
    assert_eq!(check["verdict"], "lacks", "{check}");
    check["mend"]
        .as_str()
        .expect("the check has a remedy")
        .to_owned()
}

#[test]
fn without_root_each_command_that_needs_it_says_so() {
    let Some(_machine) = machine() else { return };
    let dir = public_dir();
    scenario(dir.path(), "good", "", TRANSFER);
    scenario(dir.path(), "broken", "qeue = \"1 bdp\"", TRANSFER);
    let try_ = |arguments: &[&str]| as_nobody(dir.path(), arguments);

    for arguments in [
        &["lab", "good.toml"][..],
        &["load"],
        &["unload", "paced"],
        &["status"],
        &["ss"],
        &["advise", "--for", "1s"],
        &["exec", "--", "touch", "must-not-run"],
    ] {
        let ran = try_(arguments).code(3);
        assert!(
            ran.stderr.contains("root") && ran.stderr.contains("CAP_"),
            "{arguments:?}: {ran:#?}"
        );
        assert!(ran.stdout.is_empty(), "{arguments:?}: {ran:#?}");
        let ran = try_(&[&["--json"], arguments].concat()).code(3);
        assert_eq!(ran.json_error()["exit_code"], 3);
        assert!(
            ran.json_error()["error"].as_str().unwrap().contains("root"),
            "{arguments:?}: {ran:#?}"
        );
    }
    assert!(!dir.path().join("must-not-run").exists());
    try_(&["list"])
        .code(0)
        .says(&["paced", "standard", "gamma", "spaced", "cubic"]);
    let mend = lacks(&try_(&["doctor", "--json"]), "permission");
    assert!(
        mend.contains("needs root (CAP_BPF and CAP_NET_ADMIN)"),
        "{mend}"
    );
    try_(&["doctor"])
        .code(3)
        .says(&["LACKS", "permission", &mend]);
    // The input is checked first: its errors do not depend on the host.
    try_(&["lab", "broken.toml"])
        .code(2)
        .warns(&["did you mean `queue`?"]);
    try_(&["load", "pacd"]).code(2).warns(&["paced"]);
}

#[test]
fn without_type_information_commands_without_bpf_work() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let paced = scenario(
        dir.path(),
        "paced",
        "",
        &format!("{TRANSFER}startup = \"paced\""),
    );
    let none = scenario(
        dir.path(),
        "none",
        "",
        &format!("{TRANSFER}startup = \"none\""),
    );
    let mark = dir.path().join("must-not-run");
    with_own_mounts(|| {
        mount_tmpfs("/sys/kernel/btf", "size=4k");
        for arguments in [
            &["load"][..],
            &["status"],
            &["ss"],
            &["exec", "--", "touch", mark.to_str().unwrap()],
            &["lab", paced.to_str().unwrap()],
        ] {
            onramp(arguments)
                .code(3)
                .warns(&["(BTF)", "CONFIG_DEBUG_INFO_BTF=y"]);
        }
        assert!(!mark.exists());
        let mend = lacks(&onramp(["doctor", "--json"]), "type information (BTF)");
        assert!(mend.contains("CONFIG_DEBUG_INFO_BTF=y"), "{mend}");
        onramp(["doctor"]).code(3).says(&["LACKS", &mend]);
        onramp(["list"]).code(0).says(&["cubic      no"]);
        onramp(["lab".as_ref(), none.as_os_str()])
            .code(0)
            .says(&["100 kB", "cubic"]);
    });
}

#[test]
fn a_transfer_without_its_avoidance_is_left_out_only_with_skip_missing() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let transfers =
        "[[transfer]]\nsize = \"50 kB\"\nstartup = \"none\"\navoidance = [\"bbr\", \"cubic\"]\n";
    let file = scenario(dir.path(), "both", "", transfers);
    let available = dir.path().join("available");
    fs::write(&available, "reno cubic\n").unwrap();
    with_own_mounts(|| {
        mount_file(
            &available,
            "/proc/sys/net/ipv4/tcp_available_congestion_control",
        );
        let ran = onramp([
            "lab".as_ref(),
            file.as_os_str(),
            "--skip-missing".as_ref(),
            "--json".as_ref(),
        ])
        .code(0);
        let records = ran.json();
        let avoidances: Vec<_> = records
            .as_array()
            .unwrap()
            .iter()
            .map(|record| &record["avoidance"])
            .collect();
        assert_eq!(avoidances, ["cubic"]);
        ran.warns(&["note: this kernel has no bbr: 1 transfer left out"]);
    });
}

#[test]
fn without_a_cgroup_hierarchy_in_the_file_tree_exec_mounts_one_of_its_own() {
    let Some(_machine) = machine() else { return };
    let mount = onramp_kernel::cgroup2_mount().unwrap();
    let left = || {
        let entries = std::fs::read_dir(onramp_kernel::own_cgroup().unwrap()).unwrap();
        entries
            .flatten()
            .filter(|entry| {
                entry
                    .file_name()
                    .to_string_lossy()
                    .starts_with("onramp-exec-")
            })
            .count()
    };
    let before = left();
    with_own_mounts(|| {
        nix::mount::umount2(&mount, nix::mount::MntFlags::MNT_DETACH).unwrap();
        let ran = onramp([
            "exec",
            "--json",
            "--",
            "sh",
            "-c",
            "grep -q ^0::.*/onramp-exec- /proc/self/cgroup",
        ])
        .code(0);
        ran.warns(&["\"refused\":0"]);
        onramp(["doctor"]).says(&["not mounted here: exec mounts one of its own"]);
    });
    assert_eq!(left(), before);
}

#[test]
fn without_the_tun_device_lab_names_the_module() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let file = scenario(dir.path(), "tun", "", TRANSFER);
    with_own_mounts(|| {
        mount_tmpfs("/dev/net", "size=4k");
        onramp(["lab".as_ref(), file.as_os_str()])
            .code(3)
            .warns(&["/dev/net/tun", "modprobe tun"]);
        assert!(
            lacks(&onramp(["doctor", "--json"]), "namespaces and TUN (lab)")
                .contains("modprobe tun")
        );
        // Other commands work although the lab cannot.
        onramp(["exec", "--", "true"]).code(0);
    });
}
