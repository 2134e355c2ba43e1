//! Loss processes: packets that vanish for reasons other than a full queue, decided packet by packet.

mod bernoulli;
mod gilbert_elliott;
mod periodic;

use crate::random::{stream, Element};
use crate::LossConfig;
use bernoulli::Bernoulli;
use gilbert_elliott::GilbertElliott;
use periodic::Periodic;

/// The loss process of a link.
#[derive(Debug)]
pub(crate) enum Loss {
    None,
    Bernoulli(Bernoulli),
    Periodic(Periodic),
    GilbertElliott(Box<GilbertElliott>),
}

impl Loss {
    pub fn new(config: &LossConfig, seed: u64) -> Loss {
        let random = stream(seed, Element::Loss);
        match *config {
            LossConfig::None => Loss::None,
            LossConfig::Bernoulli { ppm } => Loss::Bernoulli(Bernoulli::new(ppm, random)),
            LossConfig::Periodic { every } => Loss::Periodic(Periodic::new(every.get())),
            LossConfig::GilbertElliott { p_ppm, r_ppm, loss_good_ppm, loss_bad_ppm } => Loss::GilbertElliott(Box::new(
                GilbertElliott::new([p_ppm, r_ppm], [loss_good_ppm, loss_bad_ppm], random),
            )),
        }
    }

    /// Whether the packet of this size that arrives now is lost.
    #[inline]
    pub fn loses(&mut self, wire_bytes: u32) -> bool {
        match self {
            Loss::None => false,
            Loss::Bernoulli(process) => process.loses(),
            Loss::Periodic(process) => process.loses(wire_bytes),
            Loss::GilbertElliott(process) => process.loses(),
        }
    }
}
