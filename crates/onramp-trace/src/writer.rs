//! What the writers of all formats have in common.

use crate::output::Output;
use onramp_sim::observe::{DropReason, FlowStart, PacketEvent};
use onramp_tcp::Connection;

/// Writes the files of one format. The methods are those of
/// [`Observer`](onramp_sim::observe::Observer) that at least one format needs.
pub(crate) trait Writer: Send {
    fn flow_started(&mut self, flow: &FlowStart) {
        let _ = flow;
    }

    fn sent(&mut self, packet: &PacketEvent<'_>) {
        let _ = packet;
    }

    fn arrived(&mut self, packet: &PacketEvent<'_>) {
        let _ = packet;
    }

    fn entered(&mut self, link: u32, packet: &PacketEvent<'_>) {
        let _ = (link, packet);
    }

    fn dropped(&mut self, link: u32, why: DropReason, packet: &PacketEvent<'_>) {
        let _ = (link, why, packet);
    }

    /// The sender has processed an ACK (`by_ack`), or something else, such as a timer.
    fn sender_acted(&mut self, time_ns: u64, flow: u32, sender: &Connection, by_ack: bool) {
        let _ = (time_ns, flow, sender, by_ack);
    }

    fn flow_ended(&mut self, flow: u32) {
        let _ = flow;
    }

    /// Number of flows without a file, because [`MAX_FLOW_FILES`](crate::output::MAX_FLOW_FILES)
    /// flows have one.
    fn flows_left_out(&self) -> u64 {
        0
    }

    /// The run is over. Returns the files, complete but still to be closed.
    fn finish(self: Box<Self>) -> Vec<Output>;
}
