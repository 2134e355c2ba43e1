//! What the writers of all formats have in common.

use crate::output::Output;
use onramp_sim::observe::{DropReason, FlowStart, PacketEvent};
use onramp_tcp::Connection;

/// Writes the files of one format. The methods are those of
/// [`Observer`](onramp_sim::observe::Observer) that at least one format needs.
pub(crate) trait Writer: Send {
    fn flow_started(&mut self, _flow: &FlowStart) {}

    fn sent(&mut self, _packet: &PacketEvent<'_>) {}

    fn arrived(&mut self, _packet: &PacketEvent<'_>) {}

    fn entered(&mut self, _link: u32, _packet: &PacketEvent<'_>) {}

    fn dropped(&mut self, _link: u32, _why: DropReason, _packet: &PacketEvent<'_>) {}

    /// The sender has processed an ACK (`by_ack`), or something else, such as a timer.
    fn sender_acted(&mut self, _time_ns: u64, _flow: u32, _sender: &Connection, _by_ack: bool) {}

    fn flow_ended(&mut self, _flow: u32) {}

    /// Number of flows without a file, because [`MAX_FLOW_FILES`](crate::output::MAX_FLOW_FILES)
    /// flows have one.
    fn flows_left_out(&self) -> u64 {
        0
    }

    /// The run is over. Returns the files, complete but still to be closed.
    fn finish(self: Box<Self>) -> Vec<Output>;
}
