//! The emulated path without transfers, for programs that run at its two ends.

use crate::error::Error;
use crate::host::{hosts_of, Host, Namespace};
use crate::layout::Layout;
use crate::link::{CpuLease, LinkPlan, LinkThread};
use crate::supports::supports;
use onramp_scenario::Case;
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
    link: Option<LinkThread>,
    _lease: Option<CpuLease>,
}

impl Path {
    /// The path of the first transfer of a case. Its traffic is left out.
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
