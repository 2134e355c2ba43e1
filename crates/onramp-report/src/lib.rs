//! Tables, plots and pages from result records, for people and for programs.
//!
//! | for | use |
//! |---|---|
//! | a terminal | [`table`] for results; [`text_table`] and [`aligned_columns`] for any table |
//! | `--out DIR` | [`prepare`] before a long run, [`write`](write()) after it |
//! | `--json` | [`to_json`], [`to_csv`]; [`table_to_csv`] for any table |
//! | a page of results | [`page`](page()) |
//! | papers computed again | [`reproduction`] for the page, [`write_files`] for its files |
//! | statistics of results | [`statistics`] |
//! | figures of runs as one file | [`figures_file`](figures_file()) |
//! | each figure as a file | [`figure_files`] |
//!
//! Pages are self-contained HTML, written by the template library `maud`. Figures are SVG, drawn by
//! [`onramp_plot`]. Both follow the light or dark scheme of the reader.
//!
//! `docs/results.md` explains every field, column and plot.

mod columns;
mod condition;
mod export;
mod figure;
mod figures_file;
mod html;
mod link;
mod out_dir;
mod overview;
mod page;
pub mod reproduction;
mod run;
mod spread;
pub mod statistics;
mod summary;
mod table;
mod text_table;
mod write;

pub use export::{table_to_csv, to_csv, to_json, SCHEMA_VERSION};
pub use figures_file::{figure_files, figures_file};
pub use out_dir::{prepare_files, write_files, Error};
pub use page::page;
pub use run::{Meta, Run};
pub use table::table;
pub use text_table::{aligned_columns, head, text_table, TableOptions};
pub use write::{prepare, write, Written};

/// The example in the README compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
