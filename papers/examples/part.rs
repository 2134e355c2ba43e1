//! Measures the parts of the papers whose rows begin with an id, or whose heading begins with these
//! words, with other keys of their scenarios and any number of seeds, and prints each row's values:
//! for trying a reading of a paper.
//!
//! ```text
//! cargo run --release -p onramp-papers --example part -- A.fig8 --seeds 40 \
//!     'wan-late: link.framing="packets"' transfer.recovery='"reno"'
//! ```

use onramp_papers::{papers, Bench, Options, Samples, Settings};
use onramp_report::statistics::median;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let id = arguments
        .next()
        .ok_or("the id of a row or a part's heading, or its beginning")?;
    let (mut seeds, mut keys) = (9, toml::Table::new());
    while let Some(argument) = arguments.next() {
        if argument == "--seeds" {
            seeds = arguments.next().ok_or("a number of seeds")?.parse()?;
            continue;
        }
        let (key, value) = argument.rsplit_once('=').ok_or("key=value")?;
        let value: toml::Table = format!("value = {value}").parse()?;
        keys.insert(key.to_owned(), value["value"].clone());
    }
    let options = Options {
        seeds,
        other_seeds: None,
        threads: std::thread::available_parallelism()?.get(),
        sim: onramp_sim::Options::default(),
        progress: &|| {},
    };
    for paper in papers() {
        for part in paper.parts {
            let about = part.about;
            let has_row = |one: &String| one.starts_with(&id) || id.starts_with(one);
            if !about.ids.iter().any(has_row) && !about.title.starts_with(&id) {
                continue;
            }
            let bench = Bench::new(&options, &about.scenarios, Settings::of_table(&keys));
            let measured = (part.measure)(&bench)?;
            for (row, samples) in measured.samples() {
                match samples {
                    Samples::Exactly(value) => println!("{row:<28} {value}"),
                    Samples::Answers(answers) => {
                        let yes = answers.iter().filter(|yes| **yes).count();
                        println!("{row:<28} yes in {yes} of {}", answers.len());
                    }
                    Samples::Numbers(numbers) => {
                        let mut sorted = numbers.clone();
                        sorted.sort_by(f64::total_cmp);
                        println!("{row:<28} {:.4}  {sorted:.3?}", median(numbers));
                    }
                }
            }
            for table in &measured.tables {
                print!("{}", table.csv());
            }
            for remark in &measured.remarks {
                println!("{remark}");
            }
        }
    }
    Ok(())
}
