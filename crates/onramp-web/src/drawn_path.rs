//! The path that the page draws: that of the transfer's first copy.

use onramp_scenario::{Case, Hop};

/// The directed links between the sender and the receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DrawnPath {
    /// The links that the data take, in order.
    pub forward: Vec<Hop>,
    /// The links that ACKs take, in order.
    pub reverse: Vec<Hop>,
    /// The nodes on the way of the data, both ends included.
    pub nodes: Vec<usize>,
    /// The nodes on the way of ACKs.
    pub return_nodes: Vec<usize>,
    /// Place in `forward` of the link whose queue is drawn.
    pub bottleneck: usize,
    /// Place in `reverse` of the slowest link.
    pub return_bottleneck: usize,
}

impl DrawnPath {
    /// The path of a case; `None` where no links lead there.
    pub fn of(case: &Case) -> Option<DrawnPath> {
        let (from, to) = case.transfer.ends(0);
        let network = &case.network;
        let (forward, reverse) = (network.route(from, to)?, network.route(to, from)?);
        let place = |route: &[Hop], hop: Hop| route.iter().position(|own| *own == hop);
        let bottleneck = network.data_bottleneck(&forward, &case.crossings)?;
        let slowest = |hop: &&Hop| network.channel(**hop).capacity_bits_per_s(0);
        let return_bottleneck = *reverse.iter().min_by_key(slowest)?;
        Some(DrawnPath {
            bottleneck: place(&forward, bottleneck)?,
            return_bottleneck: place(&reverse, return_bottleneck)?,
            nodes: network.nodes_of(from, &forward),
            return_nodes: network.nodes_of(to, &reverse),
            forward,
            reverse,
        })
    }

    /// Number of the directed link whose queue is drawn.
    pub fn bottleneck(&self) -> u32 {
        self.forward[self.bottleneck].number()
    }

    /// Whether packets have the times of this directed link.
    pub fn is_drawn(&self, link: u32) -> bool {
        link == self.bottleneck() || link == self.reverse[self.return_bottleneck].number()
    }

    /// The place of a directed link in its direction of the path.
    pub fn place(&self, link: u32) -> Option<u8> {
        let of = |route: &[Hop]| route.iter().position(|hop| hop.number() == link);
        let place = of(&self.forward).or_else(|| of(&self.reverse))?;
        u8::try_from(place).ok()
    }
}
