//! The paths of RFC 9743 that no other set of scenarios has, for docs/rfc9743.md.

use super::*;

/// The scenarios, and their titles on the page, in its order.
const PATHS: [(&str, &str); 7] = [
    ("deep-queue", "50 Mbit/s, 100 ms, queue of"),
    ("heavy-loss", "50 Mbit/s, 100 ms, random loss of"),
    ("real-time", "50 Mbit/s, 100 ms, beside a call"),
    ("red", "50 Mbit/s, 100 ms, RED"),
    ("codel", "50 Mbit/s, 100 ms, CoDel"),
    ("constrained", "queue of 20 packets,"),
    ("data-center", "queue of 300 packets,"),
];

/// The path of a cell, for people.
fn title(cell: &Cell) -> String {
    let path = cell.any();
    let (name, title) = PATHS
        .into_iter()
        .find(|(scenario, _)| path["scenario"] == *scenario)
        .unwrap();
    let varied = match name {
        "deep-queue" => format!(" {}", path["queue"].as_str().unwrap()),
        "heavy-loss" => format!(" {}", path["loss"].as_str().unwrap()),
        "constrained" | "data-center" => format!(
            " {} Mbit/s, {} ms",
            cell.number("rate_bits_per_s") / 1e6,
            cell.number("rtt_ms")
        ),
        _ => String::new(),
    };
    format!("{title}{varied}")
}

#[test]
fn on_the_paths_of_rfc_9743() {
    let all: Vec<_> = files("evaluation")
        .iter()
        .flat_map(|file| cells(file))
        .collect();
    let mut table =
        table_head("| path | size | time, CUBIC and onramp | resent | longest queue, BDP | exit |");
    let mut lines = 0;
    for (scenario, _) in PATHS {
        for cell in all.iter().filter(|c| c.any()["scenario"] == scenario) {
            let [none_s, onramp_s] = cell.completions_s().map(|s| s * 1e3);
            let [none_bdp, onramp_bdp] = cell.medians("peak_queue_bdp");
            let digits = if none_s < 10.0 { 2 } else { 0 };
            writeln!(
                table,
                "| {} | {:.1} MB | {none_s:.digits$} {onramp_s:.digits$} ms | {} | \
                 {none_bdp:.2} {onramp_bdp:.2} | {} |",
                title(cell),
                cell.number("size_bytes") / 1e6,
                cell.retransmissions_text(),
                cell.exits()
            )
            .unwrap();
            lines += 1;
        }
    }
    assert_eq!(lines, all.len(), "a scenario has no title");
    assert_in_page("rfc9743.md", "evaluation", &table);
}
