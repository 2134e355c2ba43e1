//! The emulated path without transfers, for programs that run at its two ends.

use crate::error::Error;
use crate::host::{hosts_of, open_hosts, Host, PathEnd};
use crate::layout::{Layout, Wiring};
use crate::limits;
use crate::link::{LinkPlan, LinkReport, LinkThread};
use crate::options::percentile_us;
use crate::realtime::{CpuLease, KeptOff};
use crate::supports::supports;
use onramp_host::Namespace;
use onramp_net::LinkStats;
use onramp_scenario::{Case, IpVersion};
use std::net::IpAddr;

/// The two hosts of a case and the links between them. They are removed when this value is dropped.
pub struct Path {
    /// The namespace for programs that send data.
    pub sender: Namespace,
    /// The namespace for programs that receive data.
    pub receiver: Namespace,
    /// The sender's address.
    pub sender_address: IpAddr,
    /// The receiver's address.
    pub receiver_address: IpAddr,
    /// The addresses of both hosts: first the sender's, then the receiver's, with one of each IP
    /// version that they have.
    pub addresses: Vec<[IpAddr; 2]>,
    /// The directed link that is the bottleneck of the data.
    bottleneck: u32,
    /// The end that is the host of the caller, if one is.
    on_this_host: Option<PathEnd>,
    link: Option<LinkThread>,
    lease: Option<CpuLease>,
}

/// What has crossed a path.
#[derive(Clone, Debug)]
pub struct PathReport {
    /// The bottleneck of the data, from the sender to the receiver.
    pub forward: LinkStats,
    /// The same link in the other direction.
    pub reverse: LinkStats,
    /// All directed links: 2 n is link n of the scenario forward, 2 n + 1 its reverse.
    pub links: Vec<LinkStats>,
    /// 99th percentile of the packets' lateness, in microseconds.
    pub lateness_p99_us: f64,
    /// Maximum lateness, in microseconds.
    pub lateness_max_us: f64,
    /// What the host did not permit, and how to permit it.
    pub notes: Vec<String>,
}

impl Path {
    /// The path of the first transfer of a case. Its traffic is left out.
    ///
    /// # Errors
    /// As [`run`](crate::run).
    pub fn of(case: &Case) -> Result<Path, Error> {
        supports(case)?;
        let layout = Layout::of(case);
        let hosts = hosts_of(case, &layout)?;
        Ok(Path::start(&layout, hosts, layout.wiring(case), None))
    }

    /// The path of the first transfer of a case for any programs, over IPv4 and, where the MTU and
    /// the kernel allow it, IPv6. All packets cross it, whatever their addresses. Transfers and
    /// traffic are left out. With `on_this_host` that end is in the namespace of the calling
    /// thread, with a device there; otherwise both ends are new namespaces.
    ///
    /// # Errors
    /// The host lacks something, or the lab cannot emulate the path.
    pub fn open(case: &Case, on_this_host: Option<PathEnd>) -> Result<Path, Error> {
        limits::check_path(case)?;
        let versions = match case.path.mtu_bytes >= MIN_IPV6_MTU_BYTES && Host::has_ipv6() {
            true => IpVersion::ALL.to_vec(),
            false => vec![IpVersion::V4],
        };
        let layout = Layout::of_path(case, versions);
        let hosts = open_hosts(case, &layout, on_this_host)?;
        let wiring = layout.wiring(case).for_any_packet();
        Ok(Path::start(&layout, hosts, wiring, on_this_host))
    }

    fn start(
        layout: &Layout,
        (sender, receiver): (Host, Host),
        wiring: Wiring,
        on_this_host: Option<PathEnd>,
    ) -> Path {
        let first = layout.hops(0)[0];
        let lease = CpuLease::take();
        let plan = LinkPlan {
            wiring,
            sender: sender.tun,
            receiver: receiver.tun,
            datagrams: Vec::new(),
            note_ns: 0,
            flows: 1,
            logs: None,
            cpu: lease.as_ref().map(CpuLease::cpu),
        };
        Path {
            sender: sender.namespace,
            receiver: receiver.namespace,
            sender_address: first.sender,
            receiver_address: first.receiver,
            addresses: layout.first_copy(),
            bottleneck: layout.bottleneck(0),
            on_this_host,
            link: Some(LinkThread::start(plan)),
            lease,
        }
    }

    /// The namespace of an end.
    pub fn namespace(&self, end: PathEnd) -> &Namespace {
        match end {
            PathEnd::Sender => &self.sender,
            PathEnd::Receiver => &self.receiver,
        }
    }

    /// The addresses of an end, one of each IP version.
    pub fn addresses_of(&self, end: PathEnd) -> Vec<IpAddr> {
        let at = end as usize;
        self.addresses.iter().map(|pair| pair[at]).collect()
    }

    /// Whether an end is a namespace that was made for the path.
    pub fn is_own_namespace(&self, end: PathEnd) -> bool {
        self.on_this_host != Some(end)
    }

    /// Keeps the calling thread, and what it starts, off the CPU that only the links use, until the
    /// value is dropped.
    pub fn keep_off_the_link_cpu(&self) -> KeptOff {
        KeptOff::of(self.lease.as_ref().map(CpuLease::cpu))
    }

    /// Whether the links have stopped, which they do by themselves only after an error.
    pub fn has_failed(&self) -> bool {
        self.link.as_ref().is_none_or(LinkThread::has_failed)
    }

    /// Stops the links and says what has crossed them. Programs at the ends then reach each other
    /// no more.
    ///
    /// # Errors
    /// A device failed.
    pub fn finish(mut self) -> Result<PathReport, Error> {
        let link = self.link.take().expect("the links run until here");
        let LinkReport {
            links,
            lateness,
            notes,
            ..
        } = link.finish()?;
        let forward = self.bottleneck as usize;
        Ok(PathReport {
            forward: links[forward],
            reverse: links[forward ^ 1],
            links,
            lateness_p99_us: percentile_us(&lateness, 99),
            lateness_max_us: lateness.max_ns() as f64 / 1e3,
            notes,
        })
    }
}

/// Every link of IPv6 carries packets of this size (RFC 8200, section 5). The kernel has no IPv6 on
/// devices with less.
const MIN_IPV6_MTU_BYTES: u32 = 1280;

impl Drop for Path {
    fn drop(&mut self) {
        // A socket whose program has ended keeps its namespace, and the programs of its congestion
        // control in the kernel. Nobody answers it any more: it retransmits once, not eight times.
        for end in [PathEnd::Sender, PathEnd::Receiver] {
            if self.is_own_namespace(end) {
                let set = || onramp_host::sysctl("net/ipv4/tcp_orphan_retries", "1".into());
                let _ = self.namespace(end).run(set);
            }
        }
        if let Some(link) = self.link.take() {
            let _ = link.finish();
        }
    }
}
