//! The scenarios that the lab supports: real sockets of the kernel over an emulated network.

pub mod quic;
#[cfg(test)]
mod tests;

use onramp_scenario::units::{format_percent, format_rate, format_size};
use onramp_scenario::{
    Acks, ByteCounting, Case, Clocks, Connect, Connections, InitialWindow, PacketPair, PairForm,
    Receiver, Recovery, SearchVersion, Stack, Timers, Train, Transfers, Transport, Without,
    NO_STARTUP,
};

/// A case asks for something that only the simulator supports.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{key}` asks for {asked}: the lab supports {supported}; run it in the simulator: onramp sim"
)]
pub struct Unsupported {
    /// The key or table of the scenario file.
    pub key: &'static str,
    /// The value that it asks for.
    pub asked: String,
    /// The values that the lab supports.
    pub supported: &'static str,
}

const KERNEL: &str = "only this kernel's TCP";
const RECEIVER_CONNECTS: &str = "receivers that connect and send a request";
const ROUTES: &str = "transfers between connected nodes over links of the same MTU";
const ONE_SETTING_PER_HOST: &str = "one setting for all connections of a host";
const MAX_COPIES: &str = "at most 1000 copies of a transfer";
const MAX_TRAFFIC: &str = "at most 1000 transfers of each traffic that start at once";
const RELAYS: &str = "relays with the congestion control of the transfer";

const EXPERIMENT: &str = "the option with an experiment's number, as on real paths";

/// Maximum number of copies of a transfer, and of active transfers of one traffic. Each has two
/// threads.
pub const MAX_FLOWS: u32 = 1000;

/// Checks whether the lab can run a case.
///
/// # Errors
/// [`Unsupported`] names the first key that only the simulator supports.
pub fn supports(case: &Case) -> Result<(), Unsupported> {
    transfer(case)?;
    startup(case)?;
    connections(case)?;
    routes(case)?;
    let switches = [
        ("sender.nagle", case.sender.nagle),
        ("sender.window_validation", case.sender.window_validation),
    ];
    if let Some((key, _)) = switches.into_iter().find(|(_, is_on)| !is_on) {
        return refuse(key, "`false`".to_owned(), KERNEL);
    }
    receiver(&case.receiver)?;
    case.traffic.iter().try_for_each(|traffic| {
        let Some(transfers) = traffic.transfers() else {
            return Ok(());
        };
        competing(transfers)?;
        match transfers.ecn == case.transfer.ecn {
            true => Ok(()),
            false => refuse(
                "traffic.ecn",
                format!(
                    "`{}` beside a transfer with `{}`",
                    transfers.ecn, case.transfer.ecn
                ),
                ONE_SETTING_PER_HOST,
            ),
        }
    })
}

/// The TCP of the transfer, its first window and the number of its copies.
fn transfer(case: &Case) -> Result<(), Unsupported> {
    let transfer = &case.transfer;
    if transfer.transport == Transport::Quic {
        quic::transfer(case)?;
    }
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
    initial_ssthresh("transfer.initial_ssthresh", transfer.initial_ssthresh_bytes)?;
    if transfer.count > MAX_FLOWS {
        return refuse(
            "transfer.count",
            format!("{} copies", transfer.count),
            MAX_COPIES,
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
        let asked = "a limit of the growth per ACK in slow start".to_owned();
        return refuse("transfer.byte_counting", asked, KERNEL);
    }
    if !transfer.window_scaling && !case.traffic.is_empty() {
        return refuse(
            "transfer.window_scaling",
            "`false` beside traffic".to_owned(),
            ONE_SETTING_PER_HOST,
        );
    }
    Ok(())
}

/// The parameters of the transfer's start-up.
fn startup(case: &Case) -> Result<(), Unsupported> {
    let transfer = &case.transfer;
    if transfer.train != Train::default() {
        return refuse(
            "transfer.train",
            format!("`{}`", transfer.train.name()),
            "`line`",
        );
    }
    if transfer.given.without != Without::default() {
        let asked = format!("`{}`", transfer.given.without.name());
        return refuse("transfer.without", asked, "start-ups with all their ideas");
    }
    if transfer.given.search != SearchVersion::default() {
        let asked = format!("`{}`", transfer.given.search.name());
        return refuse("transfer.search", asked, "`draft`");
    }
    if let Some(ppm) = transfer.given.gamma_ppm {
        return refuse(
            "transfer.gamma",
            format_percent(ppm),
            "the value that the start-up finds",
        );
    }
    if let Some(rate) = transfer.given.pace_bits_per_s {
        return refuse(
            "transfer.pace",
            format_rate(rate),
            "the rate that the start-up measures",
        );
    }
    Ok(())
}

/// Several connections of a transfer, side by side or in series.
fn connections(case: &Case) -> Result<(), Unsupported> {
    if case.transfer.connections != Connections::ONE {
        return refuse(
            "transfer.connections",
            onramp_results::connections(case),
            "one connection for each transfer",
        );
    }
    match case
        .transfer
        .split
        .as_ref()
        .and_then(|split| split.rate_bits_per_s)
    {
        Some(rate) => refuse("transfer.split_rate", format_rate(rate), RELAYS),
        None => Ok(()),
    }
}

/// Every flow must have a route, and all routes must have the same MTU, because a host of the lab
/// has one device.
fn routes(case: &Case) -> Result<(), Unsupported> {
    // A single path is a route, even if it is not that of the network.
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
                    format!("a transfer from `{from_name}` to `{to_name}`, which no links connect"),
                    ROUTES,
                )
            }
            Some(path) if path.mtu_bytes != case.path.mtu_bytes => {
                let asked = format!(
                    "packets of {} from `{from_name}` to `{to_name}` and of {} elsewhere",
                    format_size(path.mtu_bytes.into()),
                    format_size(case.path.mtu_bytes.into())
                );
                return refuse("link.mtu", asked, ROUTES);
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// The transfers of a traffic.
fn competing(transfers: &Transfers) -> Result<(), Unsupported> {
    tcp(
        "traffic",
        transfers.stack,
        transfers.recovery,
        transfers.timers,
    )?;
    clocks(["traffic.clock", "traffic.tick"], transfers.clocks)?;
    initial_ssthresh("traffic.initial_ssthresh", transfers.initial_ssthresh_bytes)?;
    if transfers.connect != Connect::Receiver {
        return refuse(
            "traffic.connect",
            format!("`{}`", transfers.connect.name()),
            RECEIVER_CONNECTS,
        );
    }
    if let Some(count) = transfers
        .count
        .filter(|count| transfers.arrivals.is_none() && *count > MAX_FLOWS)
    {
        return refuse("traffic.count", format!("{count} transfers"), MAX_TRAFFIC);
    }
    receiver(&transfers.receiver)
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

fn initial_ssthresh(key: &'static str, bytes: Option<u64>) -> Result<(), Unsupported> {
    match bytes {
        Some(bytes) => refuse(
            key,
            format!("an initial ssthresh of {}", format_size(bytes)),
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
        // In the kernel a program can trigger an ACK at once, but it cannot delay one:
        // docs/algorithms/pair.md.
        PacketPair::AnswerAtOnce | PacketPair::Probe => {
            let asked = format!("`{}`", receiver.packet_pair.name());
            return refuse(
                "receiver.packet_pair",
                asked,
                "receivers that answer pairs when this kernel sends an ACK",
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

fn refuse<T>(key: &'static str, asked: String, supported: &'static str) -> Result<T, Unsupported> {
    Err(Unsupported {
        key,
        asked,
        supported,
    })
}
