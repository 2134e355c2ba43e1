//! What `onramp compare-startups` prints and writes.

use super::super::{lab, runs};
use crate::cli::CompareStartupsArguments;
use crate::commands::unwritten;
use onramp_cli::text::{out, say};
use onramp_cli::{print_json, Answer};
use onramp_comparison::{page, tables, Comparison, PageOptions, SideBySide};
use onramp_report::{table_to_csv, write_files};
use serde::Serialize;

const JSON: &str = "comparison.json";
const ROWS: &str = "comparison.csv";
const CELLS: &str = "cells.csv";
const PAGE: &str = "report.html";

/// The files of `--out`. The page is the last one.
pub const FILES: [&str; 4] = [JSON, ROWS, CELLS, PAGE];

/// The results. The serialised names are an interface (`onramp compare-startups --json`).
#[derive(Serialize)]
pub struct Output {
    #[serde(flatten)]
    pub comparison: Comparison,
    /// Simulator and kernel, if both have run.
    pub kernel: Vec<SideBySide>,
    /// What was not run, and why.
    pub left_out: Vec<String>,
}

impl Output {
    /// Prints the results, and writes them into the directory of `--out`.
    pub fn conclude(
        self,
        arguments: &CompareStartupsArguments,
        ending: Answer,
        json: bool,
    ) -> Answer {
        let has_results = self
            .comparison
            .families
            .iter()
            .any(|family| !family.rows.is_empty());
        let written = match arguments.out.as_deref().filter(|_| has_results) {
            Some(folder) => {
                Some(write_files(folder, &self.files(arguments, &ending)).map_err(unwritten)?)
            }
            None => None,
        };
        if json {
            print_json(&self);
            return ending;
        }
        if has_results {
            self.print();
        }
        if let Some(page) = written.as_ref().and_then(|files| files.last()) {
            say!("Report: {}", page.display());
        }
        ending
    }

    fn print(&self) {
        let comparison = &self.comparison;
        out(format_args!("{}\n", tables::times(comparison).text()));
        out(format_args!(
            "{}\n",
            tables::retransmissions(comparison).text()
        ));
        if let [only] = comparison.families.as_slice() {
            out(format_args!("{}\n", tables::family(only).text()));
        }
        if !self.kernel.is_empty() {
            out(format_args!(
                "{}\n",
                tables::side_by_side(&self.kernel).text()
            ));
        }
    }

    fn files(
        &self,
        arguments: &CompareStartupsArguments,
        ending: &Answer,
    ) -> Vec<(&'static str, String)> {
        let json = serde_json::to_string_pretty(self).expect("our records have string keys") + "\n";
        let csv = |(head, rows): (Vec<String>, Vec<Vec<String>>)| table_to_csv(&head, &rows);
        let meta = match arguments.lab {
            true => lab::meta("compare-startups", "", &[], ending),
            false => runs::meta("compare-startups", "", &[], ending),
        };
        let options = PageOptions {
            heat_map: arguments.heat_map.clone(),
            kernel: self.kernel.clone(),
            left_out: self.left_out.clone(),
            meta,
        };
        vec![
            (JSON, json),
            (ROWS, csv(tables::rows_for_programs(&self.comparison))),
            (CELLS, csv(tables::cells_for_programs(&self.comparison))),
            (PAGE, page(&self.comparison, &options)),
        ]
    }
}
