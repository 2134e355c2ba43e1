//! `--out` and `--record` cannot write: reported before the first transfer, or after the results
//! are printed.

use crate::common::sandbox::{mount_tmpfs, with_own_mounts};
use crate::common::*;
use nix::mount::{mount, MsFlags};
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

const SHORT: &str = "[[transfer]]\nsize = \"300 kB\"\nstartup = \"paced\"\n";
/// A transfer of more than an hour: a command that starts it hangs.
const LONG: &str = "[[transfer]]\nsize = \"10 GB\"\nstartup = \"paced\"\n";

fn lab(file: &Path, option: &str, target: &Path) -> Ran {
    onramp([
        OsStr::new("lab"),
        file.as_os_str(),
        option.as_ref(),
        target.as_os_str(),
    ])
}

/// Asserts that a command is refused as bad input before anything runs.
#[track_caller]
fn refused_at_once(ran: Ran, parts: &[&str]) {
    let ran = ran.code(2).warns(parts);
    assert!(ran.stdout.is_empty(), "{ran:#?}");
}

fn fill(dir: &Path) {
    let mut file = fs::File::create(dir.join("full")).unwrap();
    while file.write_all(&[0; 4096]).is_ok() {}
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_the_run() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let file = scenario(dir.path(), "long", "", LONG);
    refused_at_once(
        lab(&file, "--out", &file),
        &["long.toml is not a directory", "--out"],
    );
    refused_at_once(
        lab(&file, "--out", &file.join("below")),
        &["not a directory"],
    );
    let before = fs::read(&file).unwrap();

    let disk = dir.path().join("disk");
    fs::create_dir(&disk).unwrap();
    with_own_mounts(|| {
        mount_tmpfs(&disk, "size=64k");
        fill(&disk);
        for out in [disk.clone(), disk.join("new")] {
            refused_at_once(lab(&file, "--out", &out), &["No space left on device"]);
        }
        assert_eq!(Vec::from_iter(listing(&disk)), ["full"]);
        let read_only = MsFlags::MS_REMOUNT | MsFlags::MS_RDONLY;
        mount(None::<&str>, &disk, None::<&str>, read_only, None::<&str>).unwrap();
        refused_at_once(
            lab(&file, "--out", &disk),
            &["disk", "Read-only file system"],
        );
        refused_at_once(
            lab(&file, "--record", &disk.join("recording")),
            &["disk/recording", "Read-only file system"],
        );
    });
    refused_at_once(lab(&file, "--record", dir.path()), &["it is a directory"]);
    refused_at_once(
        lab(&file, "--record", &dir.path().join("no/recording")),
        &["No such file or directory"],
    );
    assert_eq!(fs::read(&file).unwrap(), before);
    assert_eq!(Vec::from_iter(listing(dir.path())), ["disk", "long.toml"]);
}

#[test]
fn a_full_disk_prevents_the_report_but_not_the_table_and_keeps_an_earlier_report() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let file = scenario(dir.path(), "short", "", SHORT);
    let disk = dir.path().join("disk");
    fs::create_dir(&disk).unwrap();
    with_own_mounts(|| {
        mount_tmpfs(&disk, "size=32k");
        fs::write(disk.join("report.html"), "the earlier one").unwrap();
        let ran = lab(&file, "--out", &disk)
            .code(2)
            .says(&["300 kB", "paced + cubic"]);
        assert!(!ran.stdout.contains("Report:"), "{ran:#?}");
        ran.warns(&["disk/", "No space left on device"]);
        assert_eq!(Vec::from_iter(listing(&disk)), ["report.html"]);
        assert_eq!(
            fs::read(disk.join("report.html")).unwrap(),
            b"the earlier one"
        );
    });
}

#[test]
fn a_full_disk_prevents_the_recording_but_not_the_table() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let file = scenario(
        dir.path(),
        "short",
        "",
        &SHORT.replace("\"paced\"", "[\"paced\", \"standard\"]"),
    );
    let disk = dir.path().join("disk");
    fs::create_dir(&disk).unwrap();
    with_own_mounts(|| {
        mount_tmpfs(&disk, "size=16k");
        lab(&file, "--record", &disk.join("recording"))
            .code(2)
            .says(&["300 kB", "paced + cubic"])
            .warns(&["disk/recording", "No space left on device"]);
        assert!(listing(&disk).is_empty());
    });
}

#[test]
fn a_recording_does_not_replace_a_device() {
    let Some(_machine) = machine() else { return };
    let dir = tempfile::tempdir().unwrap();
    let file = scenario(dir.path(), "long", "", LONG);
    let dev = dir.path().join("dev");
    fs::create_dir(&dev).unwrap();
    with_own_mounts(|| {
        mount_tmpfs(&dev, "size=64k");
        let null = dev.join("null");
        let mode = nix::sys::stat::Mode::from_bits_truncate(0o666);
        let device = nix::sys::stat::makedev(1, 3);
        nix::sys::stat::mknod(&null, nix::sys::stat::SFlag::S_IFCHR, mode, device).unwrap();
        refused_at_once(lab(&file, "--record", &null), &["dev/null: it is a device"]);
        assert!(fs::metadata(&null).unwrap().file_type().is_char_device());
    });
}
