//! What routes and interfaces of this network namespace do to the start of a connection: initial
//! windows, congestion controls and values of ssthresh of routes, and queue disciplines.

use crate::{Error, Result};
use netlink_packet_core::{
    NetlinkDeserializable, NetlinkHeader, NetlinkMessage, NetlinkPayload, NetlinkSerializable,
    NLM_F_DUMP, NLM_F_REQUEST,
};
use netlink_packet_route::route::{RouteAddress, RouteAttribute, RouteMessage, RouteMetric};
use netlink_packet_route::tc::{TcAttribute, TcHandle, TcMessage};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netlink_sys::{protocols::NETLINK_ROUTE, Socket, SocketAddr};
use std::io;

/// A route that sets how its connections start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartRoute {
    /// The destination as `ip route` writes it: `default`, or a prefix.
    pub destination: String,
    /// Initial window in segments (`initcwnd`).
    pub initial_window: Option<u32>,
    /// Congestion control (`congctl`).
    pub congestion_control: Option<String>,
    /// ssthresh of new connections in segments (`ssthresh`).
    pub ssthresh: Option<u32>,
}

/// The queue discipline at the root of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueDiscipline {
    /// Name of the interface.
    pub interface: String,
    /// Name of the discipline, such as `fq`.
    pub kind: String,
}

/// The routes of this network namespace that set how their connections start, IPv4 and IPv6.
///
/// # Errors
/// If the kernel does not list its routes.
pub fn start_routes() -> Result<Vec<StartRoute>> {
    let mut routes = Vec::new();
    for family in [AddressFamily::Inet, AddressFamily::Inet6] {
        let mut question = RouteMessage::default();
        question.header.address_family = family;
        let answers = dump(RouteNetlinkMessage::GetRoute(question))
            .map_err(|source| Error::io("cannot list the routes of this host", source))?;
        routes.extend(answers.into_iter().filter_map(|answer| match answer {
            RouteNetlinkMessage::NewRoute(route) => start_route(&route),
            _ => None,
        }));
    }
    Ok(routes)
}

/// The queue disciplines at the roots of this network namespace's interfaces, without those of
/// interfaces that have none (`noqueue`).
///
/// # Errors
/// If the kernel does not list them.
pub fn queue_disciplines() -> Result<Vec<QueueDiscipline>> {
    let answers = dump(RouteNetlinkMessage::GetQueueDiscipline(TcMessage::default()))
        .map_err(|source| Error::io("cannot list the queue disciplines of this host", source))?;
    let at_root = answers.into_iter().filter_map(|answer| match answer {
        RouteNetlinkMessage::NewQueueDiscipline(discipline) => queue_discipline(&discipline),
        _ => None,
    });
    Ok(at_root.filter(|found| found.kind != "noqueue").collect())
}

fn start_route(route: &RouteMessage) -> Option<StartRoute> {
    let mut found = StartRoute {
        destination: "default".to_owned(),
        initial_window: None,
        congestion_control: None,
        ssthresh: None,
    };
    for attribute in &route.attributes {
        match attribute {
            RouteAttribute::Destination(address) => {
                let length = route.header.destination_prefix_length;
                found.destination = match address {
                    RouteAddress::Inet(address) => format!("{address}/{length}"),
                    RouteAddress::Inet6(address) => format!("{address}/{length}"),
                    _ => return None,
                };
            }
            RouteAttribute::Metrics(metrics) => {
                for metric in metrics {
                    match metric {
                        RouteMetric::InitCwnd(segments) => found.initial_window = Some(*segments),
                        RouteMetric::SsThresh(segments) => found.ssthresh = Some(*segments),
                        RouteMetric::CcAlgo(name) => found.congestion_control = Some(name.clone()),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }
    let sets_something = found.initial_window.is_some()
        || found.ssthresh.is_some()
        || found.congestion_control.is_some();
    sets_something.then_some(found)
}

fn queue_discipline(discipline: &TcMessage) -> Option<QueueDiscipline> {
    if discipline.header.parent != TcHandle::ROOT {
        return None;
    }
    let kind = discipline
        .attributes
        .iter()
        .find_map(|attribute| match attribute {
            TcAttribute::Kind(kind) => Some(kind.clone()),
            _ => None,
        })?;
    let index = u32::try_from(discipline.header.index).ok()?;
    // An interface may have gone in the meantime.
    let interface = nix::net::if_::if_indextoname(index).ok()?;
    Some(QueueDiscipline {
        interface: interface.to_string_lossy().into_owned(),
        kind,
    })
}

/// Asks the kernel for a list.
fn dump(question: RouteNetlinkMessage) -> io::Result<Vec<RouteNetlinkMessage>> {
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | NLM_F_DUMP;
    let mut request = NetlinkMessage::new(header, NetlinkPayload::from(question));
    request.finalize();
    let mut bytes = vec![0; request.buffer_len()];
    request.serialize(&mut bytes);

    let mut socket = Socket::new(NETLINK_ROUTE)?;
    socket.bind_auto()?;
    socket.connect(&SocketAddr::new(0, 0))?;
    socket.send(&bytes, 0)?;
    let mut answers = Vec::new();
    loop {
        let (datagram, _) = socket.recv_from_full()?;
        if read_answers(&datagram, &mut answers)? {
            return Ok(answers);
        }
    }
}

/// Reads the messages of a datagram. Returns whether the list is complete.
fn read_answers<M>(datagram: &[u8], answers: &mut Vec<M>) -> io::Result<bool>
where
    M: NetlinkSerializable + NetlinkDeserializable,
{
    let mut rest = datagram;
    while !rest.is_empty() {
        let message = NetlinkMessage::<M>::deserialize(rest).map_err(io::Error::other)?;
        let length = message.header.length as usize;
        match message.payload {
            NetlinkPayload::InnerMessage(answer) => answers.push(answer),
            NetlinkPayload::Done(_) => return Ok(true),
            NetlinkPayload::Error(error) => return Err(error.to_io()),
            _ => {}
        }
        // Messages begin at multiples of four bytes.
        rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(false)
}
