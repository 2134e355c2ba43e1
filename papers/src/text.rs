//! A paper on a terminal.
use crate::{Paper, Reproduction};
/// The rows.
pub fn text(_paper: &Paper, reproduction: &Reproduction) -> String {
    let mut text = String::new();
    for r in &reproduction.records {
        text += &format!(
            "{:28} {:>10} {:>10} {:22} {:6} {} {}\n",
            r.id,
            r.expected.to_string(),
            r.measured.to_string(),
            r.spread_text(),
            r.rule.to_string(),
            if r.reproduced { "ok" } else { "MISS" },
            r.what
        );
    }
    for i in &reproduction.influences {
        for (name, records) in &i.alternatives {
            text += &format!("-- {name}\n");
            for r in records {
                text += &format!(
                    "{:28} {:>10} {:>10} {:22} {}\n",
                    r.id,
                    r.expected.to_string(),
                    r.measured.to_string(),
                    r.spread_text(),
                    if r.reproduced { "ok" } else { "MISS" }
                );
            }
        }
    }
    text
}
