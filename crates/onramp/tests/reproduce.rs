//! `onramp reproduce`: its output. In a release build, which takes minutes, every row of every
//! paper.

mod common;

use common::process::Background;
use common::*;
use nix::sys::signal::Signal;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const PAPER: &str = "aron-druschel-1998";
const PAPERS: [&str; 5] = [
    PAPER,
    "chaher-geo-satellite",
    "nishida-packet-pair",
    "ritter-guaranteed-bandwidth",
    "wang-astart",
];

/// Runs with few seeds: these tests do not check the numbers.
fn quick(more: &[&str]) -> Ran {
    onramp(
        ["reproduce", PAPER, "--quick", "--seeds", "2"]
            .iter()
            .chain(more),
    )
}

/// The exit code: 0 if every row is reproduced, 1 if one misses.
fn code_of(rows: &Value) -> i32 {
    i32::from(
        rows.as_array()
            .unwrap()
            .iter()
            .any(|row| row["reproduced"] == false),
    )
}

#[test]
fn rows_are_shown_by_part_with_their_verdicts_and_sums() {
    let ran = quick(&["--no-alternatives"]);
    let missed = ran
        .stdout
        .lines()
        .filter(|line| line.ends_with("  MISSED"))
        .count();
    let reproduced = ran
        .stdout
        .lines()
        .filter(|line| line.ends_with("  reproduced"))
        .count();
    let sums = format!(
        "{} rows: {reproduced} reproduced, 0 consistent, {missed} missed; medians of 2 seeds",
        missed + reproduced
    );
    let ran = ran.code(i32::from(missed > 0)).says(&[
        "Rice University",
        "PAPER",
        "A.fig6.1",
        "(section 5.1.1)",
        &sums,
    ]);
    assert!(
        ran.stderr.is_empty(),
        "quiet in a pipe, and nothing of the kernel: {ran:#?}"
    );
    assert!(!ran.stdout.contains('\u{1b}'), "{ran:#?}");
}

#[test]
fn open_questions_of_the_paper_are_shown_unless_left_out() {
    const OPEN: &str = "What the paper leaves open";
    assert!(!quick(&["--no-alternatives"]).stdout.contains(OPEN));
    let paper = onramp_papers::papers().swap_remove(0);
    let ran = quick(&[]);
    for choice in &paper.ledger.choices {
        let first_words: String = choice
            .question
            .split_whitespace()
            .take(3)
            .collect::<Vec<_>>()
            .join(" ");
        assert!(
            ran.stdout.contains(OPEN) && ran.stdout.contains(&first_words),
            "{first_words}: {ran:#?}"
        );
    }
}

#[test]
fn the_output_is_the_same_each_time() {
    let threads = |number| quick(&["--threads", number]).stdout;
    assert_eq!(threads("1"), threads("2"));
}

#[test]
fn the_json_is_an_array_of_records() {
    let ran = quick(&["--json"]);
    let rows = ran.json();
    for row in rows.as_array().unwrap() {
        let members = [
            "chance",
            "expected",
            "id",
            "measured",
            "note",
            "paper",
            "reproduced",
            "rule",
            "section",
            "spread",
            "unit",
            "verdict",
            "what",
        ];
        assert_eq!(keys(row), members);
        assert_eq!(row["paper"], PAPER);
        assert!(
            row["reproduced"].is_boolean() && row["unit"].is_string() && row["note"].is_string(),
            "{row}"
        );
        assert!(
            row["spread"].is_null()
                || row["spread"]
                    .as_array()
                    .is_some_and(|spread| spread.len() == 2),
            "{row}"
        );
        let rule = row["rule"].as_str().unwrap();
        assert!(
            ["exact", "shape"].contains(&rule) || rule.ends_with('%'),
            "{row}"
        );
    }
    let code = code_of(&rows);
    ran.code(code);
}

#[test]
fn an_unknown_paper_is_refused() {
    onramp(["reproduce", "aron-drushel"])
        .code(2)
        .warns(&["no such paper", "did you mean `aron-druschel-1998`?"]);
    onramp(["reproduce", "aron"])
        .code(2)
        .warns(&["did you mean `aron-druschel-1998`?"]);
    let ran = onramp(["reproduce", "zzz", "--json"]).code(2);
    let error = ran.json_error()["error"].as_str().unwrap().to_owned();
    assert!(
        error.contains(PAPER) && error.contains("all") && !error.contains("did you mean"),
        "{error}"
    );
    for arguments in [
        &["--seeds", "0"][..],
        &["--seeds", "1001"],
        &["--threads", "0"],
        &["--seeds", "many"],
    ] {
        let ran = onramp(["reproduce", "all"].iter().chain(arguments)).code(2);
        assert!(ran.stdout.is_empty(), "{ran:#?}");
    }
}

#[test]
fn out_writes_pages_and_rows() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("new/papers");
    let ran = onramp([
        "reproduce",
        "all",
        "--quick",
        "--seeds",
        "2",
        "--out",
        out.to_str().unwrap(),
    ]);
    let pages: Vec<String> = PAPERS.map(|paper| format!("{paper}.html")).into();
    // Among the parts that take seconds, only those of two papers have tables.
    let others = [
        "index.html",
        "ledger.md",
        "nishida-packet-pair",
        "reproduction.json",
        "ritter-guaranteed-bandwidth",
    ]
    .map(str::to_owned);
    let files = others.into_iter().chain(pages.clone()).collect();
    assert_eq!(listing(&out), files);
    let rows: Value =
        serde_json::from_str(&fs::read_to_string(out.join("reproduction.json")).unwrap()).unwrap();
    let ran = ran
        .code(code_of(&rows))
        .says(&[&format!("Page: {}", out.join("index.html").display())]);
    assert!(ran.stderr.is_empty(), "{ran:#?}");

    let index = fs::read_to_string(out.join("index.html")).unwrap();
    well_formed(&index);
    for (paper, page) in PAPERS.iter().zip(&pages) {
        let html = fs::read_to_string(out.join(page)).unwrap();
        well_formed(&html);
        for row in rows
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| row["paper"] == *paper)
        {
            assert!(
                html.contains(&format!(">{}</td>", row["id"].as_str().unwrap())),
                "{row}"
            );
        }
        let all = onramp_papers::papers();
        let is_whole = all
            .iter()
            .any(|one| one.ledger.id == *paper && one.parts.iter().all(|part| part.quick));
        assert_eq!(
            html.contains(" rows of its "),
            !is_whole,
            "{paper}: are the quick rows all of the paper's?"
        );
        assert!(!html.contains("s kernel (Linux "), "{paper}");
        assert!(index.contains(&format!("<a href=\"{page}\">")), "{index}");
    }
}

#[test]
fn one_paper_has_no_index() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    quick(&["--out", out, "--json"]).json();
    let page = format!("{PAPER}.html");
    assert_eq!(
        listing(dir.path()),
        BTreeSet::from([page, "reproduction.json".to_owned()])
    );
}

#[test]
fn a_place_that_cannot_be_written_is_refused_before_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    fs::write(&file, "mine").unwrap();
    let refused = |out: &Path| {
        let ran = onramp(["reproduce", "all", "--out", out.to_str().unwrap()]).code(2);
        assert!(ran.stdout.is_empty(), "{ran:#?}");
        ran
    };
    refused(&file).warns(&["file is not a directory", "--out"]);
    fs::create_dir_all(dir.path().join("taken/index.html")).unwrap();
    refused(&dir.path().join("taken")).warns(&["index.html is in the way"]);
    assert_eq!(fs::read(&file).unwrap(), b"mine");
}

#[test]
fn sigint_ends_it_and_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("out");
    let run = Background::onramp([
        "reproduce",
        "all",
        "--seeds",
        "1000",
        "--no-kernel",
        "--out",
        out.to_str().unwrap(),
    ]);
    run.wait_until_it_handles(Signal::SIGINT);
    run.signal(Signal::SIGINT);
    let ran = run.wait();
    assert_eq!(ran.code, Some(130), "{ran:#?}");
    assert!(ran.stdout.is_empty() && ran.stderr.is_empty(), "{ran:#?}");
    assert!(!out.exists());
}

/// These tests take many minutes in a debug build. `make test-papers` and CI run them.
#[cfg(not(debug_assertions))]
mod complete {
    use super::*;
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    use std::sync::OnceLock;

    /// Runs without a time limit.
    fn ran(mut command: std::process::Command) -> Ran {
        let start = std::time::Instant::now();
        Ran::of(command.output().unwrap(), start.elapsed())
    }

    fn text(value: &Value) -> String {
        match value {
            Value::String(text) => text.clone(),
            value => value
                .as_f64()
                .map_or("none".to_owned(), |number| number.to_string()),
        }
    }

    /// All rows with the default options, and the table of the ledger's entries.
    fn results() -> &'static (Value, String) {
        static RESULTS: OnceLock<(Value, String)> = OnceLock::new();
        RESULTS.get_or_init(|| {
            let dir = tempfile::tempdir().unwrap();
            let out = dir.path().to_str().unwrap();
            let rows_only = ["--json", "--no-alternatives", "--no-kernel", "--out", out];
            let ran = ran(command(["reproduce", "all"].into_iter().chain(rows_only)));
            let rows = ran.json();
            ran.code(code_of(&rows));
            let entries = fs::read_to_string(dir.path().join("ledger.md")).unwrap();
            (rows, entries)
        })
    }

    fn rows() -> &'static [Value] {
        results().0.as_array().unwrap()
    }

    /// `ONRAMP_UPDATE_DOCS=1` writes the table into the page instead.
    #[test]
    fn the_ledger_in_the_docs_has_the_verdicts() {
        const BEGIN: &str = "<!-- entries -->\n\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/papers/ledger.md");
        let page = fs::read_to_string(&path).unwrap();
        let (text, table) = page.split_once(BEGIN).expect("the page has a table");
        let entries = &results().1;
        if std::env::var_os("ONRAMP_UPDATE_DOCS").is_some() {
            fs::write(&path, format!("{text}{BEGIN}{entries}")).unwrap();
            return;
        }
        assert!(
            table == entries,
            "docs/papers/ledger.md is out of date: \
             ONRAMP_UPDATE_DOCS=1 make test-papers\n{entries}"
        );
    }

    #[test]
    fn every_row_of_every_paper() {
        let (mut table, mut reproduced) = (String::new(), 0);
        for row in rows() {
            let (paper, id) = (row["paper"].as_str().unwrap(), row["id"].as_str().unwrap());
            let measured = row["measured"]
                .as_f64()
                .map_or_else(|| text(&row["measured"]), four_digits);
            let (expected, unit, rule) = (
                text(&row["expected"]),
                text(&row["unit"]),
                text(&row["rule"]),
            );
            let verdict = row["verdict"].as_str().unwrap();
            let place = row["chance"].as_object().map_or(String::new(), |chance| {
                let percent = |name: &str| 100.0 * chance[name].as_f64().unwrap();
                format!(", above {:.0} % of seeds", percent("quantile"))
            });
            reproduced += usize::from(row["reproduced"] == true);
            table += &format!("{paper} {id:<26} {expected:>10} {measured:>10} {unit:<4} ");
            table += &format!("{rule:<6} {verdict}{place}\n");
        }
        table += &format!("{reproduced} of {} reproduced\n", rows().len());
        insta::assert_snapshot!(table);
    }

    fn four_digits(number: f64) -> String {
        onramp_papers::Value::Number(number).to_string()
    }

    #[test]
    fn a_row_that_misses_has_a_cause_and_chance_has_evidence() {
        let ledgers = onramp_papers::papers();
        let all = ledgers.iter().flat_map(|paper| &paper.ledger.rows);
        let without_cause: Vec<_> = all
            .filter(|row| row.cause.is_empty() || row.kind.is_none())
            .map(|row| row.id.as_str())
            .collect();
        let missed = rows().iter().filter(|row| row["reproduced"] == false);
        let unexplained: Vec<_> = missed
            .filter(|row| without_cause.contains(&row["id"].as_str().unwrap()))
            .collect();
        assert!(unexplained.is_empty(), "{unexplained:#?}");
        let by_chance = |id: &str| {
            let mut all = ledgers.iter().flat_map(|paper| &paper.ledger.rows);
            all.any(|row| row.id == id && row.kind == Some(onramp_papers::Kind::Chance))
        };
        let without_evidence: Vec<_> = rows()
            .iter()
            .filter(|row| row["verdict"] == "missed" && by_chance(row["id"].as_str().unwrap()))
            .collect();
        assert!(without_evidence.is_empty(), "{without_evidence:#?}");
    }

    #[test]
    fn without_permission_the_rows_are_judged_and_the_kernel_is_left_out() {
        let Some(_machine) = machine() else { return };
        const NOBODY: u32 = 65_534;
        let dir = tempfile::tempdir().unwrap();
        fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_onramp"), dir.path().join("onramp")).unwrap();
        let mut command = std::process::Command::new(dir.path().join("onramp"));
        command.args([
            "reproduce",
            PAPER,
            "--seeds",
            "1",
            "--chance",
            "0",
            "--no-alternatives",
        ]);
        command.current_dir(dir.path()).uid(NOBODY).gid(NOBODY);
        let ran = ran(command)
            .warns(&["note: the runs on this kernel are left out:", "root"])
            .says(&["1 seed\n"]);
        assert!(
            ran.stderr.lines().count() == 1 && !ran.stdout.contains("today's kernel"),
            "{ran:#?}"
        );
        let misses = |line: &str| line.ends_with("  MISSED") || line.ends_with("  consistent");
        let code = i32::from(ran.stdout.lines().any(misses));
        ran.code(code);
    }

    #[test]
    fn the_results_of_todays_kernel_are_shown_with_the_simulators() {
        let Some(_machine) = machine() else { return };
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().to_str().unwrap();
        let ran = ran(command([
            "reproduce",
            PAPER,
            "--seeds",
            "1",
            "--chance",
            "0",
            "--no-alternatives",
            "--out",
            out,
        ]));
        assert!(ran.stdout.contains("On today's kernel (Linux "), "{ran:#?}");
        let ran = ran.says(&["Not the paper's numbers", "8 x 5 MB", "paced + cubic"]);
        assert!(!ran.stderr.contains("failed:"), "{ran:#?}");
        let page = fs::read_to_string(dir.path().join(format!("{PAPER}.html"))).unwrap();
        well_formed(&page);
        assert!(
            page.contains("On today&#39;s kernel (Linux ")
                || page.contains("On today's kernel (Linux "),
            "{page}"
        );
    }
}

/// Our HTML as XML: these constructs are replaced.
fn well_formed(html: &str) {
    let xml = html.replace("<!DOCTYPE html>\n", "");
    let xml = xml
        .replace("<meta charset=\"utf-8\">", "")
        .replace("scale=1\">", "scale=1\"/>");
    roxmltree::Document::parse(&xml).unwrap_or_else(|error| panic!("{error}"));
}
