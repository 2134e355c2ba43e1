//! The entries of the ledger: what the five papers measured, each with the rows that check it.
//!
//! An entry counts as reproduced only if all of its rows are.

use crate::{Kind, Ledger, Record, Verdict};

/// An entry of the ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its id. The ids of its rows are the same, or begin with it and a dot.
    pub id: &'static str,
    /// What was measured.
    pub what: &'static str,
    /// The paper's values.
    pub paper: &'static str,
}

/// `ID: WHAT => PAPER;`
macro_rules! entries {
    ($($id:literal: $what:literal => $paper:literal;)*) => {
        [$(Entry { id: $id, what: $what, paper: $paper }),*]
    };
}

/// All entries, by paper.
pub const ENTRIES: [Entry; 50] = entries! {
    "A.fig3": "8 transfers over the WAN: throughput of runs of 1, 5, 10, 20, 30 s"
        => "6.62, 19.81, 30.52, 56.36, 68.65 %";
    "A.fig3.data": "the data of a sender by then" => "145.8 KB, 2.2, 6.7, 24.8, 45.3 MB";
    "A.fig4": "first loss, timeout, end of slow start, next loss, of one segment, by fast \
        retransmit; idle before the timeout" => "1.2, 2.8, 3.4, 26.5 s; 1.6 s";
    "A.fig4.fill": "after the timeout, time until cwnd is 145 KB" => "> 16 s";
    "A.fig5": "handshake, and the window from then on" => "60 ms, 512 KB";
    "A.fig6": "12 rows of four timeouts" => "the table";
    "A.fig7": "T1 link, second sender: throughput in 5 s with three timers" => "44, 55, 66 %";
    "A.fig7.both": "senders that time out" => "both";
    "A.fig7.delay": "mean timeout delay with three timers" => "2 s, 1.5 s, always < 1 s";
    "A.fig7.gain": "more bytes with the proposed timers" => "170 KB";
    "A.fig8": "WAN, eighth sender: timeouts, bytes in 5 s, more bytes" => "6 of 7, < 20 MB, 1.5 MB";
    "A.fig8.delay": "mean timeout delay with three timers" => "1.5, 0.95, 0.7 s";
    "A.fig9": "satellite: peak of orig-Lite, and two gains" => "18 %, 5 x, 5 x";
    "A.fig10": "WAN: gain, end of slow start, pacing at 10 and 2 ms" => "10 x, 0.7 s, +20 %, +85 %";
    "A.naive": "a burst of the whole pipe" => "extreme congestion";
    "A.pthresh": "half of the estimate, sent in a round trip" => "no longer queue";
    "C.eq": "beta, W_B, W_max, gamma_max, R_max" => "0.267, 69.1, 179.0, 0.38, 480";
    "C.fig6": "Tahoe: throughput, share, a double slow start in each cycle"
        => "161 packets/s, 60.5 %, yes, from W_max/4";
    "C.fig7": "gamma = 0.34"
        => "172 packets/s, 4 points more, no double slow start, from gamma W_max";
    "C.fig8": "gamma below 1/4" => "153 packets/s, one slow start per cycle";
    "C.fig9": "spacing, R = 440" => "195 packets/s, from W_max/2";
    "C.fig10": "spacing, R = 300; W_max of figures 6 to 10"
        => "195 packets/s, from W_max/2; the same";
    "C.order": "the order of the four" => "153 < 161 < 172 < 195";
    "C.fig2": "gamma_max against rho" => "curves, closed form";
    "C.fig3": "W'_th against gamma" => "pieces and breaks, closed form";
    "C.fig4": "throughput against gamma for beta 0.5, 0.25, 0.125"
        => "a jump for two, a gain only for 0.25, less with a wrong gamma";
    "C.fig5": "throughput against R for the same" => "a jump at R_max, flat below it";
    "C.eq7": "gamma by packet pairs and RTT tracking" => "can be adopted";
    "C.eq8": "the adaptive gamma" => "settles at gamma_max";
    "C.avoidance": "spacing in congestion avoidance too"
        => "no loss, growth to the receiver's window";
    "N.fig5": "the ladder: pairs, interval, paced segments, delayed ACKs"
        => "nine times, an interval, a count";
    "N.fig8": "symmetric path, Reno: segments in 10 s" => "173";
    "N.fig9": "the same with packet pairs" => "212 (+22 %)";
    "N.fig11": "slow return path, Reno: segments in 20 s" => "308";
    "N.fig12": "the same, the sender probes" => "407 (+32 %)";
    "N.fig13": "the same, both ends probe" => "433 (+40 %)";
    "W.reno": "Reno: time to the ideal window, utilization in 10 s" => "100 s, 5.97 %";
    "W.high": "ssthresh above the path's" => "multiple losses, a coarse timeout";
    "W.early": "Reno and Vegas leave slow start early" => "yes";
    "W.hoe": "Hoe: good alone, losses with a small buffer or joining traffic" => "yes";
    "W.astart": "Adaptive Start: high utilization, no multiple losses" => "yes";
    "W.restart": "Astart after a coarse timeout" => "resets ssthresh repeatedly, fast, no \
        multiple losses";
    "R.fig1": "normal TCP, 100 KB over 500 ms: share of the reservation; sweep; a dropped packet"
        => "37 %, falls with RTT, yes";
    "R.fig4.1": "normal TCP: bursts and gaps" => "yes";
    "R.fig4.2": "without delayed ACKs" => "little change";
    "R.fig4.3": "slow start off, 32 KB window" => "512 kbit/s";
    "R.fig4.5": "slow start off, scaled window" => "1 Mbit/s, 3 x normal";
    "R.burst": "what the application gets after a repair" => "a burst with a higher rate";
    "R.police": "drops at the policer: normal TCP, the proposal" => "yes, none";
    "R.isolation": "sockets without the option" => "the same packets";
};

/// The entry to which a row belongs: of several the one with the longest id. `None` for rows beyond
/// the ledger.
pub fn entry_of(row: &str) -> Option<&'static Entry> {
    let has = |entry: &&Entry| {
        let rest = row.strip_prefix(entry.id);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    ENTRIES
        .iter()
        .filter(has)
        .max_by_key(|entry| entry.id.len())
}

/// The verdict on an entry: that of its worst row. `None` without a row.
pub fn verdict<'a>(records: impl IntoIterator<Item = &'a Record>) -> Option<Verdict> {
    records.into_iter().map(|record| record.verdict).max()
}

/// The table of all entries as Markdown: verdict, rows, and why those that miss do.
pub fn entries_table(records: &[Record], ledgers: &[Ledger]) -> String {
    let mut text = "| entry | what | the paper | rows | verdict | the rows that miss |\n\
                    |---|---|---|---|---|---|\n"
        .to_owned();
    for entry in &ENTRIES {
        let of_entry = || {
            let belongs = |record: &&Record| entry_of(&record.id) == Some(entry);
            records.iter().filter(belongs)
        };
        let counted = || of_entry().filter(|record| record.verdict != Verdict::Algebra);
        let reproduced = counted().filter(|record| record.verdict == Verdict::Reproduced);
        let misses: Vec<String> = of_entry()
            .filter(|record| !record.verdict.is_good())
            .map(|record| miss(record, kind_of(ledgers, &record.id)))
            .collect();
        text += &format!(
            "| {} | {} | {} | {} of {} | {} | {} |\n",
            entry.id,
            entry.what,
            entry.paper,
            reproduced.count(),
            counted().count(),
            verdict(of_entry()).map_or("not measured", Verdict::name),
            misses.join("; "),
        );
    }
    text
}

/// The table of all rows as Markdown, each with what its seeds say.
pub fn rows_table(records: &[Record]) -> String {
    let mut text = "| row | the paper | rule | median | central 90 % | seeds | agree | verdict |\n\
                    |---|---|---|---|---|---|---|---|\n"
        .to_owned();
    for record in records {
        let seeds = record
            .seeds
            .map_or(String::new(), |seeds| seeds.count.to_string());
        let cells = [
            record.id.clone(),
            record.with_unit(&record.expected),
            record.rule.to_string(),
            record.measured_text(),
            record.central_text(),
            seeds,
            record.within_text(),
            record.verdict.name().to_owned(),
        ];
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}

/// The table of all changes of rules, expected values and choices as Markdown.
pub fn changes_table(ledgers: &[Ledger]) -> String {
    let mut text = "| paper | rows | commit | results known | what and why |\n\
                    |---|---|---|---|---|\n"
        .to_owned();
    for ledger in ledgers {
        for change in &ledger.changed {
            let known = if change.after_measuring { "yes" } else { "no" };
            text += &format!(
                "| {} | {} | {} | {known} | {} |\n",
                ledger.id, change.rows, change.commit, change.reason
            );
        }
    }
    text
}

fn kind_of(ledgers: &[Ledger], row: &str) -> Option<Kind> {
    let mut rows = ledgers.iter().flat_map(|ledger| &ledger.rows);
    rows.find(|one| one.id == row)?.kind
}

/// `A.fig3.5s: consistent, 15.34 % (19.81; C: chance; 13 % of the seeds agree)`.
fn miss(record: &Record, kind: Option<Kind>) -> String {
    let kind = kind.map(|kind| format!("; {}", kind.name()));
    let share = record
        .seeds
        .map(|_| format!("; {} of the seeds agree", record.within_text()));
    format!(
        "{}: {}, {} ({}{}{})",
        record.id,
        record.verdict.name(),
        record.measured_text(),
        record.expected,
        kind.unwrap_or_default(),
        share.unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Vec<String> {
        let ledgers = crate::papers().into_iter().map(|paper| paper.ledger);
        ledgers
            .flat_map(|ledger| ledger.rows)
            .map(|row| row.id)
            .collect()
    }

    #[test]
    fn every_entry_has_a_row() {
        for entry in &ENTRIES {
            let has_row = rows().iter().any(|row| entry_of(row) == Some(entry));
            assert!(has_row, "{}", entry.id);
        }
    }

    #[test]
    fn few_rows_are_beyond_the_ledger() {
        let beyond: Vec<String> = rows()
            .into_iter()
            .filter(|row| entry_of(row).is_none())
            .collect();
        assert_eq!(beyond, ["C.spacing", "C.spacing.remaining", "R.fig4.4"]);
    }

    #[test]
    fn a_row_belongs_to_the_entry_with_the_longest_id() {
        let id = |row| entry_of(row).map(|entry| entry.id);
        assert_eq!(id("A.fig3.data.5s"), Some("A.fig3.data"));
        assert_eq!(id("A.fig3.5s"), Some("A.fig3"));
        assert_eq!(id("R.fig1.linear"), Some("R.fig1"));
        assert_eq!(id("N.fig12.gain"), Some("N.fig12"));
        assert_eq!(id("C.fig100"), None);
    }
}
