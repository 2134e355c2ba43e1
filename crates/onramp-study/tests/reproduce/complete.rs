//! Every row and figure of every paper.

use super::*;
use onramp_core::fnv1a;
use onramp_papers::{papers, Alternative, Bench, Options, Part, Row, Settings};
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

/// All papers with the default options.
struct Results {
    rows: Value,
    /// The table of the ledger's entries.
    entries: String,
    /// The figures, by the names of their files, such as `PAPER/figure-3.svg`.
    figures: BTreeMap<String, String>,
}

impl Results {
    fn measure(seeds: &[&str]) -> Results {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().to_str().unwrap();
        let rows_only = ["--json", "--no-alternatives", "--no-kernel", "--out", out];
        let arguments = ["reproduce", "all"].into_iter().chain(rows_only);
        let ran = ran(command(arguments.chain(seeds.iter().copied())));
        let rows = ran.json();
        ran.code(code_of(&rows));
        Results {
            rows,
            entries: fs::read_to_string(dir.path().join("ledger.md")).unwrap(),
            figures: figures(dir.path()),
        }
    }
}

fn results() -> &'static Results {
    static RESULTS: OnceLock<Results> = OnceLock::new();
    RESULTS.get_or_init(|| Results::measure(&[]))
}

fn rows() -> &'static [Value] {
    results().rows.as_array().unwrap()
}

/// `ONRAMP_UPDATE_DOCS=1` writes the table into the page instead.
#[test]
#[ignore = "takes minutes: make test-papers"]
fn the_ledger_in_the_docs_has_the_verdicts() {
    const BEGIN: &str = "<!-- entries -->\n\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/papers/ledger.md");
    let page = fs::read_to_string(&path).unwrap();
    let (text, table) = page.split_once(BEGIN).expect("the page has a table");
    let entries = &results().entries;
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

/// `ONRAMP_UPDATE_DOCS=1` writes the figures into the docs instead.
#[test]
#[ignore = "takes minutes: make test-papers"]
fn the_figures_in_the_docs_are_those_of_the_papers() {
    let images = images();
    if std::env::var_os("ONRAMP_UPDATE_DOCS").is_some() {
        let _ = fs::remove_dir_all(&images); // there is none before the first time
        let files: Vec<_> = results().figures.iter().collect();
        onramp_report::write_files(&images, &files).unwrap();
        return;
    }
    let in_docs = figures(&images);
    let differ = |name: &&String| in_docs.get(*name) != results().figures.get(*name);
    let names = in_docs.keys().chain(results().figures.keys());
    let others: BTreeSet<_> = names.filter(differ).collect();
    assert!(
        others.is_empty(),
        "docs/papers/images is out of date: ONRAMP_UPDATE_DOCS=1 make test-papers\n\
         {others:#?}"
    );
}

#[test]
#[ignore = "takes minutes: make test-papers"]
fn every_row_of_every_paper() {
    let (mut table, mut reproduced, mut counted) = (String::new(), 0, 0);
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
        let within = row["seeds"]["within"]
            .as_f64()
            .map_or(String::new(), |within| {
                format!(
                    ", {:.0} % of {} seeds",
                    100.0 * within,
                    row["seeds"]["count"]
                )
            });
        counted += usize::from(verdict != "algebra");
        reproduced += usize::from(verdict == "reproduced");
        table += &format!("{paper} {id:<26} {expected:>10} {measured:>10} {unit:<4} ");
        table += &format!("{rule:<6} {verdict}{within}\n");
    }
    table += &format!("{reproduced} of {counted} reproduced\n");
    insta::assert_snapshot!(table);
}

/// Simulations repeat on every machine, so a change that leaves the first seed of every row as it
/// was leaves the verdicts as they were. A change that moves a value here needs `make
/// test-papers`, which has this snapshot among its inputs (.ci/stages.toml).
#[test]
#[ignore = "takes minutes: make test-papers-one-seed"]
fn one_seed_of_every_row_and_figure() {
    let results = Results::measure(&["--seeds", "1"]);
    // Formulas may differ in the last digits where the C library does.
    let value = |value: &Value| match value.as_f64() {
        Some(number) => format!("{number:.9e}"),
        None => text(value),
    };
    let rows = results.rows.as_array().unwrap().iter();
    let row = |row: &Value| format!("{} {}\n", text(&row["id"]), value(&row["measured"]));
    let figures = results.figures.iter();
    let figure = |(name, svg): (&String, &String)| format!("{name} {:016x}\n", fnv1a(svg.bytes()));
    let lines: String = rows.map(row).chain(figures.map(figure)).collect();
    insta::assert_snapshot!(lines);
}

fn four_digits(number: f64) -> String {
    onramp_papers::Value::Number(number).to_string()
}

#[test]
#[ignore = "takes minutes: make test-papers"]
fn a_row_that_misses_has_a_cause_and_chance_has_evidence() {
    let ledgers = onramp_papers::papers();
    let all = ledgers.iter().flat_map(|paper| &paper.ledger.rows);
    let without_cause: Vec<_> = all
        .filter(|row| row.kind.is_none() || (row.cause.is_empty() && row.undecided.is_empty()))
        .map(|row| row.id.as_str())
        .collect();
    let missed = rows().iter().filter(|row| !is_good(row));
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

/// Of these rows of a part, those whose result is as decided under these keys. A row that agrees as
/// decided has another result where it would not be reproduced, and any other row where it agrees.
fn unmoved<'a>(part: &Part, named: &[&'a Row], keys: Settings) -> Vec<&'a Row> {
    let options = Options {
        seeds: 25,
        other_seeds: None,
        threads: 1,
        sim: onramp_sim::Options::default(),
        progress: &|| {},
    };
    let bench = Bench::new(&options, &part.about.scenarios, keys);
    let measured = (part.measure)(&bench).unwrap();
    let is_unmoved = |row: &&&Row| {
        let record = rows().iter().find(|record| record["id"] == row.id).unwrap();
        let decided = match &record["measured"] {
            Value::String(text) => onramp_papers::Value::Text(text.clone()),
            number => onramp_papers::Value::Number(number.as_f64().unwrap_or(f64::NAN)),
        };
        let samples = measured.samples().find(|(id, _)| *id == row.id).unwrap().1;
        match row.expected.agrees(row.rule, &decided) {
            true => row.verdict_by(samples) == onramp_papers::Verdict::Reproduced,
            false => !row.expected.agrees(row.rule, &samples.value()),
        }
    };
    named.iter().filter(is_unmoved).copied().collect()
}

/// The ledger calls a row undecided because of an alternative only where that decides it.
#[test]
#[ignore = "takes minutes: make test-papers"]
fn an_alternative_decides_the_rows_that_it_names() {
    let mut idle = Vec::new();
    for paper in papers() {
        for part in &paper.parts {
            let of_part = |alternative: &Alternative| -> Vec<&Row> {
                let rows = paper.ledger.rows.iter().filter(|row| part.has(row));
                rows.filter(|row| alternative.decides.contains(&row.id))
                    .collect()
            };
            let choices = paper.ledger.choices.iter();
            for alternative in choices.flat_map(|choice| &choice.alternatives) {
                let rows = of_part(alternative);
                if rows.is_empty() {
                    continue;
                }
                let unmoved = unmoved(part, &rows, Settings::of_table(&alternative.set));
                let name = |row: &&Row| format!("{}: {}", alternative.name, row.id);
                idle.extend(unmoved.iter().map(name));
            }
        }
    }
    assert!(idle.is_empty(), "{idle:#?}");
}
