//! The results on today's kernel, as text and as a section of a page.

use super::{OnKernel, Row};
use onramp_cli::text::{columns, wrapped};
use onramp_kernel::probe;
use onramp_papers::Figure;
use onramp_report::head;
use onramp_report::reproduction::{PageCell, PageTable, Section};
use onramp_report::statistics::median;
use onramp_results::Record;
use onramp_scenario::units;

/// Columns of a line of the docs.
const DOCS_WIDTH: usize = 100;

/// The note that these numbers are not those of the papers.
const NOT_THE_PAPERS: &str =
    "Not the paper's numbers: what its networks give today's TCP, between real sockets of \
                              this machine's kernel over an emulated path, and in the simulator.";

const HEAD: &str =
    "scenario | size | start-up | kernel | simulator | kernel, wasted RTTs | simulator, wasted \
     RTTs | kernel, resent | simulator, resent";

impl OnKernel {
    fn heading() -> String {
        format!("On today's kernel (Linux {})", probe::kernel_release())
    }

    /// The results as text. `remarks` are those of the ledger.
    pub fn text(&self, remarks: &[String], width: usize) -> String {
        let mut text = Self::heading() + "\n" + &wrapped(" ", 1, NOT_THE_PAPERS, width);
        for paragraph in remarks {
            text += &wrapped(" ", 1, paragraph, width);
        }
        let head = head("SCENARIO | SIZE | START-UP | TIME | WASTED RTTS | RESENT");
        let row = |row: &Row| {
            let [scenario, size, startup, numbers @ ..] = self.cells(row);
            let pairs = numbers
                .chunks(2)
                .map(|pair| format!("{} / {}", pair[0], pair[1]));
            [scenario, size, startup].into_iter().chain(pairs).collect()
        };
        text += &columns(
            &std::iter::once(head)
                .chain(self.rows.iter().map(row))
                .collect::<Vec<_>>(),
        );
        text += &wrapped(" ", 1, &self.legend("Kernel / simulator. "), width);
        text
    }

    /// The results as a section of a page.
    pub fn section(&self, remarks: &[String]) -> Section {
        let cells = |row: &Row| self.cells(row).map(PageCell::from).to_vec();
        let paragraphs = std::iter::once(NOT_THE_PAPERS).chain(remarks.iter().map(String::as_str));
        Section {
            heading: Self::heading(),
            paragraphs: paragraphs
                .map(str::to_owned)
                .chain([self.legend("")])
                .collect(),
            tables: vec![PageTable {
                caption: String::new(),
                head: head(HEAD),
                rows: self.rows.iter().map(cells).collect(),
            }],
            figures: self.figures.iter().map(Figure::page_figure).collect(),
        }
    }

    /// The results as Markdown, for the paper's page in the docs. `date` begins with the day.
    pub fn markdown(&self, date: &str) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let rows = self.rows.iter().map(|row| line(self.cells(row).into()));
        let day = date.get(..10).unwrap_or(date);
        let release = probe::kernel_release();
        let version = release.split('-').next().unwrap_or(&release);
        let measured = format!("The kernel was measured on {day}, with Linux {version}. ");
        let below = wrapped("", 0, &self.legend(&measured), DOCS_WIDTH);
        line(head(HEAD))
            + &line(vec!["---".to_owned(); head(HEAD).len()])
            + &rows.collect::<String>()
            + "\n"
            + &below
                .lines()
                .map(str::trim_start)
                .collect::<Vec<_>>()
                .join("\n")
            + "\n"
    }

    /// The cells of a row. Its queue and its receive buffer are named if other rows of the scenario
    /// have others.
    fn cells(&self, row: &Row) -> [String; 9] {
        let record = &row.kernel[0];
        let mut cells = row.cells();
        let others = self.rows.iter().map(|other| &other.kernel[0]);
        let mut same = others.filter(|other| other.scenario == record.scenario);
        if same.clone().any(|other| other.queue != record.queue) {
            cells[0] += &format!(", queue {}", record.queue);
        }
        if same.any(|other| other.receiver_buffer != record.receiver_buffer) {
            cells[0] += &format!(", receive buffer {}", record.receiver_buffer);
        }
        cells
    }

    fn legend(&self, prefix: &str) -> String {
        let suspect = self.rows.iter().any(Row::is_suspect);
        let busy = if suspect {
            " † marks runs that other work disturbed: the kernel's time may be wrong."
        } else {
            ""
        };
        format!(
            "{prefix}Each time is the median over the copies of a transfer that ran at the same \
             time, and over the repeats. For a transfer that does not end, the table shows the \
             data that arrived by the end of the run. Wasted RTTs are the time beyond the minimum \
             time of a transfer alone on the path, in round trips. Resent counts the retransmitted \
             segments of all copies and repeats.{busy}"
        )
    }
}

impl Row {
    fn is_suspect(&self) -> bool {
        self.kernel.iter().any(|record| record.suspect)
    }

    fn cells(&self) -> [String; 9] {
        let record = &self.kernel[0];
        let copies = self
            .kernel
            .iter()
            .filter(|copy| copy.run == record.run)
            .count();
        let times = if copies > 1 {
            format!("{copies} x ")
        } else {
            String::new()
        };
        let mark = if self.is_suspect() { " †" } else { "" };
        let arrived = |records: &[Record]| {
            let megabytes = median_of(records, |record| Some(record.delivered_bytes as f64 / 1e6));
            megabytes.map(|megabytes| format!("{megabytes:.1} MB"))
        };
        let seconds = |records: &[Record]| {
            median_of(records, |record| record.completion_s)
                .map(|seconds| format!("{seconds:.3} s"))
                .or_else(|| arrived(records))
        };
        let wasted = |records: &[Record]| {
            median_of(records, |record| record.excess_rtts).map(|rtts| format!("{rtts:.1}"))
        };
        let resent = |records: &[Record]| {
            records
                .iter()
                .map(|record| record.retransmitted_segments)
                .sum::<u64>()
        };
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
        [
            record.scenario.clone(),
            format!("{times}{}", units::format_size(record.size_bytes)),
            format!("{} + {}{mark}", record.startup, record.avoidance),
            or_none(seconds(&self.kernel)),
            or_none(seconds(&self.sim)),
            or_none(wasted(&self.kernel)),
            or_none(wasted(&self.sim)),
            resent(&self.kernel).to_string(),
            resent(&self.sim).to_string(),
        ]
    }
}

/// The median. A missing value counts as longer than the others; `None` if the median is missing.
fn median_of(records: &[Record], value: fn(&Record) -> Option<f64>) -> Option<f64> {
    let values: Vec<f64> = records
        .iter()
        .map(|record| value(record).unwrap_or(f64::INFINITY))
        .collect();
    Some(median(&values)).filter(|median| median.is_finite())
}

#[cfg(test)]
mod tests {
    use super::super::add;
    use super::*;
    use onramp_report::Run;

    const SCENARIO: &str = "name = \"two\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 ms\"\n\
                            [[transfer]]\nsize = \"1 MB\"\ncount = 2\nrepeat = 2\n";

    /// The copies of a run, completed after these times.
    fn copies(run: usize, times_s: [Option<f64>; 2]) -> Vec<Run> {
        let scenario = onramp_scenario::parse("two.toml", SCENARIO).unwrap();
        let record = |(copy, time_s): (usize, Option<f64>)| {
            let mut record = Record::of_copy(&scenario.cases[run], "kernel", copy as u32);
            if let Some(time_s) = time_s {
                record.complete(time_s);
            }
            record.retransmitted_segments = 3;
            Run {
                record,
                trace: None,
            }
        };
        times_s.into_iter().enumerate().map(record).collect()
    }

    #[test]
    fn copies_and_repeats_of_a_transfer_are_one_row() {
        let mut rows = Vec::new();
        for run in [0, 1] {
            let times_s = [Some(2.0 + run as f64), Some(4.0 + run as f64)];
            add(&mut rows, [copies(run, times_s), copies(run, times_s)]);
        }
        let [row] = &rows[..] else {
            panic!("{} rows", rows.len())
        };
        let cells = row.cells();
        assert_eq!(
            [&cells[1][..], &cells[3], &cells[7]],
            ["2 x 1 MB", "3.500 s", "12"]
        );
    }

    #[test]
    fn transfers_with_different_receive_buffers_are_different_rows() {
        let mut rows = Vec::new();
        for buffer in ["32 KiB", "1 MiB"] {
            let both = [0, 1].map(|_| {
                let mut runs = copies(0, [Some(2.0), Some(2.0)]);
                runs.iter_mut()
                    .for_each(|run| run.record.receiver_buffer = buffer.to_owned());
                runs
            });
            add(&mut rows, both);
        }
        let all = OnKernel {
            rows,
            figures: Vec::new(),
        };
        let names: Vec<String> = all
            .rows
            .iter()
            .map(|row| all.cells(row)[0].clone())
            .collect();
        assert_eq!(
            names,
            ["two, receive buffer 32 KiB", "two, receive buffer 1 MiB"]
        );
        let one = OnKernel {
            rows: all.rows.into_iter().take(1).collect(),
            figures: Vec::new(),
        };
        assert_eq!(one.cells(&one.rows[0])[0], "two");
    }

    #[test]
    fn queues_are_named_where_they_differ_and_data_where_no_transfer_ends() {
        let mut rows = Vec::new();
        for queue in ["0.05 bdp", "1 bdp"] {
            let both = [0, 1].map(|_| {
                let mut runs = copies(0, [None, None]);
                for run in &mut runs {
                    run.record.queue = queue.to_owned();
                    run.record.delivered_bytes = 1_500_000;
                }
                runs
            });
            add(&mut rows, both);
        }
        let all = OnKernel {
            rows,
            figures: Vec::new(),
        };
        let text = all.markdown("2031-05-04T12:00:00Z");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[2],
            "| two, queue 0.05 bdp | 2 x 1 MB | standard + cubic | 1.5 MB | 1.5 MB | – | – | 6 \
             | 6 |"
        );
        assert!(lines[3].starts_with("| two, queue 1 bdp |"), "{text}");
        assert!(text.contains("measured on 2031-05-04"), "{text}");
        assert!(
            lines[4..].iter().all(|line| line.chars().count() <= 100),
            "{text}"
        );
    }

    #[test]
    fn there_is_no_median_if_half_of_the_values_are_missing() {
        let records: Vec<Record> = copies(0, [Some(2.0), None])
            .into_iter()
            .map(|run| run.record)
            .collect();
        assert_eq!(median_of(&records, |record| record.completion_s), None);
        assert_eq!(median_of(&[], |record| record.completion_s), None);
    }
}
