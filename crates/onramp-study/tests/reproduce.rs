//! `onramp reproduce`: its output. `make test-papers` also runs the tests of every row of every
//! paper, which simulate for minutes.

#[path = "../../onramp/tests/common/mod.rs"]
mod common;
mod html;

use common::process::Background;
use common::*;
use html::well_formed;
use nix::sys::signal::Signal;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const PAPER: &str = "aron-druschel-1998";
/// Its alternatives take the least time.
const FAST: &str = "nishida-packet-pair";
const PAPERS: [&str; 5] = [
    PAPER,
    "chaher-geo-satellite",
    FAST,
    "ritter-guaranteed-bandwidth",
    "wang-astart",
];

/// The figures of the papers in the docs.
fn images() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/papers/images")
}

/// The figures of all papers below a directory, by the names of their files.
fn figures(dir: &Path) -> BTreeMap<String, String> {
    let of_paper = |paper: &str| {
        let files = listing(&dir.join(paper)).into_iter();
        let names = files.filter(|name| name.ends_with(".svg"));
        names
            .map(|name| format!("{paper}/{name}"))
            .collect::<Vec<_>>()
    };
    let names = PAPERS.into_iter().flat_map(of_paper);
    let text = |name: &String| fs::read_to_string(dir.join(name)).unwrap();
    names.map(|name| (name.clone(), text(&name))).collect()
}

/// Runs with few seeds: these tests do not check the numbers.
fn quick_of(paper: &str, more: &[&str]) -> Ran {
    onramp(
        ["reproduce", paper, "--quick", "--seeds", "2"]
            .iter()
            .chain(more),
    )
}

/// Other answers to open questions are measured only where a test needs them: they take ten times
/// as long.
fn quick(more: &[&str]) -> Ran {
    quick_of(PAPER, &[&["--no-alternatives"], more].concat())
}

/// Whether a row is reproduced, or does not count.
fn is_good(row: &Value) -> bool {
    ["reproduced", "algebra"].contains(&row["verdict"].as_str().unwrap())
}

/// The exit code: 0 if every row that counts is reproduced, else 1.
fn code_of(rows: &Value) -> i32 {
    i32::from(!rows.as_array().unwrap().iter().all(is_good))
}

#[test]
fn rows_are_shown_by_part_with_their_verdicts_and_sums() {
    let ran = quick(&[]);
    let count = |word: &str| {
        let lines = ran.stdout.lines();
        lines
            .filter(|line| line.ends_with(&format!("  {word}")))
            .count()
    };
    let counts = ["reproduced", "undecided", "consistent", "MISSED"].map(count);
    let [reproduced, undecided, consistent, missed] = counts;
    let rows: usize = counts.iter().sum();
    let sums = format!(
        "{rows} rows: {reproduced} reproduced, {undecided} undecided, {consistent} consistent, \
         {missed} missed; "
    );
    let ran = ran.code(i32::from(reproduced < rows)).says(&[
        "Rice University",
        "PAPER",
        "A.fig6.1",
        "(section 5.1.1)",
        &sums,
        "medians of 2 seeds",
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
    assert!(!quick(&[]).stdout.contains(OPEN));
    let mut papers = onramp_papers::papers().into_iter();
    let paper = papers.find(|paper| paper.ledger.id == FAST).unwrap();
    let ran = quick_of(FAST, &[]);
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
    let threads = |number| quick_of(FAST, &["--threads", number]).stdout;
    assert_eq!(threads("1"), threads("2"));
}

#[test]
fn the_json_is_an_array_of_records() {
    let ran = quick(&["--json"]);
    let rows = ran.json();
    for row in rows.as_array().unwrap() {
        let members = [
            "expected", "id", "measured", "note", "paper", "rule", "section", "seeds", "unit",
            "verdict", "what",
        ];
        assert_eq!(keys(row), members);
        assert_eq!(row["paper"], PAPER);
        assert!(row["unit"].is_string() && row["note"].is_string(), "{row}");
        if !row["seeds"].is_null() {
            let members = ["central", "count", "half", "quantile", "within"];
            assert_eq!(keys(&row["seeds"]), members);
        }
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
fn rows_with_another_verdict_for_other_seeds_are_listed() {
    let ran = quick(&["--flips", "1,2"]);
    assert!(
        ran.stdout
            .ends_with(" rows have another verdict: 2 seeds, 1 others, 2 others\n"),
        "{ran:#?}"
    );
    let code = i32::from(!ran.stdout.starts_with("none of "));
    ran.code(code);
    onramp(["reproduce", PAPER, "--flips", "2", "--out", "x"]).code(2);
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
        "--no-alternatives",
        "--seeds",
        "2",
        "--out",
        out.to_str().unwrap(),
    ]);
    let pages: Vec<String> = PAPERS.map(|paper| format!("{paper}.html")).into();
    // Among the parts that take seconds, those of each paper have a figure.
    let others = ["index.html", "ledger.md", "reproduction.json"];
    let files = others.into_iter().chain(PAPERS).map(str::to_owned);
    assert_eq!(listing(&out), files.chain(pages.clone()).collect());
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
            .any(|one| one.ledger.id == *paper && one.parts.iter().all(|part| part.about.is_quick));
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
fn each_figure_in_the_docs_is_small_and_shown_on_the_page_of_its_paper() {
    const MAX_BYTES: usize = 60_000;
    const MAX_ALL_BYTES: usize = 1_500_000;
    let figures = figures(&images());
    for (name, svg) in &figures {
        assert!(svg.len() < MAX_BYTES, "{name} has {} bytes", svg.len());
        well_formed(svg);
        let (paper, _) = name.split_once('/').unwrap();
        let page = images().join(format!("../{paper}.md"));
        let page = fs::read_to_string(page).unwrap();
        assert!(
            page.contains(&format!("](images/{name})")),
            "docs/papers/{paper}.md does not show {name}"
        );
    }
    let all: usize = figures.values().map(String::len).sum();
    assert!(all < MAX_ALL_BYTES, "{all} bytes");
}

/// `ONRAMP_KERNEL_TABLES=DIR` writes the tables of DIR into the pages instead, where `onramp
/// reproduce all --only-kernel --out DIR` has made them.
#[test]
fn each_page_has_a_table_of_this_kernel_with_all_its_transfers() {
    const BEGIN: &str = "<!-- kernel -->\n\n";
    const END: &str = "\n<!-- end of kernel -->";
    for paper in onramp_papers::papers() {
        let id = &paper.ledger.id;
        let path = images().join(format!("../{id}.md"));
        let page = fs::read_to_string(&path).unwrap();
        let (before, rest) = page.split_once(BEGIN).expect(id);
        let (table, after) = rest.split_once(END).expect(id);
        if let Some(dir) = std::env::var_os("ONRAMP_KERNEL_TABLES") {
            let measured = Path::new(&dir).join(id).join("kernel.md");
            if let Ok(measured) = fs::read_to_string(measured) {
                fs::write(path, format!("{before}{BEGIN}{measured}{END}{after}")).unwrap();
            }
            continue;
        }
        let read = |text: &&str| onramp_scenario::parse("kernel.toml", text).unwrap();
        let scenarios: Vec<_> = paper.kernel.iter().map(read).collect();
        let cases = scenarios.iter().flat_map(|scenario| &scenario.cases);
        let transfers: BTreeSet<_> = cases
            .map(|case| {
                let record = onramp_results::Record::of_copy(case, "kernel", 0);
                let algorithms = format!("| {} + {}", record.startup, record.avoidance);
                let path = (record.queue, record.receiver_buffer);
                (record.scenario, path, record.size_bytes, algorithms)
            })
            .collect();
        let rows: Vec<&str> = table.lines().filter(|line| line.starts_with('|')).collect();
        assert_eq!(rows.len() - 2, transfers.len(), "{id}");
        for (scenario, _, _, algorithms) in &transfers {
            let has = |row: &&&str| row.contains(scenario) && row.contains(algorithms);
            assert!(
                rows.iter().any(|row| has(&row)),
                "{id}: {scenario} {algorithms}"
            );
        }
        assert!(table.contains("measured on 20"), "{id}: the date");
    }
}

#[test]
fn one_paper_has_no_index() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().to_str().unwrap();
    quick(&["--out", out, "--json"]).json();
    let page = format!("{PAPER}.html");
    let files = [PAPER.to_owned(), page, "reproduction.json".to_owned()];
    assert_eq!(listing(dir.path()), BTreeSet::from(files));
    let figures = ["figure-7.svg", "figure-9.svg"].map(str::to_owned);
    let figures = BTreeSet::from(figures);
    assert_eq!(
        listing(&dir.path().join(PAPER)),
        figures,
        "the quick parts'"
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

#[path = "reproduce/complete.rs"]
mod complete;
