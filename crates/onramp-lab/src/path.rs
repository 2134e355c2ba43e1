//! The lab's path without its transfers: for programs that run at its two ends.

use crate::host::{hosts_of, Host, Namespace};
use crate::layout::Layout;
use crate::link::{CpuLease, LinkPlan, LinkThread};
use crate::supports::supports;
use crate::Error;
use onramp_scenario::Case;
use std::net::Ipv4Addr;

/// The two hosts of a case, and its links between them; they go with this value.
pub struct Path {
    /// Where what sends data is to run.
    pub sender: Namespace,
    /// Where what receives it is to run.
    pub receiver: Namespace,
    /// The sender's address.
    pub sender_address: Ipv4Addr,
    /// The receiver's address.
    pub receiver_address: Ipv4Addr,
    link: Option<LinkThread>,
    _lease: Option<CpuLease>,
}

impl Path {
    /// That of a case's first transfer; its other traffic is left out.
    ///
    /// # Errors
    /// As [`run`](crate::run).
    pub fn of(case: &Case) -> Result<Path, Error> {
        supports(case)?;
        let layout = Layout::of(case);
        let ends = layout.copy(0);
        let (sender, receiver) = hosts_of(case, &layout)?;
        let lease = CpuLease::take();
        let cpu = lease.as_ref().map(CpuLease::cpu);
        let (
            Host {
                tun: sender_tun,
                namespace: sender,
            },
            Host {
                tun: receiver_tun,
                namespace: receiver,
            },
        ) = (sender, receiver);
        let wiring = layout.wiring(case);
        let plan = LinkPlan {
            wiring,
            sender: sender_tun,
            receiver: receiver_tun,
            flows: 1,
            logs: None,
            cpu,
        };
        Ok(Path {
            sender,
            receiver,
            sender_address: ends.sender,
            receiver_address: ends.receiver,
            link: Some(LinkThread::start(plan)),
            _lease: lease,
        })
    }
}

impl Drop for Path {
    fn drop(&mut self) {
        if let Some(link) = self.link.take() {
            let _ = link.finish();
        }
    }
}
