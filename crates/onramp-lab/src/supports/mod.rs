//! The scenarios that the lab supports: real sockets of the kernel over an emulated network.

/// Returns the first line whose condition holds: `CONDITION, KEY, ASKED => SUPPORTED;`
macro_rules! refuse {
    ($($condition:expr, $key:expr, $asked:expr => $supported:expr;)*) => {$(
        if $condition {
            return Err($crate::Unsupported {
                key: $key,
                asked: String::from($asked),
                supported: $supported,
            });
        }
    )*};
}

pub mod quic;
#[cfg(test)]
mod tests;

use onramp_scenario::units::{format_percent, format_rate, format_size, format_time};
use onramp_scenario::{
    Acks, ByteCounting, Case, Clocks, Connect, InitialWindow, Lie, PacketPair, PairForm, Receiver,
    Recovery, SearchVersion, Stack, Timers, Train, Transfers, Transport, Without, NO_STARTUP,
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
    refuse! {
        !case.sender.nagle, "sender.nagle", "`false`" => KERNEL;
        !case.sender.window_validation, "sender.window_validation", "`false`" => KERNEL;
    }
    receiver(&case.receiver)?;
    for transfers in case
        .traffic
        .iter()
        .filter_map(|traffic| traffic.transfers())
    {
        competing(transfers)?;
        let (ecn, ours) = (transfers.ecn, case.transfer.ecn);
        refuse! {
            ecn != ours,
                "traffic.ecn", format!("`{ecn}` beside a transfer with `{ours}`")
                => ONE_SETTING_PER_HOST;
        }
    }
    Ok(())
}

/// The TCP of the transfer, its first window and the number of its copies.
fn transfer(case: &Case) -> Result<(), Unsupported> {
    let transfer = &case.transfer;
    if transfer.transport == Transport::Quic {
        quic::transfer(case)?;
    }
    let keys = ["transfer.stack", "transfer.recovery", "transfer.timers"];
    tcp(keys, transfer.stack, transfer.recovery, transfer.timers)?;
    clocks(["transfer.clock", "transfer.tick"], transfer.clocks)?;
    refuse! {
        transfer.initial_window == InitialWindow::Paper && transfer.startup == NO_STARTUP,
            "transfer.initial_window", format!("`paper` with startup `{NO_STARTUP}`")
            => "`host` or a number of segments for the kernel's own controls";
    }
    initial_ssthresh("transfer.initial_ssthresh", transfer.initial_ssthresh_bytes)?;
    refuse! {
        transfer.count > MAX_FLOWS,
            "transfer.count", format!("{} copies", transfer.count) => MAX_COPIES;
        transfer.connect != Connect::Receiver,
            "transfer.connect", quoted(transfer.connect.name()) => RECEIVER_CONNECTS;
        transfer.byte_counting != ByteCounting::Unlimited,
            "transfer.byte_counting", "a limit of the growth per ACK in slow start" => KERNEL;
        !transfer.window_scaling && !case.traffic.is_empty(),
            "transfer.window_scaling", "`false` beside traffic" => ONE_SETTING_PER_HOST;
    }
    Ok(())
}

/// The parameters of the transfer's start-up.
fn startup(case: &Case) -> Result<(), Unsupported> {
    let (train, given) = (case.transfer.train, &case.transfer.given);
    refuse! {
        train != Train::default(), "transfer.train", quoted(train.name()) => "`line`";
        given.without != Without::default(),
            "transfer.without", quoted(given.without.name()) => "start-ups with all their ideas";
        given.search != SearchVersion::default(),
            "transfer.search", quoted(given.search.name()) => "`draft`";
        given.hystart_is_off,
            "transfer.hystart", "`false`"
            => "the HyStart of this kernel, whose module parameter is of the whole machine";
        given.gamma_ppm.is_some(),
            "transfer.gamma", format_percent(given.gamma_ppm.unwrap_or_default())
            => "the value that the start-up finds";
        given.pace_bits_per_s.is_some(),
            "transfer.pace", format_rate(given.pace_bits_per_s.unwrap_or_default())
            => "the rate that the start-up measures";
    }
    Ok(())
}

/// Several connections of a transfer, side by side or in series.
fn connections(case: &Case) -> Result<(), Unsupported> {
    let transfer = &case.transfer;
    let split_rate = transfer
        .split
        .as_ref()
        .and_then(|split| split.rate_bits_per_s);
    refuse! {
        transfer.connections.max() > 1,
            "transfer.connections", onramp_results::connections(case)
            => "one connection for each transfer";
        split_rate.is_some(),
            "transfer.split_rate", format_rate(split_rate.unwrap_or_default()) => RELAYS;
    }
    Ok(())
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
                let asked =
                    format!("a transfer from `{from_name}` to `{to_name}`, which no links connect");
                refuse! { true, "link", asked => ROUTES; }
            }
            Some(path) if path.mtu_bytes != case.path.mtu_bytes => {
                let asked = format!(
                    "packets of {} from `{from_name}` to `{to_name}` and of {} elsewhere",
                    format_size(path.mtu_bytes.into()),
                    format_size(case.path.mtu_bytes.into())
                );
                refuse! { true, "link.mtu", asked => ROUTES; }
            }
            Some(_) => {}
        }
    }
    Ok(())
}

/// The transfers of a traffic.
fn competing(transfers: &Transfers) -> Result<(), Unsupported> {
    let keys = ["traffic.stack", "traffic.recovery", "traffic.timers"];
    tcp(keys, transfers.stack, transfers.recovery, transfers.timers)?;
    clocks(["traffic.clock", "traffic.tick"], transfers.clocks)?;
    initial_ssthresh("traffic.initial_ssthresh", transfers.initial_ssthresh_bytes)?;
    let at_once = transfers
        .count
        .filter(|_| transfers.arrivals.is_none())
        .unwrap_or(0);
    refuse! {
        transfers.connect != Connect::Receiver,
            "traffic.connect", quoted(transfers.connect.name()) => RECEIVER_CONNECTS;
        at_once > MAX_FLOWS, "traffic.count", format!("{at_once} transfers") => MAX_TRAFFIC;
    }
    receiver(&transfers.receiver)
}

fn tcp(
    keys: [&'static str; 3],
    stack: Stack,
    recovery: Recovery,
    timers: Timers,
) -> Result<(), Unsupported> {
    refuse! {
        stack != Stack::Linux, keys[0], quoted(stack.name()) => KERNEL;
        recovery != Recovery::Rack, keys[1], quoted(recovery.name()) => KERNEL;
        timers != Timers::Linux, keys[2], quoted(timers.name()) => KERNEL;
    }
    Ok(())
}

fn initial_ssthresh(key: &'static str, bytes: Option<u64>) -> Result<(), Unsupported> {
    let asked = || {
        format!(
            "an initial ssthresh of {}",
            format_size(bytes.unwrap_or_default())
        )
    };
    refuse! { bytes.is_some(), key, asked() => KERNEL; }
    Ok(())
}

fn clocks(keys: [&'static str; 2], clocks: Clocks) -> Result<(), Unsupported> {
    refuse! {
        clocks.clock_ns > 1, keys[0], format_time(clocks.clock_ns) => KERNEL;
        clocks.tick_ns > 1, keys[1], format_time(clocks.tick_ns) => KERNEL;
    }
    Ok(())
}

fn receiver(receiver: &Receiver) -> Result<(), Unsupported> {
    let pairs = receiver.packet_pair;
    refuse! {
        receiver.acks != Acks::Linux,
            "receiver.acks", quoted(receiver.acks.name()) => KERNEL;
        receiver.lie != Lie::None, "receiver.lie", quoted(receiver.lie.name()) => KERNEL;
        // In the kernel a program can trigger an ACK at once, but it cannot delay one:
        // docs/algorithms/pair.md.
        matches!(pairs, PacketPair::AnswerAtOnce | PacketPair::Probe),
            "receiver.packet_pair", quoted(pairs.name())
            => "receivers that answer pairs when this kernel sends an ACK";
        pairs != PacketPair::None && receiver.pair_form != PairForm::Experiment,
            "receiver.pair_option", quoted(receiver.pair_form.name()) => EXPERIMENT;
        receiver.pair_clock_ns > 1,
            "receiver.pair_clock", format_time(receiver.pair_clock_ns) => KERNEL;
        !receiver.timestamps, "receiver.timestamps", "`false`" => KERNEL;
        !receiver.sack, "receiver.sack", "`false`" => KERNEL;
        !receiver.window_scaling, "receiver.window_scaling", "`false`" => KERNEL;
    }
    Ok(())
}

fn quoted(name: &str) -> String {
    format!("`{name}`")
}
