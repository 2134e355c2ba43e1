//! Receivers that lie to get more than their share: how much traffic a download then draws. The
//! table is in docs/threat-model.md.

use onramp_report::statistics::geometric_mean;
use onramp_scenario::Lie;
use onramp_sim::{run, Options};
use std::fmt::Write;

/// The traffic of five seconds, as a part of CUBIC's under the same lie, or of what the path can
/// carry if that is more: the geometric mean over the paths, and the maximum.
struct Traffic {
    mean: f64,
    most: f64,
}

const DURATION_S: f64 = 5.0;

fn traffic(lie: Lie, queues: &str) -> Traffic {
    let text = format!(
        "name = \"lies\"\n[run]\nduration = \"{DURATION_S} s\"\n\
         [path]\nrate = [\"20 Mbit/s\", \"100 Mbit/s\"]\n\
         rtt = [\"20 ms\", \"100 ms\", \"300 ms\"]\n\
         queue = [{queues}]\n[receiver]\nbuffer = \"64 MiB\"\nlie = \"{}\"\n\
         [[transfer]]\nsize = \"4 GB\"\nstartup = [\"none\", \"onramp\"]\n",
        lie.name()
    );
    let scenario = onramp_scenario::parse("lies.toml", &text).expect("the scenario is right");
    let offered_bytes = |case| {
        let outcome = run(case, &Options::default()).expect("the case can be simulated");
        outcome.links[0].offered.bytes as f64
    };
    let ratios: Vec<f64> = scenario
        .cases
        .chunks(2)
        .map(|pair| {
            let carried = pair[0].path.forward.capacity_bits_per_s(0) as f64 / 8.0 * DURATION_S;
            offered_bytes(&pair[1]) / offered_bytes(&pair[0]).max(carried)
        })
        .collect();
    Traffic {
        mean: geometric_mean(ratios.iter().copied()).expect("there are paths"),
        most: ratios.into_iter().fold(0.0, f64::max),
    }
}

#[test]
fn a_lie_draws_at_most_a_fifth_more_traffic_than_with_cubic() {
    let mut table = String::from("lie                queue of 0.25 and 1 BDP   0.1 BDP\n");
    for &lie in Lie::ALL {
        let usual = traffic(lie, "\"0.25 bdp\", \"1 bdp\"");
        let short = traffic(lie, "\"0.1 bdp\"");
        writeln!(
            table,
            "{:<18} {:.2} (most {:.2})          {:.2} (most {:.2})",
            lie.name(),
            usual.mean,
            usual.most,
            short.mean,
            short.most
        )
        .unwrap();
        // Segments that are acknowledged before they arrive draw more: docs/threat-model.md.
        assert!(
            lie == Lie::Early || usual.most.max(short.most) <= 1.2,
            "{table}"
        );
    }
    insta::assert_snapshot!(table);
}
