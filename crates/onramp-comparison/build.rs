//! Embeds the scenario files that `families.toml` may name.

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The folders below `scenarios/` whose files are embedded.
const FOLDERS: [&str; 4] = ["", "others", "real", "second"];

fn main() {
    let scenarios = Path::new(&std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join("scenarios");
    let mut list = String::new();
    for folder in FOLDERS {
        let folder = scenarios.join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        let entries = std::fs::read_dir(&folder).expect("the folder is part of the crate");
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        files.retain(|file| {
            file.extension()
                .is_some_and(|extension| extension == "toml")
        });
        files.sort();
        for file in files {
            let stem = file.file_stem().unwrap();
            writeln!(list, "({stem:?}, include_str!({file:?})),").unwrap();
        }
    }
    let out = Path::new(&std::env::var_os("OUT_DIR").unwrap()).join("scenarios.rs");
    std::fs::write(out, format!("&[{list}]")).unwrap();
}
