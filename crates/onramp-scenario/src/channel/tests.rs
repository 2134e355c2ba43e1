//! From the keys of a channel to the configuration of its link.

use onramp_net::{Config, Framing, Limit, LossConfig, QueueConfig, RedConfig};
use std::num::{NonZeroU32, NonZeroU64};

fn config(text: &str) -> Config {
    let text = format!(
        "name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nrtt = \"100 ms\"\n{text}\n[[transfer]]\n\
         size = \"1 B\"\n"
    );
    let case = crate::parse("x.toml", &text)
        .unwrap_or_else(|e| panic!("{}", e.report(false)))
        .cases
        .remove(0);
    let config = case.path.forward.link_config(case.path.rtt_ns, 7, 0);
    config.check().unwrap();
    config
}

#[test]
fn a_plain_path_is_a_plain_link() {
    let plain = Config::plain(
        NonZeroU64::new(8_000_000).unwrap(),
        50_000_000,
        Limit::Bytes(100_000),
    );
    let seed = crate::link_seed(7, 0);
    assert_eq!(config(""), Config { seed, ..plain });
    assert_eq!(
        config("loss = \"1 %\"").loss,
        LossConfig::Bernoulli { ppm: 10_000 }
    );
    let every = NonZeroU32::new(100).unwrap();
    assert_eq!(
        config("loss_every = \"100 packets\"").loss,
        LossConfig::Periodic { every }
    );
}

#[test]
fn a_drop_tail_queue_may_filter_acknowledgements() {
    let queue = |text| config(text).queue;
    assert_eq!(
        queue("ack_filter = true"),
        QueueConfig::AckFilter(Limit::Bytes(100_000))
    );
    assert_eq!(
        queue("ack_filter = false"),
        QueueConfig::DropTail(Limit::Bytes(100_000))
    );
}

#[test]
fn a_rate_may_count_cells_instead_of_packets() {
    let text = "framing = \"aal5\"\nqueue = \"1 bdp\"";
    let cells = config(text);
    assert_eq!(cells.framing, Framing::Aal5);
    // A BDP counts IP packets: 48 of 53 bytes of 8 Mbit/s for 100 ms.
    assert_eq!(cells.queue, QueueConfig::DropTail(Limit::Bytes(90_566)));
}

#[test]
fn the_return_path_has_the_framing_of_the_rate_that_it_takes() {
    let reverse = |text: &str| {
        let text = format!(
            "name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nframing = \"aal5-snap\"\n\
             rtt = \"100 ms\"\n{text}\n[[transfer]]\nsize = \"1 B\"\n"
        );
        crate::parse("x.toml", &text).unwrap().cases[0]
            .path
            .reverse
            .framing
    };
    assert_eq!(reverse(""), Framing::Aal5Snap);
    assert_eq!(
        reverse("[path.reverse]\nqueue = \"5 packets\""),
        Framing::Aal5Snap
    );
    assert_eq!(
        reverse("[path.reverse]\nrate = \"1 Mbit/s\""),
        Framing::Packets
    );
    assert_eq!(
        reverse("[path.reverse]\nservice = \"poisson\""),
        Framing::Packets
    );
    assert_eq!(reverse("[path.reverse]\nframing = \"aal5\""), Framing::Aal5);
}

#[test]
fn random_moments_carry_no_frames() {
    let text = "name = \"x\"\n[path]\nrate = \"8 Mbit/s\"\nframing = \"aal5\"\n\
                service = \"poisson\"\nrtt = \"100 ms\"\n[[transfer]]\nsize = \"1 B\"\n";
    let error = crate::parse("x.toml", text).unwrap_err().to_string();
    let report = crate::parse("x.toml", text).unwrap_err().report(false);
    assert!(
        report.contains("links of a steady rate"),
        "{error}\n{report}"
    );
}

#[test]
fn red_is_measured_in_the_unit_of_its_queue() {
    let usual = RedConfig {
        max_p_ppm: 100_000,
        gentle: true,
        ..RedConfig::default()
    };
    let packets = RedConfig {
        limit: Limit::Packets(60),
        ..usual
    };
    assert_eq!(
        config("queue = \"60 packets\"\ndiscipline = \"red\"").queue,
        QueueConfig::Red(packets)
    );
    let bytes = RedConfig {
        limit: Limit::Bytes(100_000),
        min_threshold: 10_000,
        max_threshold: 50_000,
        ..usual
    };
    let text = "discipline = \"red\"\n[path.red]\nmin = \"0.1 bdp\"\nmax = \"0.5 bdp\"";
    assert_eq!(config(text).queue, QueueConfig::Red(bytes));
}

/// Each discipline that can mark hands the key on, and is named with it.
#[test]
fn a_queue_with_ecn_marks() {
    for discipline in ["red", "codel", "fq-codel"] {
        for ecn in [true, false] {
            let limit = "queue = \"60 packets\"";
            let text = format!("{limit}\ndiscipline = \"{discipline}\"\necn = {ecn}");
            let marks = match config(&text).queue {
                QueueConfig::Red(red) => red.ecn,
                QueueConfig::CoDel(codel) => codel.ecn,
                QueueConfig::FqCoDel(fq) => fq.ecn,
                other => panic!("{other:?}"),
            };
            assert_eq!(marks, ecn, "{discipline}");
        }
    }
}

#[test]
fn the_smallest_queue_gives_a_red_that_a_link_accepts() {
    config("queue = \"1 packet\"\ndiscipline = \"red\"");
    config("queue = \"0.000001 bdp\"\ndiscipline = \"red\"");
}

#[test]
fn fq_codel_has_a_queue_of_its_own() {
    let packets = |text| match config(text).queue {
        QueueConfig::FqCoDel(fq) => fq.limit_packets,
        other => panic!("{other:?}"),
    };
    assert_eq!(packets("discipline = \"fq-codel\""), 10_240);
    assert_eq!(
        packets("discipline = \"fq-codel\"\nqueue = \"40 packets\""),
        40
    );
}

#[test]
fn every_element_arrives() {
    let text = "duplicate = \"1 %\"\nlate = \"1 ms\"\nlate_after = \"2 ms\"\n\
                aggregate_slots = true\njitter = \"2 ms\"\nreorder = true\naggregate = \"4 ms\"\n\
                aggregate_most = 8\n\
                queue = \"500 packets\"\ndiscipline = \"fq-codel\"\nshaper_rate = \"4 Mbit/s\"\n\
                shaper_burst = \"3 kB\"\n\
                policer_rate = \"5 Mbit/s\"\npolicer_burst = \"30 kB\"\nef_rate = \"2 Mbit/s\"\n\
                ef_burst = \"50 kB\"\n\
                [path.bursts]\nenter = \"1 %\"\nleave = \"25 %\"\nloss_bad = \"50 %\"\n\
                [[path.change]]\nat = \"2 s\"\nrate = \"1 Mbit/s\"\nrtt = \"300 ms\"\n";
    insta::assert_debug_snapshot!(config(text));
}
