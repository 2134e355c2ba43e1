//! `framing`: the frames in which a link carries packets.

use super::parameter::{ChannelSource, LinkContext, Parameter};
use super::queue_limit::QueueLimit;
use super::rate::RATE;
use onramp_config::key::{choice_kinds, keys, AnyKey, Fallback};
use onramp_net::{Config, Framing};

/// The framings, in the order of the reference.
const ALL: [Framing; 3] = [Framing::Packets, Framing::Aal5, Framing::Aal5Snap];

fn name_of(framing: Framing) -> &'static str {
    match framing {
        Framing::Packets => "packets",
        Framing::Aal5 => "aal5",
        Framing::Aal5Snap => "aal5-snap",
    }
}

choice_kinds! {
    /// The name of a framing.
    FramingName: Framing, "framing",
        "the name of a framing in quotes, for example \"aal5\"", ALL, name_of;
}

keys! { KEYS:
    FRAMING: FramingName = "framing", Fallback::Text("packets"),
        "What the rate counts: {names}. `aal5` is ATM: each packet with a trailer of 8 bytes fills \
         cells of 53 bytes that carry 48; `aal5-snap` has 8 bytes of header too. Both are for \
         links of a steady rate. The reverse direction has the framing of the rate that it takes.";
}

pub(crate) struct LinkFraming;

impl Parameter for LinkFraming {
    type Value = Framing;
    const KEYS: &'static [&'static dyn AnyKey] = KEYS;

    fn read(source: &mut ChannelSource<'_, '_>) -> Vec<Framing> {
        let unsteady = match (source.rate_is_recorded, source.is_poisson) {
            (true, _) => Some("trace"),
            (false, true) => Some("poisson"),
            _ => None,
        };
        let takes_rate = source.follows.is_some() && !source.section.has(&RATE);
        if takes_rate && unsteady.is_none() && !source.section.has(&FRAMING) {
            return Vec::new();
        }
        let framing = source.one(&FRAMING);
        if let (Some(chosen), Some(_)) = (unsteady, framing.filter(|f| *f != Framing::Packets)) {
            source.refuse(FRAMING.name(), "links of a steady rate", chosen);
        }
        framing.into_iter().collect()
    }

    fn describe(framing: &Framing, _: QueueLimit) -> Option<String> {
        (*framing != Framing::Packets).then(|| name_of(*framing).to_owned())
    }

    fn configure(framing: &Framing, _: &LinkContext, config: &mut Config) {
        config.framing = *framing;
    }
}
