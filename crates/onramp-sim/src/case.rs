//! Turns a case into a plan that the engine runs: link configurations, routes and TCP
//! configurations.

use crate::endpoint::{self, SenderKeys};
use crate::error::{Error, Unsupported};
use crate::observe::Direction;
use crate::plan::{self, BundlePlan, Group, Launch, Load, Path, Plan, Protocol};
#[cfg(feature = "quic")]
use crate::quic::QuicPlan;
use crate::router::Router;
use crate::routes::Routes;
use onramp_results::traffic_windows;
use onramp_scenario::{
    Arrivals, Case, Datagrams, Hop, Hosts, IpVersion, Jitter, Place, RequestsPlan, Split, Traffic,
    Transfers, Transport,
};
use onramp_tcp::Ensembles;

/// Maximum time that a noisy host takes to process a packet that arrives.
const HOST_NOISE_NS: u64 = 100_000;

/// Checks that the simulator can run a case.
///
/// # Errors
/// [`Unsupported`] names the first key of the scenario that the simulator does not support.
pub fn supports(case: &Case) -> Result<(), Unsupported> {
    protocol(case)?;
    endpoint::sender(
        &SenderKeys::from_transfer(&case.transfer, &case.receiver),
        &case.sender,
    )?;
    for traffic in case.traffic.iter() {
        if let Some(transfers) = traffic.transfers() {
            endpoint::sender(&SenderKeys::from_traffic(transfers), &case.sender)?;
        }
    }
    Ok(())
}

/// The protocol of the transfer. Without the feature `quic`, a transfer over QUIC is refused.
fn protocol(case: &Case) -> Result<Protocol, Unsupported> {
    match case.transfer.transport {
        Transport::Tcp => Ok(Protocol::Tcp),
        #[cfg(feature = "quic")]
        Transport::Quic => QuicPlan::of(case).map(Protocol::Quic),
        #[cfg(not(feature = "quic"))]
        Transport::Quic => crate::error::refuse("transfer.transport".to_owned(), "quic"),
    }
}

/// Builds the plan of a case. Group 0 is the transfer. The groups of its hops and of traffic follow
/// in the scenario's order.
pub(crate) fn plan(case: &Case) -> Result<Plan, Error> {
    let router = Router::new(&case.network);
    let mut planner = Planner {
        case,
        router,
        routes: Routes::default(),
        groups: Vec::new(),
        loads: Vec::new(),
    };
    planner.transfer()?;
    for (number, traffic) in (0..).zip(case.traffic.iter()) {
        planner.traffic(number, traffic)?;
    }
    let channels = case
        .network
        .links
        .iter()
        .flat_map(|link| [&link.forward, &link.reverse]);
    let rtt_ns = case.path.rtt_ns;
    let link = |(number, channel): (u32, &onramp_scenario::Channel)| {
        channel.link_config(rtt_ns, case.seed, number)
    };
    let mut links: Vec<_> = (0..).zip(channels).map(link).collect();
    if case.hosts == Hosts::Noisy {
        add_host_noise(&mut links, &planner.routes);
    }
    let mut plan = Plan {
        links,
        routes: planner.routes,
        groups: planner.groups,
        loads: planner.loads,
        meter_ns: meter(case),
        until_ns: case.duration_ns.unwrap_or(u64::MAX),
        seed: case.seed,
    };
    // Senders count their connections in this run only.
    plan.share(Ensembles::default());
    Ok(plan)
}

/// Lets packets arrive at hosts a random time later, in their order, as if the hosts took this time
/// to process them. A link that has jitter keeps its own.
fn add_host_noise(links: &mut [onramp_net::Config], routes: &Routes) {
    for places in routes.places().windows(2) {
        let [Place::Link(link), Place::Host(_)] = places else {
            continue;
        };
        links[*link as usize].jitter.get_or_insert(Jitter {
            max_ns: HOST_NOISE_NS,
            reorder: false,
        });
    }
}

/// Times at which the delivered traffic is read: the windows around the start of each copy of the
/// transfer.
fn meter(case: &Case) -> Vec<u64> {
    let Some(span) = case.traffic_span() else {
        return Vec::new();
    };
    let starts = Arrivals::of_transfer(case).map(|copy| copy.start_ns);
    let windows = starts.flat_map(|start_ns| traffic_windows(start_ns, case.path.rtt_ns, &span));
    let not_empty = windows.filter(|window| !window.is_empty());
    let mut times_ns: Vec<u64> = not_empty
        .flat_map(|window| [window.start, window.end])
        .collect();
    times_ns.sort_unstable();
    times_ns.dedup();
    times_ns
}

struct Planner<'a> {
    case: &'a Case,
    router: Router<'a>,
    routes: Routes,
    groups: Vec<Group>,
    loads: Vec<Load>,
}

impl Planner<'_> {
    fn transfer(&mut self) -> Result<(), Error> {
        let (case, transfer) = (self.case, &self.case.transfer);
        // Copies use the senders and receivers in turn, so the pairs repeat after this many copies.
        let period = lcm(transfer.from.len(), transfer.to.len()).min(transfer.count as usize);
        let paths = (0..period as u32)
            .map(|copy| self.path(transfer.ip, transfer.ends(copy)))
            .collect::<Result<_, _>>()?;
        let keys = SenderKeys::from_transfer(transfer, &case.receiver);
        let sender = endpoint::sender(&keys, &case.sender)?;
        let whole = Group {
            receiver: endpoint::receiver(&sender, transfer.ecn, &case.receiver),
            sender,
            protocol: protocol(case)?,
            connect: transfer.connect,
            dscp: transfer.dscp,
            paths,
            traffic: None,
            measured: true,
            application: transfer.application.clone(),
            requests: RequestsPlan::of(transfer),
            stop_ns: u64::MAX,
            bundle: None,
        };
        let hops = match &transfer.split {
            Some(split) => self.hops(&whole, split, period as u32)?,
            None => Vec::new(),
        };
        let connections = transfer.connections;
        let bundle = match hops.len() as u32 {
            0 if connections.max() == 1 => None,
            0 => Some(BundlePlan {
                hops: vec![0],
                connections,
            }),
            hops => Some(BundlePlan {
                hops: (1..=hops).collect(),
                connections,
            }),
        };
        self.groups.push(Group { bundle, ..whole });
        self.groups.extend(hops);
        self.loads.push(Load::Launch(Launch {
            group: 0,
            arrivals: Arrivals::of_transfer(case),
        }));
        Ok(())
    }

    /// The groups of a split transfer's hops, each with the paths of `period` copies.
    fn hops(&mut self, whole: &Group, split: &Split, period: u32) -> Result<Vec<Group>, Error> {
        let mut hops = Vec::new();
        for hop in 0..=split.nodes.len() {
            let paths = (0..period).map(|copy| {
                let transfer = &self.case.transfer;
                let ends = transfer.hops(copy).nth(hop);
                self.path(
                    transfer.ip,
                    ends.expect("every copy has the same number of hops"),
                )
            });
            let paths = paths.collect::<Result<_, _>>()?;
            let (sender_is_relay, receiver_is_relay) = (hop > 0, hop < split.nodes.len());
            hops.push(Group {
                sender: if sender_is_relay {
                    endpoint::relay_sender(&whole.sender, split)
                } else {
                    whole.sender.clone()
                },
                receiver: if receiver_is_relay {
                    endpoint::relay_receiver(&whole.receiver, split)
                } else {
                    whole.receiver.clone()
                },
                paths,
                ..whole.clone()
            });
        }
        Ok(hops)
    }

    fn traffic(&mut self, number: u32, traffic: &Traffic) -> Result<(), Error> {
        match (
            traffic.transfers(),
            Datagrams::of_traffic(self.case, number),
        ) {
            (Some(transfers), _) => self.transfers(number, traffic, transfers),
            (None, Some(times)) => self.datagrams(number, traffic, times),
            (None, None) => Ok(()),
        }
    }

    fn transfers(
        &mut self,
        number: u32,
        traffic: &Traffic,
        transfers: &Transfers,
    ) -> Result<(), Error> {
        let path = self.path(transfers.ip, (traffic.from, traffic.to))?;
        let arrivals =
            Arrivals::of_traffic(self.case, number).expect("the traffic is made of transfers");
        self.loads.push(Load::Launch(Launch {
            group: self.groups.len() as u32,
            arrivals,
        }));
        let sender = endpoint::sender(&SenderKeys::from_traffic(transfers), &self.case.sender)?;
        self.groups.push(Group {
            receiver: endpoint::receiver(&sender, transfers.ecn, &transfers.receiver),
            sender,
            protocol: Protocol::Tcp,
            connect: transfers.connect,
            dscp: traffic.dscp,
            paths: vec![path],
            traffic: Some(number),
            measured: traffic.measured,
            application: None,
            requests: None,
            stop_ns: traffic.stop_ns.unwrap_or(u64::MAX),
            bundle: None,
        });
        Ok(())
    }

    fn datagrams(&mut self, number: u32, traffic: &Traffic, times: Datagrams) -> Result<(), Error> {
        let (links, _) = self.route((traffic.from, traffic.to))?;
        self.loads.push(Load::Datagrams(plan::Datagrams {
            bottleneck: self.bottleneck(&links),
            route: self.routes.add(&links, Direction::Datagram),
            from: traffic.from as u32,
            to: traffic.to as u32,
            traffic: number,
            dscp: traffic.dscp,
            times,
        }));
        Ok(())
    }

    fn path(&mut self, ip: IpVersion, (from, to): (usize, usize)) -> Result<Path, Error> {
        let (forward, forward_mtu) = self.route((from, to))?;
        let (back, return_mtu) = self.route((to, from))?;
        Ok(Path {
            from: from as u32,
            to: to as u32,
            bottleneck: self.bottleneck(&forward),
            data: self.routes.add(&forward, Direction::Data),
            acks: self.routes.add(&back, Direction::Ack),
            mss_bytes: ip.mss_bytes(forward_mtu.min(return_mtu)),
        })
    }

    /// The directed links from one node to another, and the smallest MTU of them.
    fn route(&mut self, (from, to): (usize, usize)) -> Result<(Vec<u32>, u32), Error> {
        let network = self.router.network();
        let name = |node: usize| network.nodes[node].clone();
        let hops = self.router.route(from, to).ok_or_else(|| Error::NoRoute {
            from: name(from),
            to: name(to),
        })?;
        let mtu_bytes = hops
            .iter()
            .map(|hop| network.links[hop.link].mtu_bytes)
            .min();
        let mtu_bytes = mtu_bytes.ok_or_else(|| Error::SameNode { node: name(from) })?;
        Ok((hops.into_iter().map(Hop::number).collect(), mtu_bytes))
    }

    fn bottleneck(&self, links: &[u32]) -> u32 {
        let hops: Vec<Hop> = links.iter().copied().map(Hop::of_number).collect();
        let bottleneck = self
            .case
            .network
            .data_bottleneck(&hops, &self.case.crossings);
        bottleneck.expect("a route has at least one link").number()
    }
}

fn lcm(a: usize, b: usize) -> usize {
    let (mut x, mut y) = (a, b);
    while y != 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}
