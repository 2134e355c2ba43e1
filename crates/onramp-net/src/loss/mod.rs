//! Loss processes: packets that are lost for reasons other than a full queue, decided packet by
//! packet.

mod bernoulli;
mod gilbert_elliott;
mod periodic;

use crate::random::{stream, Element};
use crate::LossConfig;
use bernoulli::Bernoulli;
use gilbert_elliott::GilbertElliott;
use periodic::Periodic;
use rand_pcg::Pcg32;

/// The loss process of a link, with the stream of random numbers that every process draws from.
#[derive(Clone, Debug)]
pub(crate) struct Loss {
    process: Process,
    random: Pcg32,
}

#[derive(Clone, Debug)]
enum Process {
    None,
    Bernoulli(Bernoulli),
    Periodic(Periodic),
    GilbertElliott(Box<GilbertElliott>),
}

impl Loss {
    pub fn new(config: &LossConfig, seed: u64) -> Loss {
        let process = match *config {
            LossConfig::None => Process::None,
            LossConfig::Bernoulli { ppm } => Process::Bernoulli(Bernoulli::new(ppm)),
            LossConfig::Periodic { every } => Process::Periodic(Periodic::new(every.get())),
            LossConfig::GilbertElliott {
                p_ppm,
                r_ppm,
                loss_good_ppm,
                loss_bad_ppm,
            } => Process::GilbertElliott(Box::new(GilbertElliott::new(
                [p_ppm, r_ppm],
                [loss_good_ppm, loss_bad_ppm],
            ))),
        };
        Loss {
            process,
            random: stream(seed, Element::Loss),
        }
    }

    /// Replaces the process by independent losses of this probability. The stream of random numbers
    /// continues, so a change to the probability that is already in force changes nothing.
    pub fn change_to(&mut self, ppm: u32) {
        self.process = match ppm {
            0 => Process::None,
            ppm => Process::Bernoulli(Bernoulli::new(ppm)),
        };
    }

    /// Whether the packet that arrives now, with this size, is lost.
    #[inline]
    pub fn loses(&mut self, wire_bytes: u32) -> bool {
        match &mut self.process {
            Process::None => false,
            Process::Bernoulli(process) => process.loses(&mut self.random),
            Process::Periodic(process) => process.loses(wire_bytes),
            Process::GilbertElliott(process) => process.loses(&mut self.random),
        }
    }
}
