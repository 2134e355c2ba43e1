//! The text that `onramp model` prints.

use onramp_cli::text::{columns, rate, wrapped};
use onramp_report::head;
use onramp_scenario::units::{format_rate, format_size, format_time};
use onramp_theory::chaher::{Chaher, Link, Row};

/// Width of the lines of text.
const WIDTH: usize = 100;

pub fn chaher(answer: &Chaher) -> String {
    let mut text = paragraph(&subject(&answer.link));
    text += &paragraph(&verdict(answer));
    text += &columns(&quantities(answer));
    text.push('\n');
    text += &columns(&sources(answer));
    text.push('\n');
    text += &paragraph(&advice(answer));
    text += "The model is of TCP Tahoe with an ACK for each packet and without random loss \
        (docs/model.md).\n";
    for caution in &answer.cautions {
        text += &wrapped("caution:", 8, caution, WIDTH);
    }
    text
}

/// The lines of a paragraph, without indentation, and an empty line.
fn paragraph(text: &str) -> String {
    // `wrapped` leaves a space for a label, which a paragraph does not have.
    wrapped("", 0, text, WIDTH)
        .lines()
        .map(|line| format!("{}\n", line.trim_start()))
        .collect::<String>()
        + "\n"
}

fn subject(link: &Link) -> String {
    let background = match link.background_bits_per_s {
        0 => "no background".to_owned(),
        bits => format!("{} of background", format_rate(bits)),
    };
    format!(
        "{} with a round trip of {}, a queue of {} and {background}, in packets of {}",
        format_rate(link.rate_bits_per_s),
        format_time(link.rtt_ns),
        link.queue,
        format_size(link.packet_bytes),
    )
}

fn verdict(answer: &Chaher) -> String {
    let Chaher {
        beta,
        beta_limit,
        overflow_window_packets: overflow,
        threshold_packets: threshold,
        ..
    } = answer;
    let times = (beta / beta_limit).max(beta_limit / beta);
    match answer.detected_window_packets {
        Some(detected) => format!(
            "Each cycle must have two slow starts: beta, {beta:.3}, is {times:.2} times below the \
             {beta_limit:.3} up to which it is so. Slow start overflows the queue at \
             {overflow:.1} packets, before its threshold of {threshold:.1}; the loss is found at \
             a window of {detected:.1}, and congestion avoidance begins at half of that, {:.1}.",
            detected / 2.0
        ),
        None => format!(
            "Each cycle has one slow start: beta, {beta:.3}, is {times:.2} times above the \
             {beta_limit:.3} up to which there are two. Slow start would overflow the queue at \
             {overflow:.1} packets, and its threshold is {threshold:.1}."
        ),
    }
}

fn quantities(answer: &Chaher) -> Vec<Vec<String>> {
    let packets = |value: f64| format!("{value:.1} packets");
    let per_s = |value: f64| {
        format!(
            "{value:.1} packets/s, {}",
            rate((value * answer.link.packet_bytes as f64).round() as u64)
        )
    };
    let any = || "any".to_owned();
    let row =
        |name: &str, value: String, meaning: &str| vec![name.to_owned(), value, meaning.to_owned()];
    vec![
        row("", "VALUE".to_owned(), "MEANING"),
        row("mu", per_s(answer.rate_packets_per_s), "the link"),
        row(
            "mu - lambda",
            per_s(answer.available_packets_per_s),
            "what the background leaves",
        ),
        row(
            "rho",
            format!("{:.3}", answer.rho),
            "the background's share",
        ),
        row(
            "beta",
            format!("{:.3}", answer.beta),
            "the queue over what the path holds besides it",
        ),
        row(
            "W_B",
            packets(answer.overflow_window_packets),
            "slow start overflows the queue (4)",
        ),
        row(
            "W_max",
            packets(answer.max_window_packets),
            "path and queue are full (3)",
        ),
        row(
            "W_th",
            packets(answer.threshold_packets),
            "Tahoe's threshold, half of that",
        ),
        row(
            "W_D",
            answer
                .detected_window_packets
                .map_or("-".to_owned(), packets),
            "slow start's loss is found (6)",
        ),
        row(
            "gamma_max",
            if answer.starts_twice {
                format!("{:.3}", answer.gamma_max)
            } else {
                any()
            },
            "a threshold of a smaller share of W_max avoids the second slow start (7)",
        ),
        row(
            "R_max",
            answer.max_spacing_packets_per_s.map_or_else(any, per_s),
            "so do slow start's packets spaced at less (10)",
        ),
    ]
}

fn sources(answer: &Chaher) -> Vec<Vec<String>> {
    let heading = head(" | SLOW STARTS | AVOIDANCE FROM | CYCLE | PACKETS/S | OF AVAILABLE");
    let row = |row: &Row| {
        vec![
            title(row),
            row.slow_starts.to_string(),
            format!("{:.1} packets", row.avoidance_window_packets),
            format!("{:.1} s", row.cycle_s),
            format!("{:.1}", row.packets_per_s),
            format!("{:.1} %", row.share_of_available * 100.0),
        ]
    };
    std::iter::once(heading)
        .chain(answer.sources.iter().map(row))
        .collect()
}

fn title(row: &Row) -> String {
    match (row.what, row.spacing_packets_per_s) {
        ("gamma", _) => format!("Tahoe, gamma = {}", row.gamma),
        ("spacing", Some(spaced)) => format!("Tahoe, spaced at {spaced:.1} packets/s"),
        ("queue", _) => format!("Tahoe, a queue of {} packets", row.queue_packets),
        _ => "Tahoe".to_owned(),
    }
}

fn advice(answer: &Chaher) -> String {
    if !answer.starts_twice {
        return "There is nothing to mend: a smaller gamma would only start congestion avoidance \
            at a smaller window."
            .into();
    }
    let gamma = if answer.gamma_helps {
        format!(
            "A gamma between 0.25 and {:.3} makes congestion avoidance begin at a larger window.",
            answer.gamma_max
        )
    } else {
        format!(
            "No gamma makes congestion avoidance begin at a larger window: one below {:.3}, which \
             is not above 0.25, saves a \
             slow start and no more.",
            answer.gamma_max
        )
    };
    let spacing = answer
        .max_spacing_packets_per_s
        .map_or_else(String::new, |rate| {
            format!(
            " Spacing slow start's packets at any rate from {:.1} to {rate:.1} packets/s makes it \
             begin at W_max / 2.",
            answer.available_packets_per_s
        )
        });
    format!(
        "{gamma}{spacing} So does a queue of more than {:.1} packets, which also raises W_max.",
        answer.buffer_limit_packets
    )
}
