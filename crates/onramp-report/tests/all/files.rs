//! The files of `--out DIR`, after success and after errors.

use nix::mount::{mount, umount, MsFlags};
use onramp_report::{prepare, prepare_files, write, write_files, Error, Meta, Run};
use onramp_results::Record;
use onramp_testing::samples::{record, run, SHALLOW};
use std::fs;
use std::path::{Path, PathBuf};

fn runs(n: u32) -> Vec<Run> {
    (1..=n)
        .map(|repeat| {
            let (record, trace) = run(&SHALLOW, "paced", "cubic", repeat);
            Run {
                record,
                trace: Some(trace),
            }
        })
        .collect()
}

/// The names of all files and directories below a directory, relative to it and sorted.
fn listing(dir: &Path) -> Vec<String> {
    let mut names = Vec::new();
    let mut open = vec![dir.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            names.push(path.strip_prefix(dir).unwrap().display().to_string());
            if path.is_dir() {
                open.push(path);
            }
        }
    }
    names.sort();
    names
}

#[test]
fn a_report_has_its_files_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("new/report");
    prepare(&out).unwrap();
    assert_eq!(
        listing(dir.path()),
        [] as [&str; 0],
        "the check leaves nothing"
    );
    let written = write(&out, &Meta::default(), &runs(2)).unwrap();
    let expected = [
        "meta.json",
        "report.html",
        "results.csv",
        "results.json",
        "traces",
        "traces/0.json",
        "traces/1.json",
    ];
    assert_eq!(listing(&out), expected);
    assert_eq!(written.report, out.join("report.html"));
    assert_eq!(written.files.len(), 6);
    for file in written
        .files
        .iter()
        .filter(|f| f.extension().is_some_and(|e| e == "json"))
    {
        serde_json::from_slice::<serde_json::Value>(&fs::read(file).unwrap()).unwrap();
    }
}

#[test]
fn files_of_others_stay_and_outdated_traces_are_removed() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), &Meta::default(), &runs(2)).unwrap();
    for other in ["notes.txt", "traces/mine.json", "traces/77.json"] {
        fs::write(dir.path().join(other), "mine").unwrap();
    }
    write(
        dir.path(),
        &Meta {
            title: "Second".into(),
            ..Meta::default()
        },
        &runs(1),
    )
    .unwrap();
    let names = listing(dir.path());
    for kept in [
        "notes.txt",
        "traces/mine.json",
        "traces/77.json",
        "traces/0.json",
    ] {
        assert!(names.iter().any(|name| name == kept), "{kept}");
    }
    assert!(!names.iter().any(|name| name == "traces/1.json"));
    assert!(fs::read_to_string(dir.path().join("report.html"))
        .unwrap()
        .contains("Second"));
}

#[test]
fn a_chart_is_written_for_a_comparison_over_paths_and_removed_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let transfer = |startup: &str, rtt_ms| Run {
        record: Record {
            rtt_ms,
            ..record("gain", startup, "cubic", 1)
        },
        trace: None,
    };
    let comparison: Vec<Run> = [20.0, 100.0, 600.0]
        .into_iter()
        .flat_map(|rtt_ms| ["none", "onramp"].map(|startup| transfer(startup, rtt_ms)))
        .collect();
    write(dir.path(), &Meta::default(), &comparison).unwrap();
    assert!(listing(dir.path()).contains(&"figures/gain.svg".to_owned()));
    write(dir.path(), &Meta::default(), &comparison[..2]).unwrap();
    assert!(!listing(dir.path())
        .iter()
        .any(|name| name.starts_with("figures")));
}

#[test]
fn slowdowns_are_written_where_sizes_are_drawn_and_removed_with_them() {
    let dir = tempfile::tempdir().unwrap();
    let flow = |size_bytes| Run {
        record: Record {
            sizes: "web-search".to_owned(),
            size_bytes,
            ..record("flows", "none", "cubic", 1)
        },
        trace: None,
    };
    let flows = [flow(10_000), flow(1_000_000)];
    write(dir.path(), &Meta::default(), &flows).unwrap();
    let table = fs::read_to_string(dir.path().join("slowdown.csv")).unwrap();
    assert!(
        table.starts_with("scenario,conditions,startup,upto_bytes,flows,"),
        "{table}"
    );
    assert_eq!(table.lines().count(), 3, "{table}");
    let page = fs::read_to_string(dir.path().join("report.html")).unwrap();
    assert!(page.contains("Slowdown by size"));
    write(dir.path(), &Meta::default(), &runs(1)).unwrap();
    assert!(!listing(dir.path()).contains(&"slowdown.csv".to_owned()));
}

#[test]
fn an_earlier_list_cannot_name_files_outside() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::write(dir.path().join("1.json"), "mine").unwrap();
    fs::write(
        out.join("meta.json"),
        r#"{"files": ["../1.json", "traces/../../1.json", "/etc/x"]}"#,
    )
    .unwrap();
    write(&out, &Meta::default(), &runs(1)).unwrap();
    assert!(dir.path().join("1.json").exists());
}

#[test]
fn a_file_where_the_directory_goes_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("taken");
    fs::write(&file, "mine").unwrap();
    for out in [file.clone(), file.join("below")] {
        for error in [
            prepare(&out).unwrap_err(),
            write(&out, &Meta::default(), &[]).unwrap_err(),
        ] {
            assert!(
                matches!(&error, Error::NotADirectory { path } if *path == file),
                "{error:?}"
            );
            assert!(
                error.to_string().contains("taken is not a directory"),
                "{error}"
            );
        }
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert_eq!(listing(dir.path()), ["taken"]);
}

#[test]
fn a_directory_where_a_file_goes_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("report.html")).unwrap();
    for error in [
        prepare(dir.path()).unwrap_err(),
        write(dir.path(), &Meta::default(), &[]).unwrap_err(),
    ] {
        assert!(
            matches!(
                error,
                Error::InTheWay {
                    expected: "file",
                    ..
                }
            ),
            "{error:?}"
        );
    }
    assert_eq!(listing(dir.path()), ["report.html"]);
}

#[test]
fn an_error_removes_the_directories_that_it_created() {
    let dir = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink("nowhere", dir.path().join("broken")).unwrap();
    let error = write(&dir.path().join("broken/x"), &Meta::default(), &[]).unwrap_err();
    assert!(error.to_string().contains("broken"), "{error}");
    assert_eq!(listing(dir.path()), ["broken"]);
}

#[test]
fn files_of_any_names_are_written_and_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("new/paper");
    let files = [("data/figure-4.json", "{}"), ("index.html", "a page")];
    prepare_files(&out, &files.map(|f| f.0)).unwrap();
    assert_eq!(
        listing(dir.path()),
        [] as [&str; 0],
        "the check leaves nothing"
    );
    assert_eq!(
        write_files(&out, &files).unwrap(),
        files.map(|f| out.join(f.0))
    );
    fs::write(out.join("data/mine.txt"), "mine").unwrap();
    write_files(&out, &[("index.html", "another")]).unwrap();
    assert_eq!(
        listing(&out),
        ["data", "data/figure-4.json", "data/mine.txt", "index.html"]
    );
    assert_eq!(
        fs::read_to_string(out.join("index.html")).unwrap(),
        "another"
    );
}

#[test]
fn names_that_lead_out_of_the_directory_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    for name in [
        "", ".", "..", "../x", "a/../x", "/etc/x", "./x", "a//x", "x/", "x\0",
    ] {
        let error = write_files(dir.path(), &[("good", ""), (name, "")]).unwrap_err();
        assert!(
            matches!(&error, Error::BadName { name: bad } if bad == name),
            "{error}"
        );
        assert!(prepare_files(dir.path(), &[name]).is_err());
    }
    for names in [["x", "x"], ["x", "x/y"], ["x/y", "x"]] {
        assert!(
            matches!(
                prepare_files(dir.path(), &names),
                Err(Error::BadName { .. })
            ),
            "{names:?}"
        );
    }
    assert_eq!(listing(dir.path()), [] as [&str; 0]);
}

#[test]
fn obstacles_are_found_before_any_file_is_written() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("data"), "mine").unwrap();
    fs::create_dir(dir.path().join("index.html")).unwrap();
    for (name, expected) in [("data/x.json", "directory"), ("index.html", "file")] {
        let error = write_files(dir.path(), &[("first", ""), (name, "")]).unwrap_err();
        assert!(
            error
                .to_string()
                .contains(&format!("the report's {expected} of that name")),
            "{error}"
        );
        assert!(prepare_files(dir.path(), &[name]).is_err());
    }
    let error = write_files(&dir.path().join("data/below"), &[("x", "")]).unwrap_err();
    assert!(matches!(error, Error::NotADirectory { .. }), "{error}");
    assert_eq!(listing(dir.path()), ["data", "index.html"]);
}

/// A small file system, unmounted at the end of the test.
struct Small {
    dir: tempfile::TempDir,
}

impl Small {
    /// `None` where this user may not mount. With CI=true, that is an error: no test is skipped.
    fn mount(options: &str, flags: MsFlags) -> Option<Small> {
        let dir = tempfile::tempdir().unwrap();
        match mount(
            Some("tmpfs"),
            dir.path(),
            Some("tmpfs"),
            flags,
            Some(options),
        ) {
            Ok(()) => Some(Small { dir }),
            Err(e) if std::env::var("CI").is_ok_and(|ci| ci == "true") => {
                panic!("cannot mount a tmpfs: {e}")
            }
            Err(e) => {
                eprintln!("skipped: cannot mount a tmpfs: {e}");
                None
            }
        }
    }

    fn path(&self) -> PathBuf {
        self.dir.path().to_owned()
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        umount(self.dir.path()).unwrap();
    }
}

#[test]
fn a_full_disk_keeps_the_earlier_report_and_leaves_no_leftovers() {
    let Some(disk) = Small::mount("size=256k", MsFlags::empty()) else {
        return;
    };
    let out = disk.path().join("report");
    let small = [Run {
        record: record("a", "none", "cubic", 1),
        trace: None,
    }];
    write(&out, &Meta::default(), &small).unwrap();
    let before = fs::read(out.join("report.html")).unwrap();
    let error = write(&out, &Meta::default(), &runs(3)).unwrap_err();
    assert!(
        error.to_string().contains("No space left on device"),
        "{error}"
    );
    assert!(
        error
            .to_string()
            .contains(&format!("cannot write {}", out.display())),
        "{error}"
    );
    assert_eq!(fs::read(out.join("report.html")).unwrap(), before);
    assert_eq!(
        listing(&out),
        ["meta.json", "report.html", "results.csv", "results.json"]
    );
    let error = write(&disk.path().join("new/other"), &Meta::default(), &runs(3)).unwrap_err();
    assert!(matches!(error, Error::Io { .. }));
    assert_eq!(
        fs::read_dir(disk.path()).unwrap().count(),
        1,
        "the new directories are gone"
    );
}

#[test]
fn a_read_only_disk_is_reported_before_the_run() {
    let Some(disk) = Small::mount("size=64k", MsFlags::MS_RDONLY) else {
        return;
    };
    for out in [disk.path(), disk.path().join("new")] {
        let error = prepare(&out).unwrap_err();
        assert!(
            error.to_string().contains("Read-only file system"),
            "{error}"
        );
    }
}

#[test]
fn a_disk_without_room_is_reported_before_the_run() {
    let Some(disk) = Small::mount("size=64k", MsFlags::empty()) else {
        return;
    };
    let _ = fs::write(disk.path().join("fill"), vec![0; 1 << 17]);
    let error = prepare(&disk.path()).unwrap_err();
    assert!(
        error.to_string().contains("No space left on device"),
        "{error}"
    );
    assert_eq!(listing(&disk.path()), ["fill"]);
}
