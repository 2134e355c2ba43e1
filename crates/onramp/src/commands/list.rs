//! `onramp list`: start-ups and avoidances.

use onramp_cli::failure::DONE;
use onramp_cli::startup::AVOIDANCES;
use onramp_cli::text;
use onramp_cli::text::say;
use onramp_cli::{print_json, Answer};
use onramp_kernel::Avoidance;
use serde_json::json;

pub fn run(as_json: bool) -> Answer {
    let btf = onramp_kernel::probe::kernel_btf().ok();
    let is_in_kernel = |avoidance: &str| {
        let in_kernel = Avoidance::named(avoidance);
        btf.as_ref().zip(in_kernel).is_some_and(|(btf, avoidance)| {
            onramp_kernel::probe::check_avoidance(btf, avoidance).is_ok()
        })
    };
    let startups: Vec<_> = onramp_core::startup_names()
        .iter()
        .map(|name| {
            (
                *name,
                onramp_core::summary(name).unwrap_or_default(),
                onramp_core::congestion_control(name),
            )
        })
        .collect();
    if as_json {
        print_json(&json!({
            "startups": startups.iter().map(|(name, summary, congestion_control)| json!({
                "name": name, "summary": summary, "congestion_control": congestion_control,
            })).collect::<Vec<_>>(),
            "avoidances": AVOIDANCES.map(|avoidance| json!({
                "name": avoidance,
                "in_this_kernel": is_in_kernel(avoidance),
                "in_the_simulator": true,
            })),
        }));
        return Ok(DONE);
    }
    let rows = startups
        .into_iter()
        .map(|(name, summary, cc)| vec![name.to_owned(), cc, summary.to_owned()]);
    text::print_table("START-UP, CONGESTION CONTROL, WHAT IT DOES", rows);
    say!("");
    let rows = AVOIDANCES.iter().map(|&avoidance| {
        let in_kernel = if is_in_kernel(avoidance) { "yes" } else { "no" };
        [avoidance, in_kernel, "yes"].map(str::to_owned).to_vec()
    });
    text::print_table("AVOIDANCE, IN THIS KERNEL, IN THE SIMULATOR", rows);
    Ok(DONE)
}
