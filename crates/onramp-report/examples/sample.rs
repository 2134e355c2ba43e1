//! Writes a report from made-up results, to look at:
//! `cargo run -p onramp-report --example sample -- DIR`.

use onramp_report::{prepare, table, write, Meta, Run, TableOptions};
use onramp_testing::samples::{Setup, SATELLITE, SHALLOW};
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let dir = std::env::args()
        .nth(1)
        .unwrap_or_else(|| "/tmp/onramp-sample".to_owned());
    let dir = Path::new(&dir);
    prepare(dir)?;
    let mut runs = Vec::new();
    for setup in [
        SATELLITE,
        Setup {
            size_bytes: 100_000,
            ..SATELLITE
        },
        SHALLOW,
    ] {
        for (startup, avoidance) in [
            ("none", "cubic"),
            ("none", "bbr"),
            ("paced", "cubic"),
            ("gamma", "cubic"),
        ] {
            for run in 1..=3 {
                let (mut record, trace) =
                    onramp_testing::samples::run(&setup, startup, avoidance, run);
                record.suspect = startup == "gamma" && run == 2;
                if record.suspect {
                    record.lateness_p99_us = 812.0;
                }
                runs.push(Run {
                    record,
                    trace: (setup.size_bytes > 100_000).then_some(trace),
                });
            }
        }
    }
    let records: Vec<_> = runs.iter().map(|run| run.record.clone()).collect();
    print!(
        "{}",
        table(
            &records,
            &TableOptions {
                width: 100,
                colour: true
            }
        )
    );
    let meta = Meta {
        title: "Start-ups on a satellite path".to_owned(),
        what: "Made-up transfers of two sizes over a geostationary satellite and over a path with \
               a shallow queue, each with four senders, three times."
            .to_owned(),
        scenarios: vec![(
            "geo-download".to_owned(),
            "A download over a geostationary satellite.".to_owned(),
        )],
        version: env!("CARGO_PKG_VERSION").to_owned(),
        command: "onramp sim scenarios/demo.toml --out report".to_owned(),
        date: "2031-05-04 12:00 UTC".to_owned(),
        kernel_release: "6.18.5".to_owned(),
        cpus: 2,
    };
    let written = write(dir, &meta, &runs)?;
    println!("{}", written.report.display());
    Ok(())
}
