//! What a scenario may ask of real sockets and an emulated network.

use onramp_scenario::units::{format_percent, format_rate, format_size};
use onramp_scenario::{
    Acks, ByteCounting, Case, Clocks, Connect, Connections, InitialWindow, PacketPair, PairForm,
    Receiver, Recovery, Stack, Timers, Traffic, TrafficKind, Train, Transfers, Without, NO_STARTUP,
};

/// A case asks for what only the simulator has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` asks for {asked}: the lab has {has}; the simulator runs it: onramp sim")]
pub struct Unsupported {
    /// The key or table of the scenario file.
    pub key: &'static str,
    /// What it asks for.
    pub asked: String,
    /// What the lab has instead.
    pub has: &'static str,
}

const KERNEL: &str = "this kernel's TCP alone";
const RECEIVER_CONNECTS: &str = "a receiver that connects and asks";
const WAYS: &str = "transfers from one node to another over links that take packets of one size";
const ONE_HOST_SCALES: &str = "it in common for all connections of a host";
const FEW_COPIES: &str = "at most 1000 copies of a transfer";
const FEW_RIVALS: &str = "at most 1000 transfers of each traffic that start at once";
const RIVALS: &str = "traffic of transfers";

const EXPERIMENT: &str = "the option as an experiment's, which it is on real paths";

/// Most copies of a transfer, and most transfers of one traffic under way together: each has two
/// threads.
pub const MOST_FLOWS: u32 = 1000;

/// Whether the lab can run a case; if not, the first key that stands in the way.
///
/// # Errors
/// [`Unsupported`] names it.
pub fn supports(case: &Case) -> Result<(), Unsupported> {
    let transfer = &case.transfer;
    tcp(
        "transfer",
        transfer.stack,
        transfer.recovery,
        transfer.timers,
    )?;
    clocks(["transfer.clock", "transfer.tick"], transfer.clocks)?;
    if transfer.initial_window == InitialWindow::Paper && transfer.startup == NO_STARTUP {
        let asked = format!("`paper` with startup `{NO_STARTUP}`");
        return refuse(
            "transfer.initial_window",
            asked,
            "`host` or a number of segments for the kernel's own controls",
        );
    }
    first_threshold("transfer.initial_ssthresh", transfer.initial_ssthresh_bytes)?;
    if transfer.count > MOST_FLOWS {
        return refuse(
            "transfer.count",
            format!("{} copies", transfer.count),
            FEW_COPIES,
        );
    }
    if transfer.connect != Connect::Receiver {
        return refuse(
            "transfer.connect",
            format!("`{}`", transfer.connect.name()),
            RECEIVER_CONNECTS,
        );
    }
    if transfer.byte_counting != ByteCounting::Unlimited {
        let asked = "a limit of what an ACK counts for in slow start".to_owned();
        return refuse("transfer.byte_counting", asked, KERNEL);
    }
    if !transfer.window_scaling && !case.traffic.is_empty() {
        return refuse(
            "transfer.window_scaling",
            "`false` beside traffic".to_owned(),
            ONE_HOST_SCALES,
        );
    }
    if transfer.train != Train::Line {
        return refuse(
            "transfer.train",
            format!("`{}`", transfer.train.name()),
            "`line`",
        );
    }
    if transfer.given.without != Without::NOTHING {
        let asked = format!("`{}`", transfer.given.without.name);
        return refuse("transfer.without", asked, "start-ups with all their ideas");
    }
    if let Some(ppm) = transfer.given.gamma_ppm {
        return refuse(
            "transfer.gamma",
            format_percent(ppm),
            "what the start-up finds",
        );
    }
    if let Some(rate) = transfer.given.pace_bits_per_s {
        return refuse(
            "transfer.pace",
            format_rate(rate),
            "what the start-up measures",
        );
    }
    if transfer.connections != Connections::ONE {
        return refuse(
            "transfer.connections",
            onramp_results::connections(case),
            "one connection for each transfer",
        );
    }
    if transfer.split.is_some() {
        return refuse(
            "transfer.split",
            "relays on the way".to_owned(),
            "connections from end to end",
        );
    }
    ways(case)?;
    let switches = [
        ("sender.nagle", case.sender.nagle),
        ("sender.window_validation", case.sender.window_validation),
    ];
    if let Some((key, _)) = switches.into_iter().find(|(_, is_on)| !is_on) {
        return refuse(key, "`false`".to_owned(), KERNEL);
    }
    receiver(&case.receiver)?;
    case.traffic
        .iter()
        .try_for_each(|traffic| rival(traffic).map(drop))
}

/// There is a way for every flow, and all ways take packets of one size: a host of the lab has one
/// device.
fn ways(case: &Case) -> Result<(), Unsupported> {
    // A path is a way, also where it is another than its network's.
    if case.network.links.len() == 1 {
        return Ok(());
    }
    let mut flows: Vec<(usize, usize)> = (0..case.transfer.count)
        .map(|copy| case.transfer.ends(copy))
        .collect();
    flows.extend(
        case.traffic
            .iter()
            .map(|traffic| (traffic.from, traffic.to)),
    );
    flows.sort_unstable();
    flows.dedup();
    for (from, to) in flows {
        let [from_name, to_name] = [from, to].map(|node| &case.network.nodes[node]);
        match case.network.path(from, to) {
            None => {
                return refuse(
                    "link",
                    format!("a way from `{from_name}` to `{to_name}`, which no links make"),
                    WAYS,
                )
            }
            Some(path) if path.mtu_bytes != case.path.mtu_bytes => {
                let asked = format!(
                    "packets of {} from `{from_name}` to `{to_name}` and of {} elsewhere",
                    format_size(path.mtu_bytes.into()),
                    format_size(case.path.mtu_bytes.into())
                );
                return refuse("link.mtu", asked, WAYS);
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// Traffic that the lab can make.
pub fn rival(traffic: &Traffic) -> Result<&Transfers, Unsupported> {
    let TrafficKind::Transfers(transfers) = &traffic.kind else {
        return refuse("traffic.kind", "packets without TCP".to_owned(), RIVALS);
    };
    tcp(
        "traffic",
        transfers.stack,
        transfers.recovery,
        transfers.timers,
    )?;
    clocks(["traffic.clock", "traffic.tick"], transfers.clocks)?;
    first_threshold("traffic.initial_ssthresh", transfers.initial_ssthresh_bytes)?;
    if transfers.connect != Connect::Receiver {
        return refuse(
            "traffic.connect",
            format!("`{}`", transfers.connect.name()),
            RECEIVER_CONNECTS,
        );
    }
    if let Some(count) = transfers
        .count
        .filter(|count| transfers.arrivals.is_none() && *count > MOST_FLOWS)
    {
        return refuse("traffic.count", format!("{count} transfers"), FEW_RIVALS);
    }
    receiver(&transfers.receiver)?;
    Ok(transfers)
}

fn tcp(table: &str, stack: Stack, recovery: Recovery, timers: Timers) -> Result<(), Unsupported> {
    let of = |transfer: &'static str, traffic: &'static str| {
        if table == "transfer" {
            transfer
        } else {
            traffic
        }
    };
    if stack != Stack::Linux {
        return refuse(
            of("transfer.stack", "traffic.stack"),
            format!("`{}`", stack.name()),
            KERNEL,
        );
    }
    if recovery != Recovery::Rack {
        return refuse(
            of("transfer.recovery", "traffic.recovery"),
            format!("`{}`", recovery.name()),
            KERNEL,
        );
    }
    if timers != Timers::Linux {
        return refuse(
            of("transfer.timers", "traffic.timers"),
            format!("`{}`", timers.name()),
            KERNEL,
        );
    }
    Ok(())
}

fn first_threshold(key: &'static str, bytes: Option<u64>) -> Result<(), Unsupported> {
    match bytes {
        Some(bytes) => refuse(
            key,
            format!("a first threshold of {}", format_size(bytes)),
            KERNEL,
        ),
        None => Ok(()),
    }
}

fn clocks([clock, tick]: [&'static str; 2], clocks: Clocks) -> Result<(), Unsupported> {
    match [(clock, clocks.clock_ns), (tick, clocks.tick_ns)]
        .into_iter()
        .find(|(_, ns)| *ns > 1)
    {
        Some((key, ns)) => refuse(key, onramp_scenario::units::format_time(ns), KERNEL),
        None => Ok(()),
    }
}

fn receiver(receiver: &Receiver) -> Result<(), Unsupported> {
    if receiver.acks != Acks::Linux {
        return refuse(
            "receiver.acks",
            format!("`{}`", receiver.acks.name()),
            KERNEL,
        );
    }
    match receiver.packet_pair {
        PacketPair::None | PacketPair::Answer => {}
        // Of when a receiver acknowledges, a program may say no more than "now":
        // docs/algorithms/pair.md.
        PacketPair::AnswerAtOnce | PacketPair::Probe => {
            let asked = format!("`{}`", receiver.packet_pair.name());
            return refuse(
                "receiver.packet_pair",
                asked,
                "receivers that answer pairs, as this kernel can",
            );
        }
    }
    if receiver.packet_pair != PacketPair::None && receiver.pair_form != PairForm::Experiment {
        return refuse(
            "receiver.pair_option",
            format!("`{}`", receiver.pair_form.name()),
            EXPERIMENT,
        );
    }
    if receiver.pair_clock_ns > 1 {
        return refuse(
            "receiver.pair_clock",
            onramp_scenario::units::format_time(receiver.pair_clock_ns),
            KERNEL,
        );
    }
    let switches = [
        ("receiver.timestamps", receiver.timestamps),
        ("receiver.sack", receiver.sack),
        ("receiver.window_scaling", receiver.window_scaling),
    ];
    match switches.into_iter().find(|(_, is_on)| !is_on) {
        Some((key, _)) => refuse(key, "`false`".to_owned(), KERNEL),
        None => Ok(()),
    }
}

fn refuse<T>(key: &'static str, asked: String, has: &'static str) -> Result<T, Unsupported> {
    Err(Unsupported { key, asked, has })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_connects_and_the_host_s_clocks_are_refused_by_their_key() {
        let refused = |keys: &str, traffic: &str| {
            let path = "name = \"x\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"40 ms\"\n";
            let text = format!("{path}[[transfer]]\nsize = \"1 B\"\n{keys}[[traffic]]\n{traffic}");
            supports(&onramp_scenario::parse("x.toml", &text).unwrap().cases[0])
                .map_err(|refusal| refusal.key)
        };
        for (keys, key) in [
            ("connect = \"sender\"\n", "connect"),
            ("clock = \"1 ms\"\n", "clock"),
            ("tick = \"2 ns\"\n", "tick"),
        ] {
            assert_eq!(refused(keys, "").unwrap_err(), format!("transfer.{key}"));
            assert_eq!(refused("", keys).unwrap_err(), format!("traffic.{key}"));
        }
        assert_eq!(
            refused(
                "connect = \"receiver\"\nclock = \"1 ns\"\n",
                "tick = \"1 ns\"\n"
            ),
            Ok(())
        );
    }

    #[test]
    fn an_idea_that_is_switched_off_is_refused() {
        let refused = |keys: &str| {
            let path = "name = \"x\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"40 ms\"\n";
            let text = format!("{path}[[transfer]]\nsize = \"1 B\"\nstartup = \"onramp\"\n{keys}");
            supports(&onramp_scenario::parse("x.toml", &text).unwrap().cases[0])
                .map_err(|refusal| refusal.to_string())
        };
        assert_eq!(refused("without = \"nothing\"\n"), Ok(()));
        let words = "`transfer.without` asks for `spacing`: the lab has start-ups with all their ideas; the simulator runs it: onramp sim";
        assert_eq!(refused("without = \"spacing\"\n"), Err(words.to_owned()));
    }

    #[test]
    fn receivers_answer_pairs_or_do_not_know_them() {
        let refused = |keys: &str| {
            let path = "name = \"x\"\n[path]\nrate = \"1 Mbit/s\"\nrtt = \"40 ms\"\n";
            let text = format!(
                "{path}[receiver]\n{keys}[[transfer]]\nsize = \"1 B\"\nstartup = \"pair\"\n"
            );
            supports(&onramp_scenario::parse("x.toml", &text).unwrap().cases[0])
                .map_err(|refusal| refusal.key)
        };
        for name in ["none", "answer"] {
            assert_eq!(refused(&format!("packet_pair = \"{name}\"\n")), Ok(()));
        }
        for name in ["answer-at-once", "probe"] {
            assert_eq!(
                refused(&format!("packet_pair = \"{name}\"\n")),
                Err("receiver.packet_pair")
            );
        }
        assert_eq!(
            refused("pair_option = \"paper\"\n"),
            Err("receiver.pair_option")
        );
        assert_eq!(
            refused("pair_clock = \"10 ms\"\n"),
            Err("receiver.pair_clock")
        );
    }

    #[test]
    fn connections_in_series_and_side_by_side_are_refused_by_their_keys() {
        let node = |name| format!("[[node]]\nname = \"{name}\"\n");
        let link = |from, to| {
            format!("[[link]]\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"1 Mbit/s\"\ndelay = \"9 ms\"\n")
        };
        let network = ["a", "m", "b"].map(node).concat() + &link("a", "m") + &link("m", "b");
        let refused = |keys: &str| {
            let text = format!("name = \"x\"\n{network}[[transfer]]\nsize = \"1 B\"\nfrom = \"a\"\nto = \"b\"\n{keys}");
            supports(&onramp_scenario::parse("x.toml", &text).unwrap().cases[0])
                .map_err(|refusal| refusal.key)
        };
        assert_eq!(refused(""), Ok(()));
        assert_eq!(refused("connections = 1\n"), Ok(()));
        assert_eq!(refused("split = \"m\"\n"), Err("transfer.split"));
        assert_eq!(refused("connections = 2\n"), Err("transfer.connections"));
        assert_eq!(
            refused("connections = \"adaptive\"\n"),
            Err("transfer.connections")
        );
    }
}
