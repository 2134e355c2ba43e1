//! An invented paper with results, for the tests of this command.

use super::Done;
use onramp_papers::{
    Influence, Ledger, Paper, Record, ReproducedPart, Reproduction, Seeds, Table, Value, Verdict,
};

const LEDGER: &str = r#"
    id = "someone-1999"
    title = "A paper"
    citation = "Someone, 1999."
    about = []

    [[row]]
    id = "X.one"
    what = "the first number of this paper, which is a long one to describe"
    section = "1"
    expected = 2.0
    unit = "s"
    rule = "10 %"
    note = "Measured at the receiver."
    cause = "The paper's timer is another one."

    [[row]]
    id = "X.two"
    what = "the second"
    section = "2"
    expected = "> 16"
    rule = "shape"
    note = "Measured at the receiver."

    [[choice]]
    question = "Which clock?"
    decided = "500 ms"
    reason = "All hosts of the time had it."
    [[choice.alternative]]
    name = "10 ms"
    set = { "transfer.tick" = "10 ms" }
    [[choice.alternative]]
    name = "by the second reading"
    set = { "transfer.tick" = "1 s" }
"#;

fn record(ledger: &Ledger, index: usize, number: f64) -> Record {
    let row = &ledger.rows[index];
    let measured = Value::Number(number);
    let reproduced = row.expected.agrees(row.rule, &measured);
    let seeds = Seeds {
        count: 200,
        half: [number - 1.0, number + 1.0],
        central: [number - 2.0, number + 2.0],
        within: if reproduced { 1.0 } else { 0.31 },
        quantile: 0.07,
    };
    Record {
        paper: ledger.id.clone(),
        id: row.id.clone(),
        what: row.what.clone(),
        expected: row.expected.clone(),
        verdict: match reproduced {
            true => Verdict::Reproduced,
            false => Verdict::Consistent,
        },
        measured,
        seeds: Some(seeds),
        unit: row.unit.clone(),
        rule: row.rule,
        note: row.note.clone(),
        section: row.section.clone(),
    }
}

/// Two rows, of which one misses, and a question that the paper leaves open.
pub fn done() -> Done {
    let ledger = Ledger::read(LEDGER);
    let records = |numbers: [f64; 2]| {
        vec![
            record(&ledger, 0, numbers[0]),
            record(&ledger, 1, numbers[1]),
        ]
    };
    let influence = Influence {
        question: ledger.choices[0].question.clone(),
        alternatives: vec![
            ("10 ms".to_owned(), records([2.05, 20.0])),
            (
                "by the second reading".to_owned(),
                records([f64::NAN, 20.1]),
            ),
        ],
    };
    let reproduction = Reproduction {
        records: records([3.0, 20.0]),
        parts: vec![ReproducedPart {
            title: "Both (section 1)".to_owned(),
            first_record: 0,
            figures: Vec::new(),
            tables: Vec::new(),
            remarks: vec!["A remark.".to_owned()],
        }],
        influences: vec![influence],
        seeds: 9,
    };
    Done {
        paper: Paper {
            ledger,
            parts: Vec::new(),
            kernel: &[],
            kernel_figures: None,
        },
        reproduction,
        kernel: None,
    }
}

/// The table of a study.
pub fn sweep() -> Table {
    let row = |cells: [&str; 5]| cells.map(str::to_owned).to_vec();
    Table {
        name: "sweep".to_owned(),
        caption: "Completion of 1 MB after 100 ms, by bandwidth: medians of the seeds.".to_owned(),
        head: row([
            "bandwidth, Mbit/s",
            "start-up",
            "none, s",
            "paced, s",
            "saved, %",
        ]),
        rows: vec![
            row(["1", "slow, alone", "9.21", "9.20", "0.1"]),
            row(["100", "slow", "1.5", "0.625", "58.3"]),
            row(["1000", "fast", "1.4", "–", "–"]),
        ],
    }
}
